#include "lab/session/roofline.hpp"

#include <algorithm>

#include "lab/gpu/roofline.hpp"
#include "lab/machine/roofline.hpp"

namespace carat::session {

namespace {

bool on_cpu(const results::result& c) {
    return c.device == core::name(core::device::cpu);
}

}  // namespace

void fill_roofline(results::result& c, const known_limits& limits, const core::operation& all,
                   std::int64_t rotating_bytes) {
    std::optional<machine::roof> roof;
    if (on_cpu(c))
        roof = machine::roofline(limits.machine, limits.cpu, all, c.threads);
    else if (limits.gpu != nullptr)
        roof = gpu::roofline(*limits.gpu, all, c.computes_in, rotating_bytes);
    if (!roof) return;
    c.roofline_gflops = roof->gflops;
    c.bound = roof->bound;
}

bool above_peak(const results::result& c, const known_limits& limits, dtype type) {
    if (c.trials_s.empty()) return false;
    const double best = c.flop / *std::ranges::min_element(c.trials_s) / 1e9;
    if (on_cpu(c)) return machine::above_peak(limits.cpu, type, c.threads, best);
    return limits.gpu != nullptr && gpu::above_peak(limits.gpu->limits, type, c.computes_in, best);
}

}  // namespace carat::session
