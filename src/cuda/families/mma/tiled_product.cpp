#include "cuda/families/mma/tiled_product.hpp"

#include <utility>

#include "cuda/common/kernel.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::mma {

tiled_product::tiled_product(const core::gpu_call& call, bool swaps, const chosen_kernel& by,
                             int parts, std::string how)
    : call_(call),
      parts_(parts, call.problem, call.products.count),
      swaps_(swaps),
      by_(by),
      how_(std::move(how)),
      facts_(load_kernel(by.of->name, by.of->function, by.of->threads, by.shared_bytes,
                         l1_share::least)) {}

bool tiled_product::run(const bindings& given) const {
    const bindings with = swaps_ ? given.swapped() : given;
    const auto start = [&]<class Sum>(Sum) {
        const auto told = arguments_of<Sum>(call_.problem, by_, with);
        if (!launch_all(by_, parts_.of(told), call_.products, with, swaps_)) return false;
        parts_.add_up(told, with.stream);
        return true;
    };
    if (call_.problem.c_type == dtype::i32) return start(std::int32_t{});
    return call_.problem.c_type == dtype::f64 ? start(double{}) : start(float{});
}

std::vector<core::kernel_facts> tiled_product::kernels() const {
    std::vector<core::kernel_facts> all = {facts_};
    parts_.add_kernels(all);
    return all;
}

core::plan_facts tiled_product::planned() const {
    const core::problem& p = call_.problem;
    const std::int64_t count = call_.products.count;
    const std::int64_t tiles =
        plan::ceil_div(p.m, by_.of->block_m) * plan::ceil_div(p.n, by_.of->block_n) * count;
    core::plan_facts told;
    told.why = "tiles of " + std::to_string(by_.of->block_m) + " x " +
               std::to_string(by_.of->block_n) + how_ + ", " + std::to_string(tiles) +
               " of them for " + std::to_string(count) + (count == 1 ? " product" : " products") +
               parts_.words();
    told.rows = p.m;
    told.cols = p.n;
    return told;
}

}  // namespace carat::cuda::mma
