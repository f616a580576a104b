// Lines that begin anywhere, read 16 aligned bytes at a time: two of these have what is wanted
// between them.
#pragma once

#include <cuda_runtime_api.h>

namespace carat::cuda {

// The 16 bytes that begin `first` bytes into those of `low`, and go on into those of `high`.
__device__ __forceinline__ uint4 between(uint4 low, uint4 high, unsigned first) {
    if (first & 8) low = {low.z, low.w, high.x, high.y}, high = {high.z, high.w, 0, 0};
    if (first & 4) low = {low.y, low.z, low.w, high.x}, high.x = high.y;
    const unsigned bits = first % 4 * 8;
    return {__funnelshift_r(low.x, low.y, bits), __funnelshift_r(low.y, low.z, bits),
            __funnelshift_r(low.z, low.w, bits), __funnelshift_r(low.w, high.x, bits)};
}

}  // namespace carat::cuda
