// What the threads of a comparison found, collected by atomics: few, since a right C has no
// findings.
#pragma once

#include <cstdint>
#include <cstring>

#include "cuda/common/handles.hpp"

namespace carat::gpu {

struct found_on_device {
    unsigned long long wrong;
    unsigned long long first;          // i x N + j
    unsigned long long largest_error;  // bits of a double, which order as positive numbers do
    unsigned long long largest_in_units;

#if defined(__CUDACC__)
    static __device__ unsigned long long bits_of(double error) {
        const double magnitude = fabs(error);
        return static_cast<unsigned long long>(__double_as_longlong(
            magnitude == magnitude ? magnitude : __longlong_as_double(0x7ff0000000000000)));
    }
    __device__ void add(std::int64_t index, double error) {
        atomicAdd(&wrong, 1ull);
        atomicMin(&first, static_cast<unsigned long long>(index));
        atomicMax(&largest_error, bits_of(error));
    }
#endif
};

struct found_on_host {
    std::int64_t wrong = 0;
    std::int64_t first = -1;
    double largest_error = 0;
    double largest_in_units = 0;
};

class found_memory {
  public:
    found_memory() : memory_(cuda::allocate(sizeof(found_on_device))) {
        const found_on_device nothing{0, ~0ull, 0, 0};
        CARAT_CUDA_CHECK(cudaMemcpyAsync(memory_.get(), &nothing, sizeof(nothing),
                                         cudaMemcpyHostToDevice, cuda::stream_in_use()));
        CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
    }
    [[nodiscard]] found_on_device* on_device() const {
        return static_cast<found_on_device*>(memory_.get());
    }
    /// Waits for the stream in use.
    [[nodiscard]] found_on_host read() const {
        found_on_device found{};
        CARAT_CUDA_CHECK(cudaMemcpyAsync(&found, memory_.get(), sizeof(found),
                                         cudaMemcpyDeviceToHost, cuda::stream_in_use()));
        CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
        found_on_host out;
        out.wrong = static_cast<std::int64_t>(found.wrong);
        if (out.wrong > 0) out.first = static_cast<std::int64_t>(found.first);
        std::memcpy(&out.largest_error, &found.largest_error, sizeof(double));
        std::memcpy(&out.largest_in_units, &found.largest_in_units, sizeof(double));
        return out;
    }

  private:
    cuda::device_memory memory_;
};

}  // namespace carat::gpu
