#include "benchmarks/gpu_call/drawn_calls.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/gpu_call/turns.hpp"

namespace carat::benchmark {

namespace {

using core::gpu_arithmetic;

constexpr call_type types[] = {
    {"bf16", dtype::bf16, dtype::bf16, dtype::f32},
    {"f16", dtype::f16, dtype::f16, dtype::f32},
    {"f32", dtype::f32, dtype::f32, dtype::f32},
    {"f64", dtype::f64, dtype::f64, dtype::f64},
    {"tf32", dtype::f32, dtype::f32, dtype::f32, gpu_arithmetic::tf32},
    {"i8", dtype::i8, dtype::i32, dtype::i32},
    {"e4m3", dtype::e4m3, dtype::bf16, dtype::f32},
    {"e4m3_fast", dtype::e4m3, dtype::bf16, dtype::f32, gpu_arithmetic::fast_fp8}};
constexpr std::string_view tracks[] = {"plain",    "beta", "ld",   "layouts",
                                       "epilogue", "out",  "even", "uneven"};

bool is_of_bytes(const call_type& t) {
    return size_bytes(t.in) == 1;
}

bool coin(std::mt19937_64& random) {
    return random() % 2 == 0;
}

core::problem drawn_sizes(const call_type& t, const call_domain& of, std::int64_t multiple,
                          std::mt19937_64& random) {
    const auto size = [&] { return size_between(random, 16, 16384, multiple); };
    core::problem p;
    double operations = 0;
    do {
        p = core::row_major_problem(t.in, size(), size(), size());
        operations = 2.0 * static_cast<double>(p.m * p.n) * static_cast<double>(p.k);
    } while (operations < of.least_operations || operations > of.most_operations);
    p.c_type = t.out;
    // cuBLAS supports only K-major elements of 8 bits.
    if (is_of_bytes(t)) p.b_layout = core::column_major(p.k);
    return p;
}

// A leading dimension longer than its lines, by 16 bytes or more.
void pad(core::layout& at, std::int64_t unit, std::mt19937_64& random) {
    constexpr std::int64_t units[] = {0, 1, 2, 8, 16};
    std::int64_t& leading = at.col_stride == 1 ? at.row_stride : at.col_stride;
    leading += units[random() % std::size(units)] * unit;
}

void turn(core::problem& p, const call_type& t, std::mt19937_64& random) {
    if (!is_of_bytes(t)) {
        if (coin(random)) p.a_layout = core::column_major(p.m);
        if (coin(random)) p.b_layout = core::column_major(p.k);
    }
    if (coin(random)) p.c_layout = core::column_major(p.m);
}

rows::epilogue drawn_epilogue(std::mt19937_64& random) {
    using rows::activation;
    constexpr rows::epilogue all[] = {{true, activation::none},
                                      {true, activation::relu},
                                      {true, activation::gelu},
                                      {false, activation::relu},
                                      {false, activation::gelu}};
    return all[random() % std::size(all)];
}

rows::operation drawn_group(const call_type& t, const call_domain& of, bool even,
                            std::mt19937_64& random) {
    constexpr std::int64_t unit = 256;
    constexpr double most_weights = 0x1p30;
    const auto rows = [&] { return std::llround(between(random, 1, 4096)); };
    while (true) {
        const auto size = [&] { return size_between(random, 256, 8192, unit); };
        rows::operation all(core::row_major_problem(t.in, 0, size(), size()),
                            std::llround(between(random, 8, 256)));
        core::problem& p = all.one;
        p.c_type = t.out;
        if (is_of_bytes(t)) p.b_layout = core::column_major(p.k);
        const std::int64_t of_each = rows();
        for (std::int64_t i = 0; i < all.count; ++i) all.rows.push_back(even ? of_each : rows());
        for (const std::int64_t some : all.rows) p.m += some;
        const auto weights = static_cast<double>(p.k * p.n) * static_cast<double>(all.count);
        const double operations = 2 * multiply_adds(all);
        if (operations >= of.least_operations && operations <= of.most_operations &&
            weights <= most_weights)
            return all;
    }
}

}  // namespace

std::span<const call_type> call_types() {
    return types;
}

std::span<const std::string_view> call_tracks() {
    return tracks;
}

rows::operation drawn_call(call_track track, const call_type& t, const call_domain& of,
                           std::mt19937_64& random) {
    if (track == call_track::even || track == call_track::uneven)
        return drawn_group(t, of, track == call_track::even, random);
    // TMA and cuBLAS want 16 bytes.
    const std::int64_t unit =
        is_of_bytes(t) && of.multiple > 1 ? std::max<std::int64_t>(16, of.multiple) : of.multiple;
    rows::operation all(drawn_sizes(t, of, unit, random));
    core::problem& p = all.one;
    if (track == call_track::beta) p.beta = 1;
    if (track == call_track::layouts) turn(p, t, random);
    if (track == call_track::epilogue) all.last = drawn_epilogue(random);
    if (track == call_track::out) p.c_type = t.wide;
    if (track == call_track::ld)
        for (core::layout* const at : {&p.a_layout, &p.b_layout, &p.c_layout})
            pad(*at, unit, random);
    return all;
}

// `out` is about types whose `plain` calls write another C than they sum in; an epilogue needs
// floats, and calls of groups have no fast sums of fp8.
bool is_offered(call_track track, const call_type& t) {
    if (track == call_track::out) return t.wide != t.out;
    if (track == call_track::even || track == call_track::uneven)
        return t.how != gpu_arithmetic::fast_fp8;
    return track != call_track::epilogue || is_floating(t.out);
}

}  // namespace carat::benchmark
