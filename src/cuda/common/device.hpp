// Which GPUs there are and whether this build can use them. Nothing here needs CUDA's headers, so
// rooms that never launch a kernel can ask too; in a build without CUDA every answer says so.
#pragma once

#include <cstddef>
#include <string>

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace carat::cuda {

/// What a GPU says of itself.
struct device_facts {
    std::string name;
    std::string pci_bus_id;      // "0000:1b:00.0", by which NVML finds the same GPU
    int compute_capability = 0;  // 90 for 9.0
    int multiprocessors = 0;
    int clock_mhz = 0;  // the highest of the multiprocessors
    int memory_clock_mhz = 0;
    double memory_bytes_per_s = 0;  // by that clock and the width of the bus
    std::size_t memory_bytes = 0;
    std::size_t l2_bytes = 0;
    std::size_t shared_bytes_per_multiprocessor = 0;
    std::size_t shared_bytes_per_block = 0;  // the most a kernel may ask for
    int registers_per_multiprocessor = 0;
    int threads_per_multiprocessor = 0;
    int driver_version = 0;   // newest CUDA the driver knows, 13000 for 13.0
    int runtime_version = 0;  // CUDA this build was linked with
};

/// GPUs that the driver offers; 0 where there is none, or no driver.
[[nodiscard]] int device_count();

/// Why this build can't compute on `device`, in one line with the remedy; empty when it can. Found
/// out once a device and kept, but for a want of memory.
[[nodiscard]] std::string unavailable(int device);

/// @throws carat::error(unsupported) with the reason unavailable() gives; out_of_memory.
void require(int device);

/// The device that products run on: that of the call the thread is in (scope.hpp), else the one
/// selected last, else the one CARAT_CUDA_DEVICE names, else 0.
[[nodiscard]] int device_in_use();

/// @throws carat::error(unsupported) with the reason unavailable() gives.
void select_device(int device);

/// unavailable(device_in_use()).
[[nodiscard]] std::string unavailable_in_use();

/// @throws carat::error(unsupported) when the device is unavailable.
[[nodiscard]] device_facts describe(int device);

/// The stream of what runs on a GPU outside of calls (scope.hpp), one for each GPU.
/// @throws carat::error(unsupported) when the device is unavailable.
[[nodiscard]] CUstream_st* stream_of(int device);

}  // namespace carat::cuda
