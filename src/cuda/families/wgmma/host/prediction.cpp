// How long this product should take here, from its own plan.
#include <limits>

#include "core/dtype_traits.hpp"
#include "core/swap_ab.hpp"
#include "cuda/common/device.hpp"
#include "cuda/families/wgmma/host/architecture.hpp"
#include "cuda/families/wgmma/host/gemm.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "plan/gemm_prediction.hpp"

namespace carat::cuda::wgmma {

namespace {

// What is read and written before the kernel, of its `share` of K.
void add(plan::packed_first& all, const operand& x, double bytes, double share) {
    if (!x.packed()) return;
    const bool as_it_is = x.packed_in_lines(std::numeric_limits<std::int64_t>::max());
    (as_it_is ? all.bytes : all.transposed_bytes) += 2 * bytes * share;
}

// Those that chose the plan.
const plan::gemm_costs& costs_of_device() {
    const bool is_h100 = row_of_h100().runs_on(describe(device_in_use()));
    return (is_h100 ? row_of_h100() : row()).model.costs;
}

}  // namespace

std::optional<core::gpu_prediction> gemm::predicted(const core::gpu_rates& here) const {
    if (is_glu_) return std::nullopt;
    plan::gemm_request of =
        request_for(plan_.swap_ab ? core::swapped(problem_) : problem_, accumulate_);
    of.sms = sms_;
    of.batch = batch_.count;
    const double ahead = packing_.slices() == 0
                             ? 1
                             : 1 - static_cast<double>(packing_.slices_in_kernel()) /
                                       static_cast<double>(packing_.slices());
    const auto bytes = [&](dtype type, std::int64_t lines) {
        return static_cast<double>(core::bytes_of(type, lines * problem_.k * batch_.count));
    };
    plan::packed_first packing;
    add(packing, a_, bytes(problem_.a_type, problem_.m), ahead);
    add(packing, b_, bytes(problem_.b_type, problem_.n), ahead);
    return plan::predict(plan_, of, costs_of_device(), packing, here);
}

}  // namespace carat::cuda::wgmma
