#include "cuda/engine/call.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <carat/error.hpp>

#include "cuda/common/capture.hpp"
#include "cuda/engine/epilogue_kernel.hpp"
#include "cuda/engine/epilogue_route.hpp"
#include "cuda/engine/memory_checks.hpp"
#include "cuda/engine/one_launch.hpp"
#include "cuda/engine/select.hpp"

namespace carat::cuda_call {

namespace {

// Of products that are alike in all else: what is far below the limits is known from the first.
void check_sizes(const task& t, std::size_t number) {
    constexpr std::int64_t small = 1 << 20;
    const core::problem& p = t.problem;
    if (number > 0 && std::max({p.m, p.n, p.k}) <= small) return;
    if (const std::string why = cuda::engine::reason_against(t.problem, t.how(), settings_for(t));
        !why.empty())
        throw error(error_code::unsupported,
                    "on a GPU: product " + std::to_string(number) + ": " + why);
}

void check_group(std::vector<task>& tasks, const epilogue_route& route, const post_pass& pass,
                 std::span<const member> all, const cuda::call_scope& call) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (route.is_fused()) route.apply(tasks[i]);
        if (i == 0) check_memory(tasks[i], call);
        check_sizes(route.is_fused() ? tasks[i] : product_of_sums(tasks[i], pass, false), i);
        check_memory(all[i].problem, all[i].data, call);
    }
}

void check_memory_of(const core::problem& p, std::span<const core::operands> all,
                     const cuda::call_scope& call) {
    for (const core::operands& data : all) check_memory(p, data, call);
}

void check_memory_of(const core::problem& p, const strided_operands& all,
                     const cuda::call_scope& call) {
    check_memory(p, all.first, call);
    check_memory(p, all.at(p, all.count - 1), call);
}

template <class Many>
void multiply_many(const place& where, const product& it, const Many& all) {
    task t{it.problem, it.e_layout, {}, where.batch_invariant, where.f32, it.scales};
    const epilogue_route route(t, it.steps);
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope call(where.device, where.stream);
    if (route.is_fused()) route.apply(t);
    check_memory(t, call);
    check_memory_of(t.problem, all, call);
    if (route.is_fused()) return multiply_all(t, all, call);
    const post_pass pass(it.steps);
    begin_pass(pass, t.problem, call);
    for_each(t.problem, all,
             [&](const core::operands& data) { multiply_and_pass(t, route, pass, data, call); });
}

}  // namespace

void multiply_group(const place& where, std::span<const member> all,
                    const detail::epilogue_steps* steps) {
    if (all.empty()) return;
    std::vector<task> tasks;
    tasks.reserve(all.size());
    for (const member& one : all)
        tasks.push_back({one.problem, one.e_layout, {}, where.batch_invariant, where.f32, {}});
    const epilogue_route route(tasks.front(), steps);
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope call(where.device, where.stream);
    const post_pass pass(route.is_fused() ? nullptr : steps);
    check_group(tasks, route, pass, all, call);
    if (route.is_fused()) return multiply_grouped(tasks, all, call);
    begin_pass(pass, tasks.front().problem, call);
    for (std::size_t i = 0; i < all.size(); ++i) {
        cuda::call_scope own(call.device(), call.stream());
        multiply_and_pass(tasks[i], route, pass, all[i].data, own);
    }
}

core::operands strided_operands::at(const core::problem& p, std::size_t i) const {
    const auto moved = [&](auto* data, std::int64_t apart, dtype type) {
        const auto bytes = apart * static_cast<std::int64_t>(size_bytes(type));
        using byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(data)>>,
                                        const std::byte, std::byte>;
        return static_cast<decltype(data)>(static_cast<byte*>(data) +
                                           static_cast<std::int64_t>(i) * bytes);
    };
    return {.a = moved(first.a, a, p.a_type),
            .b = moved(first.b, b, p.b_type),
            .c = moved(first.c, c, p.c_type),
            .e = first.e == nullptr ? nullptr : moved(first.e, e, p.c_type)};
}

void finish_sums(const place& where, const detail::erased_matrix& sums,
                 const detail::erased_matrix* e, const detail::erased_matrix& c,
                 const detail::epilogue_steps& steps) {
    check_steps(steps);
    if (c.rows == 0 || c.cols == 0) return;
    const auto layout_of = [](const detail::erased_matrix& m) {
        return core::layout{m.row_stride, m.col_stride};
    };
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope call(where.device, where.stream);
    const epilogue_kernel last{
        static_cast<std::int64_t>(c.rows),
        static_cast<std::int64_t>(c.cols),
        sums.type,
        {sums.data, layout_of(sums)},
        c.type,
        c.data,
        layout_of(c),
        {e == nullptr ? nullptr : e->data, e == nullptr ? core::layout{} : layout_of(*e)},
        e == nullptr ? 0 : e->factor,
        std::span(steps.at).first(steps.count)};
    begin_pass(post_pass(&steps), {}, call);
    load(last);
    start(last, call.stream());
}

void multiply(const place& where, const product& it, std::span<const core::operands> all) {
    multiply_many(where, it, all);
}

void multiply(const place& where, const product& it, const strided_operands& all) {
    multiply_many(where, it, all);
}

}  // namespace carat::cuda_call
