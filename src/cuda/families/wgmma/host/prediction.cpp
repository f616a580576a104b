// How long this product should take here, from its own plan.
#include "core/dtype_traits.hpp"
#include "core/swap_ab.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/families/wgmma/host/gemm.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "plan/gemm_cost.hpp"
#include "plan/gemm_prediction.hpp"

namespace carat::cuda::wgmma {

std::optional<core::gpu_prediction> gemm::predicted(const core::roofline_rates& here) const {
    if (is_glu_) return std::nullopt;
    const bool swap = plan_.swap_ab;
    const core::operand_alignment read{!a_.packed(), !b_.packed()};
    plan::gemm_request of = request_for({.problem = swap ? core::swapped(problem_) : problem_,
                                         .arithmetic = arithmetic_,
                                         .aligned = swap ? read.swapped() : read,
                                         .products = swap ? products_.swapped() : products_});
    of.sms = sms_;
    const plan::gemm_plan with{.kernel = kernel_->desc,
                               .swap_ab = swap,
                               .split_k = plan_.split_k,
                               .cluster_m = plan_.cluster_m,
                               .cluster_n = plan_.cluster_n,
                               .ctas_per_sm = plan_.ctas_per_sm};
    const plan::gpu_costs costs = plan::costs_at(costs_in_use(), here.memory_gb_per_s * 1e9);
    plan::launch_work work = plan::work_of(plan::candidate_of(with, of), of, costs);
    work.ahead_s = plan::seconds_of(of.packing, costs.packing);
    const double stored = static_cast<double>(
        core::bytes_of(problem_.c_type, problem_.m * problem_.n * products_.count));
    return plan::predict({.kind = std::string(core::kernel_name::name_of(desc().schedule)),
                          .unit = "tensor cores",
                          .stored_bytes = stored,
                          .packed_bytes = of.packing.lines + of.packing.columns},
                         work, plan::sharing_of(desc(), costs), here);
}

}  // namespace carat::cuda::wgmma
