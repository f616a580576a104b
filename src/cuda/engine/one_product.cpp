#include "cuda/engine/one_product.hpp"

#include <algorithm>

#include "cuda/common/copy.hpp"
#include "cuda/common/error.hpp"
#include "cuda/engine/select.hpp"

namespace carat::gpu_engine {

namespace {

// Kernels with a second pointer, for what beta multiplies.
bool takes_second(const core::gpu_call& call) {
    return takes_fusion(call.problem) ||
           (!call.epilogue.changes_sums &&
            !core::is_on_tensor_cores(call.arithmetic, call.problem.a_type));
}

}  // namespace

place_of_e place_in(const core::gpu_call& call, const core::operands& data) {
    if (call.problem.beta == 0 || data.e == nullptr) return place_of_e::nowhere;
    if (data.e == data.c) return place_of_e::in_c;
    const bool second = takes_second(call) && call.e_layout == call.problem.c_layout &&
                        (call.multiplies() || !call.epilogue.is_identity());
    return second ? place_of_e::beside_c : place_of_e::elsewhere;
}

void add_residual(core::gpu_call& call, cuda::bindings& with) {
    with.fusion.residual = with.data.e;
    call.epilogue.adds_residual = true;
}

core::gpu_call one_of(const core::gpu_call& all, const core::gpu_product& product) {
    core::gpu_call one = all;
    one.problem = product.problem;
    one.problem.alpha = all.problem.alpha;  // with an epilogue's factor
    one.e_layout = product.e_layout;
    one.products = {};
    return one;
}

// The same lines serve A and B: 16 bytes of K for each row and column, or one k of all.
void multiply_zeros_instead(core::gpu_call& call, cuda::bindings& with, cuda::call_scope& scope,
                            bool across_k) {
    core::problem& p = call.problem;
    if (call.arithmetic == core::gpu_arithmetic::fp8_blocks)
        call.arithmetic = core::gpu_arithmetic::native;
    with.scales = {};
    const auto in_line = static_cast<std::int64_t>(16 / size_bytes(p.a_type));
    const std::int64_t lines = std::max(p.m, p.n);
    const std::int64_t across = (lines + in_line - 1) / in_line * in_line;
    p.k = across_k ? 1 : in_line;
    p.alpha = 1;
    p.a_layout = across_k ? core::layout{1, across} : core::row_major(in_line);
    p.b_layout = across_k ? core::layout{across, 1} : core::column_major(in_line);
    const std::int64_t elements = across_k ? across : lines * in_line;
    const auto bytes = static_cast<std::size_t>(core::bytes_of(p.a_type, elements));
    void* const zeros = scope.lend(&call, bytes);
    CARAT_CUDA_CHECK(cudaMemsetAsync(zeros, 0, bytes, scope.stream()));
    with.data.a = zeros;
    with.data.b = zeros;
}

bool multiply_one(core::gpu_call call, cuda::bindings with, cuda::call_scope& scope) {
    const core::problem& p = call.problem;
    call.products = {};
    const place_of_e e = place_in(call, with.data);
    if (!call.multiplies() && !call.epilogue.is_identity())
        multiply_zeros_instead(call, with, scope);
    if (e == place_of_e::beside_c) add_residual(call, with);
    call.aligned = cuda::alignment_of(with.data);
    const kept_plan& made = plan_for(call, scope.device());
    if (made.is_none()) return false;
    if (e == place_of_e::elsewhere)
        cuda::copy_matrices(p.c_type, p.m, p.n, 1, {with.data.e, call.e_layout},
                            {with.data.c, p.c_layout}, scope.stream());
    (void)made.run(with);
    return true;
}

}  // namespace carat::gpu_engine
