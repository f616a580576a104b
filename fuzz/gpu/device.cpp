#include "device.hpp"

#include <algorithm>
#include <string>

namespace carat::fuzz {

void must(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    const std::string text = std::string(what) + ": " + cudaGetErrorString(status);
    static_cast<void>(cudaGetLastError());
    if (status == cudaErrorMemoryAllocation) throw no_device_memory(text);
    throw std::runtime_error(text);
}

device_bytes::~device_bytes() {
    release();
}

void device_bytes::release() {
    if (data_ != nullptr && kind_ == memory_kind::in_order)
        static_cast<void>(cudaFreeAsync(data_, lender_));
    else if (data_ != nullptr && kind_ == memory_kind::pinned)
        static_cast<void>(cudaFreeHost(data_));
    else if (data_ != nullptr)
        static_cast<void>(cudaFree(data_));
    data_ = nullptr;
    size_bytes_ = 0;
    kind_ = memory_kind::of_device;
    lender_ = nullptr;
}

std::byte* device_bytes::reserve(std::size_t size_bytes) {
    if (data_ != nullptr && kind_ == memory_kind::of_device && size_bytes <= size_bytes_)
        return data_;
    release();
    const std::size_t rounded = std::max(size_bytes + size_bytes / 4, std::size_t{1} << 16);
    must(cudaMalloc(reinterpret_cast<void**>(&data_), rounded), "cudaMalloc");
    size_bytes_ = rounded;
    return data_;
}

std::byte* device_bytes::reserve(std::size_t size_bytes, memory_kind kind, cudaStream_t stream) {
    if (kind == memory_kind::of_device) return reserve(size_bytes);
    release();
    size_bytes_ = std::max<std::size_t>(size_bytes, 1);
    void* memory = nullptr;
    if (kind == memory_kind::in_order)
        must(cudaMallocAsync(&memory, size_bytes_, stream), "cudaMallocAsync");
    else if (kind == memory_kind::managed)
        must(cudaMallocManaged(&memory, size_bytes_), "cudaMallocManaged");
    else
        must(cudaHostAlloc(&memory, size_bytes_, cudaHostAllocDefault), "cudaHostAlloc");
    data_ = static_cast<std::byte*>(memory);
    kind_ = kind;
    lender_ = stream;
    return data_;
}

void device_bytes::upload(const void* from, std::size_t size_bytes, cudaStream_t stream) {
    reserve(size_bytes);
    must(cudaMemcpyAsync(data_, from, size_bytes, cudaMemcpyHostToDevice, stream), "upload");
}

void device_bytes::download(void* to, std::size_t size_bytes, cudaStream_t stream) const {
    must(cudaMemcpyAsync(to, data_, size_bytes, cudaMemcpyDeviceToHost, stream), "download");
    must(cudaStreamSynchronize(stream), "the work on the GPU");
}

}  // namespace carat::fuzz
