// The public call: checks arguments, plans, allocates, and only then writes C.
#include <new>
#include <string>
#include <vector>

#include <carat/product.hpp>

#include "api/checks.hpp"
#include "api/elements.hpp"
#include "api/integers.hpp"
#include "api/known_calls.hpp"
#include "api/multiply_part.hpp"
#include "core/threads.hpp"
#include "cpu/engine.hpp"

namespace carat {

namespace {

using detail::erased_matrix;

// Everything that can fail comes first, then E is copied into C, then the product runs. With an
// epilogue, E is added to the sums instead.
void run_engine(const core::problem& p, int threads, const cpu_engine::kernel_set& kernels,
                const erased_matrix& a, const erased_matrix& b, const erased_matrix* e,
                const erased_matrix& c, const cpu_engine::epilogue_request* last) {
    const cpu_engine::product made(p, threads, kernels, {}, last,
                                   a.prepared != nullptr ? a.prepared : b.prepared);
    const cpu_engine::call_memory memory(made.workspace_bytes());
    if (last == nullptr && e != nullptr && p.beta != 0 && !api::same_elements(*e, c))
        api::copy_elements(*e, c);
    made.run({.a = a.data, .b = b.data, .c = c.data, .e = e == nullptr ? nullptr : e->data},
             memory.data());
}

void multiply_checked(const cpu& where, const erased_matrix& a, const erased_matrix& b,
                      const erased_matrix* e, const erased_matrix& c,
                      const detail::epilogue_steps* steps) {
    api::check_threads(where);
    if (steps != nullptr) api::check_epilogue_on_cpu(*steps, "matrix_product");
    const core::problem p = api::checked_problem(a, b, e, c, steps);
    if (steps != nullptr) api::check_epilogue(*steps, a, b, e, c);
    if (p.m == 0 || p.n == 0) return;
    if (const std::string why = cpu_engine::unsupported(p); !why.empty())
        throw error(error_code::invalid_argument, "matrix_product: " + why);
    const cpu_engine::kernel_set& kernels = api::kernels_for_call(
        where, p, a.prepared != nullptr || b.prepared != nullptr, "matrix_product");
    const int threads = core::most_threads(where.threads);
    if (core::rounds_integers(p)) {
        api::check_sums_fit(p, a, b);
    } else if (is_integer(p.a_type)) {
        const std::vector<std::int32_t> exact = api::exact_if_needed(p, threads, a, b, e);
        if (!exact.empty()) return api::write_rows(exact, c);
    }
    if (steps == nullptr && api::multiply_and_keep(p, kernels, a, b, e, c)) return;
    if (steps == nullptr && !core::rounds_integers(p))
        return run_engine(p, threads, kernels, a, b, e, c, nullptr);
    cpu_engine::epilogue_request last = {
        .steps = {}, .e_layout = {}, .in_place = e != nullptr && api::same_elements(*e, c)};
    if (steps != nullptr) last.steps = std::span(steps->at).first(steps->count);
    if (e != nullptr) last.e_layout = api::layout_of(*e);
    run_engine(p, threads, kernels, a, b, e, c, &last);
}

void multiply_or_say_why(const cpu& where, const erased_matrix& a, const erased_matrix& b,
                         const erased_matrix* e, const erased_matrix& c,
                         const detail::epilogue_steps* steps) {
    try {
        multiply_checked(where, a, b, e, c, steps);
    } catch (const std::bad_alloc&) {
        // All allocations come before the first write to C.
        throw error(api::no_memory);
    }
}

}  // namespace

void detail::multiply(const cpu& where, const erased_matrix& a, const erased_matrix& b,
                      const erased_matrix* e, const erased_matrix& c) {
    if (!api::multiply_as_known(where, a, b, e, c)) multiply_or_say_why(where, a, b, e, c, nullptr);
}

void api::multiply_part(const erased_matrix& a, const erased_matrix& b, const erased_matrix& added,
                        const erased_matrix& c, const part_of_c& part) {
    const cpu one_thread{1};
    const core::problem p = checked_problem(a, b, &added, c, nullptr);
    if (part.rows == 0 || part.cols == 0) return;
    const cpu_engine::product made(p, 1, kernels_for_call(one_thread, p, false, "matrix_product"));
    const cpu_engine::call_memory memory(made.workspace_bytes());
    const auto k_stride = [](std::size_t first, std::size_t size) {
        return cpu_engine::range{static_cast<std::int64_t>(first), static_cast<std::int64_t>(size)};
    };
    made.run_part({.a = a.data, .b = b.data, .c = c.data, .e = added.data}, memory.data(),
                  k_stride(part.row, part.rows), k_stride(part.col, part.cols));
}

void detail::multiply_with_epilogue(const cpu& where, const erased_matrix& a,
                                    const erased_matrix& b, const erased_matrix* e,
                                    const erased_matrix& c, const epilogue_steps& steps) {
    multiply_or_say_why(where, a, b, e, c, &steps);
}

}  // namespace carat
