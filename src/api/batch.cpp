// Many products of one size, checked together and planned once. Threads take whole products if they
// are many or small; otherwise all threads share each product.
#include "cpu/threads/batch.hpp"

#include <algorithm>
#include <new>
#include <string>

#include <carat/batch.hpp>

#include "api/batch_checks.hpp"
#include "api/checks.hpp"
#include "api/elements.hpp"
#include "api/group.hpp"
#include "api/integers.hpp"
#include "api/ragged.hpp"
#include "core/threads.hpp"
#include "cpu/engine.hpp"

namespace carat {

namespace {

using api::item;
using detail::erased_batch;
using detail::erased_matrix;

struct operands {
    const erased_batch& a;
    const erased_batch& b;
    const erased_batch* e;
    const erased_batch& c;
};

const detail::prepared_operand* prepared_of(const operands& x) {
    return x.a.first.prepared != nullptr ? x.a.first.prepared : x.b.first.prepared;
}

// Bytes from one matrix to the next in a batch that is not a list.
std::ptrdiff_t step_of(const erased_batch& b) {
    return b.count == 0 ? 0 : b.stride * static_cast<std::ptrdiff_t>(size_bytes(b.first.type));
}

// Whether some product's E is its C, or some product's is not. If both have one stride, or are one
// list, the first product decides for all: checking each of 4096 products of 2 x 2 took 8 us more,
// on any number of threads.
bool any_in_place(const operands& x, bool wanted) {
    const bool may_be = api::same_strides(x.e->first, x.c.first);
    const auto is_wanted = [&](std::size_t i) {
        return (may_be && api::address_in(*x.e, i) == api::address_in(x.c, i)) == wanted;
    };
    const bool alike = x.e->pointers == x.c.pointers &&
                       (!may_be || x.c.pointers != nullptr || step_of(*x.e) == step_of(x.c));
    const std::size_t asked = alike ? std::min<std::size_t>(1, x.c.count) : x.c.count;
    for (std::size_t i = 0; i < asked; ++i)
        if (is_wanted(i)) return true;
    return false;
}

// Refuses integer sums that do not fit before any product is written. If all fit, the engine's
// results are exact.
void check_sums(const core::problem& p, int threads, const operands& x) {
    for (std::size_t i = 0; i < x.c.count; ++i) {
        const erased_matrix e = x.e == nullptr ? erased_matrix{} : item(*x.e, i);
        api::as_product(i, [&] {
            if (core::rounds_integers(p)) return api::check_sums_fit(p, item(x.a, i), item(x.b, i));
            (void)api::exact_if_needed(p, threads, item(x.a, i), item(x.b, i),
                                       x.e == nullptr ? nullptr : &e);
        });
    }
}

core::operands operands_of(const operands& x, std::size_t i) {
    return {.a = api::address_in(x.a, i),
            .b = api::address_in(x.b, i),
            .c = api::address_in(x.c, i),
            .e = x.e == nullptr ? nullptr : api::address_in(*x.e, i)};
}

bool lies_evenly(const operands& x) {
    return x.a.pointers == nullptr && x.b.pointers == nullptr && x.c.pointers == nullptr;
}

void run_batch(const core::problem& p, int threads, const cpu_engine::kernel_set& kernels,
               const operands& x, const cpu_engine::epilogue_request* last) {
    const cpu_engine::batch_product all(p, x.c.count, threads, kernels, {}, last, prepared_of(x));
    const cpu_engine::call_memory memory(all.workspace_bytes());
    const bool copies_e =
        last == nullptr && x.e != nullptr && p.beta != 0 && any_in_place(x, false);
    if (last == nullptr && !copies_e && lies_evenly(x))
        return all.run(
            cpu_engine::even_operands{operands_of(x, 0), step_of(x.a), step_of(x.b), step_of(x.c)},
            memory.data());
    if (!copies_e) return all.run([&](std::size_t i) { return operands_of(x, i); }, memory.data());
    all.run(
        [&](std::size_t i) {
            const erased_matrix c = item(x.c, i);
            const erased_matrix e = item(*x.e, i);
            if (!api::same_elements(e, c)) api::copy_elements(e, c);
            return operands_of(x, i);
        },
        memory.data());
}

// Multiplies the list of parts.
void multiply_shared_out(const cpu& where, const operands& x, const detail::epilogue_steps* steps) {
    (void)api::checked_ragged(x.a, x.b, x.e, x.c);
    const api::ragged_list a(x.a, "A");
    const api::ragged_list b(x.b, "B");
    const api::ragged_list c(x.c, "C");
    const api::ragged_list e(x.e == nullptr ? erased_batch{} : *x.e, "E");
    api::multiply_group(where, a.batch(), b.batch(), x.e == nullptr ? nullptr : &e.batch(),
                        c.batch(), steps);
}

void multiply_checked(const cpu& where, const operands& x, const detail::epilogue_steps* steps) {
    api::check_threads(where);
    if (steps != nullptr) api::check_epilogue_on_cpu(*steps, "matrix_products");
    if (api::is_ragged(x.a, x.b, x.e, x.c)) return multiply_shared_out(where, x, steps);
    if (api::is_group(x.a, x.b, x.e, x.c))
        return api::multiply_group(where, x.a, x.b, x.e, x.c, steps);
    const core::problem p = api::checked_batch(x.a, x.b, x.e, x.c, steps);
    if (x.c.count == 0 || p.m == 0 || p.n == 0) return;
    if (const std::string why = cpu_engine::unsupported(p); !why.empty())
        throw error(error_code::invalid_argument, "matrix_products: " + why);
    const cpu_engine::kernel_set& kernels =
        api::kernels_for_call(where, p, prepared_of(x) != nullptr, "matrix_products");
    const int threads = core::most_threads(where.threads);
    if (is_integer(p.a_type)) check_sums(p, threads, x);
    if (steps == nullptr && !core::rounds_integers(p))
        return run_batch(p, threads, kernels, x, nullptr);
    cpu_engine::epilogue_request last = {
        .steps = {}, .e_layout = {}, .in_place = x.e != nullptr && any_in_place(x, true)};
    if (steps != nullptr) last.steps = std::span(steps->at).first(steps->count);
    if (x.e != nullptr) last.e_layout = api::layout_of(x.e->first);
    run_batch(p, threads, kernels, x, &last);
}

}  // namespace

void detail::multiply_batch(const cpu& where, const erased_batch& a, const erased_batch& b,
                            const erased_batch* e, const erased_batch& c,
                            const epilogue_steps* steps) {
    try {
        multiply_checked(where, {a, b, e, c}, steps);
    } catch (const std::bad_alloc&) {
        // All allocations come before the first write to C.
        throw error(api::no_memory_for_products);
    }
}

}  // namespace carat
