// Streams, events and device memory that give themselves back.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "cuda/common/error.hpp"

namespace carat::cuda {

namespace detail {

struct destroy {
    void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
    void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
};
struct release {
    void operator()(void* memory) const noexcept { cudaFree(memory); }
};

}  // namespace detail

using unique_stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, detail::destroy>;
using unique_event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, detail::destroy>;
using device_memory = std::unique_ptr<void, detail::release>;

/// A stream that does not wait for the default one.
[[nodiscard]] inline unique_stream make_stream() {
    cudaStream_t stream = nullptr;
    CARAT_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return unique_stream(stream);
}

/// An event that takes the time.
[[nodiscard]] inline unique_event make_event() {
    cudaEvent_t event = nullptr;
    CARAT_CUDA_CHECK(cudaEventCreate(&event));
    return unique_event(event);
}

/// Free memory of the current device.
[[nodiscard]] std::size_t free_bytes();

/// @throws carat::error(out_of_memory) with what was asked for, what for, and what is free.
[[noreturn]] void refuse_memory(std::size_t size_bytes, const std::string& what);

/// Memory of the current device, 256-byte aligned, not cleared.
/// @throws carat::error(out_of_memory).
[[nodiscard]] device_memory allocate(std::size_t size_bytes);

/// The stream on which products run on device_in_use(): that of its space, or within a call
/// (scope.hpp) the caller's.
[[nodiscard]] cudaStream_t stream_in_use();

}  // namespace carat::cuda
