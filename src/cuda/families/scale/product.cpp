#include "cuda/families/scale/product.hpp"

#include "cuda/common/scale.hpp"

namespace carat::cuda::scale {

namespace {

class product final : public gemm_product {
  public:
    explicit product(const core::gpu_call& call) : call_(call) {}
    bool run(const bindings& with) const override {
        if (call_.products.are != core::multiplicity::one) return false;
        scale_c(call_.problem, with.data.c);
        return true;
    }

  private:
    core::gpu_call call_;
};

bool is_for(const core::gpu_call& call) {
    return call.is_degenerate();
}

std::optional<plan::gpu_plan> choose(const core::gpu_call& call, const plan_wish&) {
    if (!call.is_degenerate()) return std::nullopt;
    return plan::gpu_plan{.family = "scale"};  // in no time: nothing else does it
}

std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call, const plan::gpu_plan&) {
    return std::make_unique<product>(call);
}

}  // namespace

const family& row() {
    static constexpr family all = {
        .name = "scale", .is_for = is_for, .choose = choose, .prepare = prepare};
    return all;
}

}  // namespace carat::cuda::scale
