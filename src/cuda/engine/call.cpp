#include "cuda/engine/call.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <carat/error.hpp>

#include "cuda/common/capture.hpp"
#include "cuda/engine/epilogue_kernel.hpp"
#include "cuda/engine/epilogue_route.hpp"
#include "cuda/engine/many.hpp"
#include "cuda/engine/memory_checks.hpp"
#include "cuda/engine/select.hpp"

namespace carat::gpu_engine {

namespace {

// Products differ in their sizes alone, so small ones need no check once the first has passed.
void check_sizes(const core::gpu_call& call, std::size_t number) {
    constexpr std::int64_t small = 1 << 20;
    const core::problem& p = call.problem;
    if (number > 0 && std::max({p.m, p.n, p.k}) <= small) return;
    if (const std::string why = reason_against(call, settings_for(call)); !why.empty())
        throw error(error_code::unsupported,
                    "on a GPU: product " + std::to_string(number) + ": " + why);
}

void check_group(const core::gpu_call& call, const core::gpu_operands& all,
                 const epilogue_route& route, const cuda::call_scope& scope) {
    const post_pass pass(route.is_fused() ? nullptr : all.steps);
    for (std::size_t i = 0; i < all.sized.size(); ++i) {
        const core::gpu_product& product = all.sized[i];
        const core::gpu_call one = one_of(call, product);
        check_sizes(route.is_fused() ? one : call_for_sums(one, pass, false), i);
        check_memory(product.problem, product.data, scope);
    }
}

void check_places(const core::gpu_call& call, const core::gpu_operands& all,
                  const epilogue_route& route, const cuda::call_scope& scope) {
    using enum core::multiplicity;
    const core::problem& p = call.problem;
    if (call.products.are == sized) return check_group(call, all, route, scope);
    for (const core::operands& data : all.listed) check_memory(p, data, scope);
    if (call.products.are == listed) return;
    check_memory(p, all.first, scope);
    if (call.products.count > 1)
        check_memory(p, operands_at(p, all.first, all.apart, call.products.count - 1), scope);
    check_memory(all.ends, "the array of ends", scope);
}

// The sums of each, and a pass over them.
void multiply_and_pass_over(const core::gpu_call& call, const core::gpu_operands& all,
                            const cuda::bindings& with, const epilogue_route& route,
                            cuda::call_scope& scope) {
    const post_pass pass(all.steps);
    if (call.products.are == core::multiplicity::sized) {
        begin_pass(pass, all.sized.front().problem, scope);
        for (const core::gpu_product& product : all.sized) {
            cuda::call_scope own(scope.device(), scope.stream());
            multiply_and_pass(one_of(call, product), with, route, pass, product.data, own);
        }
        return;
    }
    begin_pass(pass, call.problem, scope);
    for_each(call, all, [&](const core::operands& data) {
        multiply_and_pass(call, with, route, pass, data, scope);
    });
}

}  // namespace

void multiply(int device, CUstream_st* stream, const core::gpu_call& asked,
              const core::gpu_operands& all) {
    core::gpu_call call = asked;
    const epilogue_route route(call, all.steps);
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope scope(device, stream);
    cuda::bindings with{
        .data = all.first, .apart = all.apart, .stream = scope.stream(), .scales = all.scales};
    if (route.is_fused()) route.apply(call, with);
    check_memory(with, scope);
    check_places(call, all, route, scope);
    if (call.products.is_ragged())
        multiply_ragged(call, with, all, route.is_fused(), scope);
    else if (route.is_fused())
        multiply_all(call, with, all, scope);
    else
        multiply_and_pass_over(call, all, with, route, scope);
}

void finish_sums(int device, CUstream_st* stream, const detail::erased_matrix& sums,
                 const detail::erased_matrix* e, const detail::erased_matrix& c,
                 const detail::epilogue_steps& steps) {
    check_steps(steps);
    if (c.rows == 0 || c.cols == 0) return;
    const auto layout_of = [](const detail::erased_matrix& m) {
        return core::layout{m.row_stride, m.col_stride};
    };
    const cuda::unhindered_by_capture loads_kernels;
    cuda::call_scope scope(device, stream);
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
    begin_pass(post_pass(&steps), {}, scope);
    load(last);
    start(last, scope.stream());
}

}  // namespace carat::gpu_engine
