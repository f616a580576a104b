// The module in a build without CUDA: nothing to measure, and the reason why.
#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "lab/gpu/peaks/peaks.hpp"

namespace carat::gpu {

machine::peaks measure_peaks(int device, const machine::measure_options&) {
    throw error(error_code::unsupported, cuda::unavailable(device));
}

bool complete(const machine::peaks&, int) {
    return false;
}

void end_context(int) {}

}  // namespace carat::gpu
