#include "plan/gpu_plan.hpp"

namespace carat::plan {

std::string text_of(const gpu_plan& plan) {
    const auto number = [](int x) { return std::to_string(x); };
    std::string text(plan.family);
    if (plan.block_m != 0)
        text += ": tiles of " + number(plan.block_m) + " x " + number(plan.block_n);
    if (!plan.schedule.empty()) text += ", " + std::string(plan.schedule);
    if (plan.swap_ab) text += ", A and B swapped";
    if (plan.split_k > 1) text += ", K in " + number(plan.split_k) + " parts";
    if (plan.cluster_k > 1) text += ", " + number(plan.cluster_k) + " in a cluster";
    const auto multicast = [&](const char* what, int ctas) {
        if (ctas > 1) text += std::string(what) + " multicast to " + number(ctas) + " CTAs";
    };
    multicast(", A", plan.cluster_n);
    multicast(", B", plan.cluster_m);
    if (plan.packs_a || plan.packs_b)
        text += plan.packs_a && plan.packs_b ? ", A and B packed"
                : plan.packs_a               ? ", A packed"
                                             : ", B packed";
    return text;
}

}  // namespace carat::plan
