#include "cuda/engine/epilogue_route.hpp"

#include <cstdlib>

#include "cuda/common/error.hpp"
#include "cuda/engine/arithmetic.hpp"
#include "cuda/engine/epilogue_kernel.hpp"
#include "cuda/engine/memory_checks.hpp"
#include "cuda/engine/one_product.hpp"
#include "cuda/engine/select.hpp"

namespace carat::gpu_engine {

namespace {

// False: it is better taken by the pass, and nothing was started.
bool multiply_fused_glu(core::gpu_call call, cuda::bindings with, const epilogue_route& route,
                        cuda::call_scope& scope) {
    if (!route.may_fuse_glu() || !stores_glu(call.problem, with.data)) return false;
    route.apply(call, with);
    return call.multiplies() && multiply_one(call, with, scope);
}

}  // namespace

dtype type_of_sums(const core::problem& p) {
    if (p.a_type == dtype::f64) return dtype::f64;
    return is_byte_integer(p.a_type) ? dtype::i32 : dtype::f32;
}

epilogue_route::epilogue_route(const core::gpu_call& call, const detail::epilogue_steps* steps) {
    if (steps != nullptr) check_steps(*steps);
    const core::problem& p = call.problem;
    const bool have_kernel = core::find_signature(signatures_of(call.arithmetic), p) != nullptr;
    const bool kernels_write = have_kernel || !converts(type_of_sums(p), p.c_type);
    const bool has_steps = steps != nullptr && steps->count > 0;
    if (has_steps && takes_fusion(p)) fusion_ = epilogue_of(*steps);
    const bool is_glu = fusion_ && fusion_->fusion.is_glu;
    is_fused_ = kernels_write && (!has_steps || (fusion_ && !is_glu));
    // Another number of rows may take the other route, which rounds differently.
    may_fuse_glu_ = have_kernel && is_glu && !call.batch_invariant &&
                    call.arithmetic != core::gpu_arithmetic::fp8_blocks;
}

void epilogue_route::apply(core::gpu_call& call, cuda::bindings& with) const {
    if (!fusion_) return;
    call.problem.alpha *= fusion_->factor;
    call.epilogue = cuda::epilogue_of(fusion_->fusion);
    with.fusion = fusion_->fusion;
}

post_pass::post_pass(const detail::epilogue_steps* all) {
    if (all == nullptr) return;
    steps = std::span(all->at).first(all->count);
    for (const detail::epilogue_step& s : steps) {
        is_glu = is_glu || is_gate(s.kind);
        if (s.kind == detail::step_kind::amax) largest = const_cast<void*>(s.values);
    }
}

core::gpu_call call_for_sums(const core::gpu_call& call, const post_pass& last, bool in_c) {
    core::gpu_call sums = call;
    core::problem& p = sums.problem;
    p.c_type = type_of_sums(p);
    p.beta = 0;
    if (last.is_glu) p.n *= 2;
    if (in_c) return sums;
    constexpr std::int64_t unit = 8;  // elements: what a thread of the pass takes at once
    const auto padded = [](std::int64_t length) { return (length + unit - 1) / unit * unit; };
    const core::layout& c = call.problem.c_layout;
    p.c_layout = std::abs(c.row_stride) >= std::abs(c.col_stride) ? core::row_major(padded(p.n))
                                                                  : core::column_major(padded(p.m));
    return sums;
}

void begin_pass(const post_pass& last, const core::problem& p, cuda::call_scope& scope) {
    for (const detail::epilogue_step& s : last.steps)
        check_memory(s.values, "what a step of the epilogue points to", scope);
    if (last.largest != nullptr)
        CARAT_CUDA_CHECK(
            cudaMemsetAsync(last.largest, 0, size_bytes(type_of_sums(p)), scope.stream()));
}

void multiply_and_pass(const core::gpu_call& call, cuda::bindings with, const epilogue_route& route,
                       const post_pass& last, const core::operands& data, cuda::call_scope& scope) {
    with.data = data;
    if (multiply_fused_glu(call, with, route, scope)) return;
    const core::problem& p = call.problem;
    const bool reads_c = p.beta != 0 && data.e == data.c;
    const bool in_c = p.c_type == type_of_sums(p) && !last.is_glu && !reads_c;
    const core::gpu_call product = call_for_sums(call, last, in_c);
    const core::problem& of = product.problem;
    void* sums = data.c;
    if (!in_c) {
        const std::int64_t elements = core::extent_elements(of.m, of.n, of.c_layout);
        sums = scope.lend(&call, static_cast<std::size_t>(elements) * size_bytes(of.c_type));
    }
    const epilogue_kernel over_c{p.m,
                                 p.n,
                                 of.c_type,
                                 {sums, of.c_layout},
                                 p.c_type,
                                 data.c,
                                 p.c_layout,
                                 {data.e, call.e_layout},
                                 data.e == nullptr ? 0 : p.beta,
                                 last.steps};
    load(over_c);  // before anything is in C
    with.data = {.a = data.a, .b = data.b, .c = sums};
    (void)multiply_one(product, with, scope);
    start(over_c, scope.stream());
}

}  // namespace carat::gpu_engine
