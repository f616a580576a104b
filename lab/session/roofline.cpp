#include "lab/session/roofline.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lab/gpu/roofline.hpp"
#include "lab/machine/roofline.hpp"

namespace carat::session {

void fill_roofline(results::result& c, const known_limits& limits, const rows::operation& all,
                   std::int64_t rotating_bytes) {
    std::optional<machine::roof> roof;
    if (c.on_cpu())
        roof = machine::roofline(limits.cpu, all, c.threads_used, limits.machine.isa_in_use,
                                 rotating_bytes);
    else if (limits.gpu != nullptr)
        roof = gpu::roofline(*limits.gpu, all, c.computes_in, rotating_bytes);
    if (!roof) return;
    c.roofline_gflops = roof->gflops;
    c.bound = roof->bound;
}

std::string exceeded_limit(const results::result& c, const known_limits& limits,
                           const rows::operation& all, std::int64_t rotating_bytes) {
    if (c.trials_s.empty()) return {};
    std::vector<double> fastest = c.trials_s;
    const auto nth = fastest.begin() + static_cast<std::ptrdiff_t>((fastest.size() - 1) / 20);
    std::ranges::nth_element(fastest, nth);
    const double best = c.flop / *nth / 1e9;
    if (c.on_cpu())
        return machine::exceeded_limit(limits.cpu, all, c.threads_used, rotating_bytes, best);
    if (limits.gpu == nullptr) return {};
    return gpu::exceeded_limit(*limits.gpu, all, c.computes_in, rotating_bytes, best);
}

}  // namespace carat::session
