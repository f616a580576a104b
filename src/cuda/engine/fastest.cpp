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

namespace carat::gpu_engine {

namespace {

using made_ready = std::unique_ptr<const cuda::gemm_product>;

class fastest {
  public:
    explicit fastest(const core::gpu_call& call) : call_(call) {}

    // In one launch, or, of a batch, one after the other.
    void try_wgmma() {
        if (!is_on_tensor_cores()) return;
        const cuda::architecture& on = *architecture_in_use();
        const core::gpu_call call = call_for_wgmma(call_, false);
        const plan::gemm_model model{on.kernels, cuda::costs_in_use()};
        plan::gemm_request of = on.request(call);
        of.sms = sms_for_products();
        const double packing = plan::seconds_of(of.packing, model.costs.packing);
        if (const auto with = of.batch > 1 ? plan::plan_batch(of, model) : plan_gemm(of, model))
            return keep(packing + with->seconds,
                        [=, &on] { return on.prepare(call, *with, "from the model"); });
        const auto count = static_cast<double>(of.batch);
        of.batch = 1;
        if (const auto one = plan_gemm(of, model))
            keep(packing + count * std::max(one->seconds, model.costs.host_s),
                 [] { return nullptr; });
    }
    // f32 as it is may stand in for its tf32 or 3xTF32 in a batch.
    void try_fma() {
        const bool may_stand_in = call_.products.count > 1 && call_.epilogue.is_identity() &&
                                  call_.problem.a_type == dtype::f32;
        if (is_on_tensor_cores() && !may_stand_in) return;
        keep(cuda::fma::predicted_s(call_), [this] { return cuda::fma::prepare(call_, {}); });
    }
    void try_in_place() {
        if (!cuda::mma::takes(call_)) return;
        const auto found = cuda::mma::planned(call_);
        keep(found.seconds, [this, found] { return cuda::mma::prepare(call_, found.row); });
    }
    [[nodiscard]] made_ready prepared() const { return prepare_ ? prepare_() : nullptr; }

  private:
    [[nodiscard]] bool is_on_tensor_cores() const {
        return core::is_on_tensor_cores(call_.arithmetic, call_.problem.a_type);
    }
    void keep(double seconds, std::function<made_ready()> prepare) {
        if (seconds >= seconds_) return;
        seconds_ = seconds;
        prepare_ = std::move(prepare);
    }

    const core::gpu_call& call_;
    double seconds_ = std::numeric_limits<double>::infinity();
    std::function<made_ready()> prepare_;
};

}  // namespace

core::gpu_call call_for_wgmma(core::gpu_call call, bool is_asked) {
    constexpr std::int64_t block_of_k_bytes = 128;
    const core::problem& p = call.problem;
    if (core::bytes_of(p.a_type, p.k) <= block_of_k_bytes && !is_asked &&
        call.accumulate() == core::accumulation::promoted)
        call.arithmetic = core::gpu_arithmetic::fast_fp8;
    return call;
}

std::unique_ptr<const cuda::gemm_product> prepare_fastest(const core::gpu_call& call) {
    fastest best(call);
    best.try_wgmma();
    best.try_fma();
    best.try_in_place();
    return best.prepared();
}

}  // namespace carat::gpu_engine
