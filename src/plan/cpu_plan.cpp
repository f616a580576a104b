#include "plan/cpu_plan.hpp"

#include <algorithm>
#include <sstream>

namespace carat::plan {

namespace {

// Below this many multiplications (161^3) operands stay in L2 and are read where they lie: measured
// on a Zen 5 with AVX-512, 115 to 128 of 135 GFLOP/s from 64^3 to 192^3, and 94 to 118 with
// packing.
constexpr double direct_limit = 1 << 22;

// The same (32^3) where elements at consecutive depths compete for the same sets of the caches.
constexpr double direct_limit_of_conflicts = 1 << 15;

// A thread must have at least this many multiplications, 20 to 40 us, to be worth waking.
constexpr double least_per_thread = 1 << 21;

double multiplications(const request& r) {
    return static_cast<double>(r.m) * static_cast<double>(r.n) * static_cast<double>(r.k);
}

bool direct_is_best(const request& r) {
    const bool asked_for_blocks = r.wanted.mc != 0 || r.wanted.nc != 0 || r.wanted.kc != 0;
    if (!r.same_types || (asked_for_blocks && r.k != 0)) return false;
    return multiplications(r) < (r.conflicting_steps ? direct_limit_of_conflicts : direct_limit);
}

// kc so that a strip of B takes half of L1, mc so that a block of A takes half of L2, nc so that a
// panel of B takes half of a core's L3; each then cut evenly into the extent it divides.
blocking choose_blocks(const cpu_plan& plan, const request& r, const kernel_shape& kernel,
                       const machine& on) {
    const std::int64_t bytes = kernel.element_bytes;
    const blocking& wanted = r.wanted;
    const std::int64_t most_kc =
        wanted.kc != 0 ? wanted.kc
                       : std::clamp<std::int64_t>(on.l1_bytes / 2 / (kernel.nr * bytes), 64, 512);
    blocking chosen;
    chosen.kc = balanced(r.k, most_kc, 1);
    const std::int64_t most_mc = wanted.mc != 0 ? wanted.mc : on.l2_bytes / 2 / (chosen.kc * bytes);
    const std::int64_t most_nc = wanted.nc != 0 ? wanted.nc : on.l3_bytes / 2 / (chosen.kc * bytes);
    chosen.mc = balanced(ceil_div(r.m, plan.threads_m), most_mc, kernel.mr);
    chosen.nc = balanced(ceil_div(r.n, plan.threads_n), most_nc, kernel.nr);
    return chosen;
}

}  // namespace

std::int64_t balanced(std::int64_t total, std::int64_t most, std::int64_t unit) {
    const std::int64_t limit = std::max(unit, most / unit * unit);
    const std::int64_t parts = std::max<std::int64_t>(1, ceil_div(total, limit));
    return std::max<std::int64_t>(1, ceil_div(ceil_div(total, parts), unit)) * unit;
}

grid choose_grid(const request& r, int mr, int nr, const grid_costs& costs) {
    const double by_work = multiplications(r) / costs.least_per_thread;
    const int most = static_cast<int>(
        std::clamp(by_work, 1.0, static_cast<double>(std::max(1, r.most_threads))));
    const std::int64_t strips_m = ceil_div(r.m, mr);
    const std::int64_t strips_n = ceil_div(r.n, nr);
    grid chosen;
    double best = 0;
    for (int tm = 1; tm <= most; ++tm) {
        for (int tn = 1; tm * tn <= most; ++tn) {
            if (tm > strips_m || tn > strips_n) break;
            const double rows = static_cast<double>(ceil_div(strips_m, tm) * mr);
            const double cols = static_cast<double>(ceil_div(strips_n, tn) * nr);
            const double cost = rows * cols + costs.packing_a * rows + costs.packing_b * cols;
            if (best != 0 && cost >= best) continue;
            best = cost;
            chosen = {tm, tn};
        }
    }
    return chosen;
}

cpu_plan make_cpu_plan(const request& wanted, const kernel_shape& kernel, const machine& on) {
    cpu_plan plan;
    if (direct_is_best(wanted)) return plan;
    plan.how = path::blocked;
    // Packing an element costs about as much as 8 multiplications.
    const grid threads = choose_grid(wanted, kernel.mr, kernel.nr, {least_per_thread, 8, 8});
    plan.threads_m = threads.m;
    plan.threads_n = threads.n;
    plan.blocks = choose_blocks(plan, wanted, kernel, on);
    return plan;
}

std::string explain(const cpu_plan& plan, const request& wanted, const kernel_shape& kernel,
                    const machine& on) {
    std::ostringstream text;
    text << wanted.m << " x " << wanted.n << " x " << wanted.k << " with " << kernel.name << " (a "
         << kernel.mr << " x " << kernel.nr << " tile of C in registers)\n";
    if (plan.how == path::direct) {
        text << "direct: too small for packing or threads to pay; nothing is allocated\n";
        return text.str();
    }
    const auto kib = [&](std::int64_t a, std::int64_t b) {
        return std::to_string(a * b * kernel.element_bytes / 1024) + " KiB";
    };
    const blocking& b = plan.blocks;
    text << "blocks of A " << b.mc << " x " << b.kc << ", " << kib(b.mc, b.kc) << " of "
         << on.l2_bytes / 1024 << " KiB of L2\n"
         << "panels of B " << b.kc << " x " << b.nc << ", " << kib(b.kc, b.nc) << " of "
         << on.l3_bytes / 1024 << " KiB of L3 a core\n"
         << "strips of B " << b.kc << " x " << kernel.nr << ", " << kib(b.kc, kernel.nr) << " of "
         << on.l1_bytes / 1024 << " KiB of L1\n"
         << plan.threads() << " of " << wanted.most_threads << " threads, as " << plan.threads_m
         << " x " << plan.threads_n << " rectangles of C\n";
    return text.str();
}

}  // namespace carat::plan
