// A GPU's memory and streams, using only the CUDA runtime.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <stdexcept>

namespace carat::fuzz {

// There was too little memory for the fuzzer itself.
struct no_device_memory : std::runtime_error {
    using runtime_error::runtime_error;
};

// Throws std::runtime_error, or no_device_memory.
void must(cudaError_t status, const char* what);

// The kinds of memory that a GPU can read: cudaMalloc, cudaMallocAsync, cudaMallocManaged, or
// cudaHostAlloc on the host.
enum class memory_kind { of_device, in_order, managed, pinned };

// Memory that grows, or that is allocated and freed in stream order.
class device_bytes {
  public:
    device_bytes() = default;
    device_bytes(const device_bytes&) = delete;
    device_bytes& operator=(const device_bytes&) = delete;
    ~device_bytes();

    std::byte* reserve(std::size_t size_bytes);
    // Has another kind until the next reserve.
    std::byte* reserve(std::size_t size_bytes, memory_kind kind, cudaStream_t stream);
    void upload(const void* from, std::size_t size_bytes, cudaStream_t stream);
    void download(void* to, std::size_t size_bytes, cudaStream_t stream) const;
    void give_back() { release(); }
    [[nodiscard]] std::byte* data() const { return data_; }

  private:
    void release();

    std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
    memory_kind kind_ = memory_kind::of_device;
    cudaStream_t lender_ = nullptr;
};

}  // namespace carat::fuzz
