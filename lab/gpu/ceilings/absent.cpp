// The module in a build without CUDA: nothing to measure, and the reason why.
#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "lab/gpu/ceilings/ceilings.hpp"

namespace carat::gpu {

machine::ceilings measure_ceilings(int device, const machine::measure_options&) {
    throw error(error_code::unsupported, cuda::unavailable(device));
}

bool complete(const machine::ceilings&, int) {
    return false;
}

}  // namespace carat::gpu
