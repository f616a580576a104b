// The few functions of CUDA's driver that moving data between GPUs takes, opened at run time:
// libcuda comes with the driver, so that a build without CUDA has this part, too. Streams, events
// and contexts are those of the CUDA runtime. Names and values are the driver's (cuda.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace carat::distributed::gpu {

using status = int;  // CUresult; 0 is success
using device_pointer = std::uintptr_t;
using stream = void*;  // CUstream, which is a cudaStream_t
using event = void*;
using context = void*;

// CUDA_MEMCPY2D
struct copy_2d {
    std::size_t src_x = 0, src_y = 0;
    int src_kind = 2;  // CU_MEMORYTYPE_DEVICE
    const void* src_host = nullptr;
    device_pointer src = 0;
    void* src_array = nullptr;
    std::size_t src_pitch = 0;
    std::size_t dst_x = 0, dst_y = 0;
    int dst_kind = 2;
    void* dst_host = nullptr;
    device_pointer dst = 0;
    void* dst_array = nullptr;
    std::size_t dst_pitch = 0;
    std::size_t width = 0;
    std::size_t height = 0;
};

struct functions {
    status (*init)(unsigned);
    status (*device_count)(int*);
    status (*device_get)(int*, int);
    status (*retain_context)(context*, int);
    status (*set_context)(context);
    status (*enable_peer)(context, unsigned);
    status (*allocate)(device_pointer*, std::size_t);
    status (*release)(device_pointer);
    status (*stream_create)(stream*, unsigned);
    status (*stream_create_with_priority)(stream*, unsigned, int);
    status (*stream_destroy)(stream);
    status (*stream_wait)(stream);
    status (*stream_query)(stream);
    status (*event_create)(event*, unsigned);
    status (*event_destroy)(event);
    status (*event_record)(event, stream);
    status (*event_wait)(event);
    status (*event_elapsed_ms)(float*, event, event);
    status (*stream_wait_event)(stream, event, unsigned);
    status (*copy_2d_async)(const copy_2d*, stream);
    status (*copy_async)(device_pointer, device_pointer, std::size_t, stream);
    status (*copy_peer_async)(device_pointer, context, device_pointer, context, std::size_t,
                              stream);
    status (*upload)(device_pointer, const void*, std::size_t);
    status (*download)(void*, device_pointer, std::size_t);
    status (*fill_async)(device_pointer, unsigned char, std::size_t, stream);
    status (*error_text)(status, const char**);
};

// Throws carat::error(unsupported) where there is no driver.
[[nodiscard]] const functions& driver();

// Throws carat::error(device_failed), for a lack of memory (out_of_memory), naming the call.
void check(status result, const char* call);

// Returns when the copy has ended. cuMemcpyHtoD may return before, and neither the streams of a
// communicator nor other GPUs wait for the default stream, on which it runs.
void upload(device_pointer to, const void* from, std::size_t bytes);

[[nodiscard]] int device_count();

// Makes a device's primary context, which the CUDA runtime uses, the calling thread's; returns it.
context use_device(int device);

}  // namespace carat::distributed::gpu
