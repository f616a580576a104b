#include <algorithm>

#include "plan/gpu_costs.hpp"

namespace carat::plan {

double seconds_of(const packed_first& packing, const packing_costs& costs) {
    const double all = packing.lines + packing.columns;
    if (all == 0) return 0;
    return (packing.columns > 0 ? costs.transposing_launch_s : costs.launch_s) +
           packing.lines / costs.bytes_per_s + packing.columns / costs.transposed_bytes_per_s +
           std::max(0.0, all - costs.l2_bytes) / costs.memory_bytes_per_s;
}

}  // namespace carat::plan
