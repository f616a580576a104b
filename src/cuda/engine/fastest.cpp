#include "cuda/engine/fastest.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "core/dtype_traits.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/engine/architectures.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/mma/product.hpp"

namespace carat::cuda::engine {

namespace {

class fastest {
  public:
    explicit fastest(const request& wanted) : wanted_(wanted) {
        task_ = {wanted.problem, core::accumulation::native, wanted.fusion, wanted.aligned,
                 wanted.batch};
    }

    // In one launch, or, of a batch, one after the other.
    void try_wgmma() {
        if (!is_on_tensor_cores(wanted_.how, wanted_.problem.a_type)) return;
        const architecture& on = *architecture_in_use();
        const gemm_task task = task_for_wgmma(wanted_, false);
        const plan::gemm_model model{on.kernels, costs_in_use()};
        plan::gemm_request of = on.request(task);
        of.sms = sms_for_products();
        const double packing = plan::seconds_of(of.packing, model.costs.packing);
        if (const auto with = of.batch > 1 ? plan::plan_batch(of, model) : plan_gemm(of, model))
            return keep(packing + with->seconds,
                        [=, &on] { return on.prepare(task, *with, "from the model"); });
        const auto count = static_cast<double>(of.batch);
        of.batch = 1;
        if (const auto one = plan_gemm(of, model))
            keep(packing + count * std::max(one->seconds, model.costs.host_s),
                 [] { return nullptr; });
    }
    // f32 as it is may stand in for its tf32 or 3xTF32 in a batch.
    void try_fma() {
        const bool is_own = !is_on_tensor_cores(wanted_.how, wanted_.problem.a_type);
        const bool may_stand_in = wanted_.batch.count > 1 && wanted_.fusion.is_identity() &&
                                  wanted_.problem.a_type == dtype::f32;
        if (!is_own && !may_stand_in) return;
        keep(fma::predicted_s(task_), [this] { return fma::prepare(task_, {}); });
    }
    void try_in_place() {
        if (wanted_.how != arithmetic::native && wanted_.how != arithmetic::tf32) return;
        const auto how =
            wanted_.how == arithmetic::tf32 ? mma::arithmetic::tf32 : mma::arithmetic::own;
        if (!mma::takes(task_, how)) return;
        keep(mma::predicted_s(task_, how), [this, how] { return mma::prepare(task_, how); });
    }
    [[nodiscard]] std::unique_ptr<const gemm_product> prepared() const {
        return prepare_ ? prepare_() : nullptr;
    }

  private:
    void keep(double seconds, std::function<std::unique_ptr<const gemm_product>()> prepare) {
        if (seconds >= seconds_) return;
        seconds_ = seconds;
        prepare_ = std::move(prepare);
    }

    const request& wanted_;
    gemm_task task_;
    double seconds_ = std::numeric_limits<double>::infinity();
    std::function<std::unique_ptr<const gemm_product>()> prepare_;
};

}  // namespace

// One block of K is summed alike, promoted afterwards or not, and kernels that don't promote it
// have registers for more tiles on an SM. What is asked for is one of the arithmetic's own kernels.
gemm_task task_for_wgmma(const request& wanted, bool is_asked) {
    constexpr std::int64_t block_of_k_bytes = 128;
    const core::problem& p = wanted.problem;
    core::accumulation sums = accumulation_for(wanted.how, p.a_type);
    if (core::bytes_of(p.a_type, p.k) <= block_of_k_bytes && !is_asked &&
        sums == core::accumulation::promoted)
        sums = core::accumulation::native;
    return {p, sums, wanted.fusion, wanted.aligned, wanted.batch};
}

std::unique_ptr<const gemm_product> prepare_fastest(const request& wanted) {
    fastest best(wanted);
    best.try_wgmma();
    best.try_fma();
    best.try_in_place();
    return best.prepared();
}

}  // namespace carat::cuda::engine
