#include "lab/judge/device/channel.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cuda_runtime_api.h>
#include <thread>

namespace {

struct state {
    cudaStream_t stream = nullptr;
    char* live = nullptr;
    char* snapshot = nullptr;
    cudaEvent_t begin = nullptr, calls_end = nullptr, copies_end = nullptr;
    std::atomic<bool> is_open = true;
};

// This is never destroyed: a driver thread may still read it while the process ends.
state& own() {
    static state& one = *new state;
    return one;
}

void note(carat_gpu_channel* channel, const char* what, cudaError_t status) {
    if (status == cudaSuccess || channel->message[0] != '\0') return;
    std::snprintf(channel->message, sizeof channel->message, "%s: %s (%s)", what,
                  cudaGetErrorString(status), cudaGetErrorName(status));
}

cudaIpcMemHandle_t handle_of(const unsigned char* bytes) {
    cudaIpcMemHandle_t handle;
    static_assert(sizeof handle == sizeof carat_gpu_channel::live);
    std::memcpy(&handle, bytes, sizeof handle);
    return handle;
}

// This runs on a thread of the driver, which may not call CUDA.
void CUDART_CB hold(void*) {
    while (!own().is_open) std::this_thread::yield();
}

double seconds_between(carat_gpu_channel* channel, cudaEvent_t first, cudaEvent_t last) {
    float elapsed_ms = 0;
    note(channel, "cudaEventElapsedTime", cudaEventElapsedTime(&elapsed_ms, first, last));
    return 1e-3 * static_cast<double>(elapsed_ms);
}

}  // namespace

void carat_channel_open(carat_gpu_channel* channel, void* stream) {
    state& s = own();
    channel->message[0] = '\0';
    note(channel, "cudaSetDevice", cudaSetDevice(channel->device));
    const auto map = [&](const unsigned char* bytes, char*& to) {
        void* mapped = nullptr;
        note(channel, "the judge's memory can't be opened (cudaIpcOpenMemHandle)",
             cudaIpcOpenMemHandle(&mapped, handle_of(bytes), cudaIpcMemLazyEnablePeerAccess));
        to = static_cast<char*>(mapped);
    };
    map(channel->live, s.live);
    map(channel->snapshot, s.snapshot);
    s.stream = static_cast<cudaStream_t>(stream);
    if (s.stream == nullptr)
        note(channel, "cudaStreamCreate",
             cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&s.begin, &s.calls_end, &s.copies_end})
        note(channel, "cudaEventCreate", cudaEventCreate(event));
    if (channel->message[0] != '\0') return;
    // The first copy loads code, and loading might wait for a held stream.
    carat_channel_copy(channel, 0, 512, 256, 2);
    carat_channel_wait(channel);
}

void* carat_channel_stream() {
    return own().stream;
}

char* carat_channel_memory() {
    return own().live;
}

void carat_channel_hold(carat_gpu_channel* channel) {
    state& s = own();
    channel->message[0] = '\0';
    channel->calls_s = channel->copies_s = channel->late_s = 0;
    s.is_open = false;
    note(channel, "cudaLaunchHostFunc", cudaLaunchHostFunc(s.stream, hold, nullptr));
    note(channel, "cudaEventRecord", cudaEventRecord(s.begin, s.stream));
}

void carat_channel_calls_end(carat_gpu_channel* channel) {
    note(channel, "cudaEventRecord", cudaEventRecord(own().calls_end, own().stream));
}

void carat_channel_copy(carat_gpu_channel* channel, std::int64_t offset, std::int64_t pitch,
                        std::int64_t width, std::int64_t height) {
    const auto size = [](std::int64_t bytes) { return static_cast<std::size_t>(bytes); };
    note(channel, "cudaMemcpy2DAsync",
         cudaMemcpy2DAsync(own().snapshot + offset, size(pitch), own().live + offset, size(pitch),
                           size(width), size(height), cudaMemcpyDeviceToDevice, own().stream));
}

void carat_channel_copies_end(carat_gpu_channel* channel) {
    note(channel, "cudaEventRecord", cudaEventRecord(own().copies_end, own().stream));
}

void carat_channel_release(carat_gpu_channel* channel) {
    state& s = own();
    s.is_open = true;
    carat_channel_wait(channel);
    if (channel->message[0] != '\0') return;
    channel->calls_s = seconds_between(channel, s.begin, s.calls_end);
    channel->copies_s = seconds_between(channel, s.calls_end, s.copies_end);
}

void carat_channel_wait(carat_gpu_channel* channel) {
    note(channel, "its work failed", cudaStreamSynchronize(own().stream));
}

void carat_channel_finish(carat_gpu_channel* channel) {
    using clock = std::chrono::steady_clock;
    const auto began = clock::now();
    note(channel, "it left an error behind", cudaDeviceSynchronize());
    channel->late_s = std::chrono::duration<double>(clock::now() - began).count();
}
