#include "lab/request/cases.hpp"

#include "core/dtype_traits.hpp"
#include "lab/rows/group_sizes.hpp"

namespace carat::request {

namespace {

core::layout lines_of(char letter, std::int64_t rows, std::int64_t cols, std::int64_t pad) {
    return letter == 't' ? core::column_major(rows + pad) : core::row_major(cols + pad);
}

}  // namespace

shape size_of(shape asked, const rows::call& call) {
    if (!call.groups.empty()) asked.m = rows::sum_of(rows::rows_of_groups(call.groups));
    return asked;
}

// Narrow types are multiplied as their users do: into the type they are accumulated in.
core::problem problem_of(const case_key& key) {
    core::problem p = core::row_major_problem(key.type, key.size.m, key.size.n, key.size.k);
    p.c_type = core::accumulator_of(key.type);
    if (key.type == dtype::u8) p.b_type = dtype::i8;
    if (key.type == dtype::e5m2) p.b_type = dtype::e4m3;
    const auto& [m, n, k] = key.size;
    p.a_layout = lines_of(key.stored.a, m, k, key.stored.pad);
    p.b_layout = lines_of(key.stored.b, k, n, key.stored.pad);
    p.c_layout = lines_of(key.stored.c, m, n, key.stored.pad);
    return p;
}

rows::operation operation_of(const case_key& key) {
    return rows::operation_of(problem_of(key), key.asked);
}

double operations(const case_key& key, operation_count convention) {
    return static_cast<double>(key.asked.batch) * operations(key.size, convention);
}

std::string describe(const case_key& key) {
    const auto& [m, n, k] = key.size;
    return std::string(name(key.type)) + " " + rows::sized(key.asked, m, n, k) + ", " +
           std::to_string(key.threads) + (key.threads == 1 ? " thread" : " threads");
}

results::product_case product_case_of(const case_key& key) {
    return {
        std::string(name(key.type)), key.size.m, key.size.n, key.size.k, key.threads, key.asked};
}

std::vector<case_key> cases_of(const measurement& r) {
    std::vector<case_key> cases;
    for (const dtype type : r.types)
        for (const int threads : r.threads)
            for (const shape& size : r.shapes)
                cases.push_back({size_of(size, r.asked), type, threads, r.stored, r.asked});
    return cases;
}

}  // namespace carat::request
