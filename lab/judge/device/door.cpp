#include "lab/judge/device/door.hpp"

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

// Never destroyed: the driver's thread may still look at it while the process ends.
state& own() {
    static state& one = *new state;
    return one;
}

void note(carat_door* door, const char* what, cudaError_t status) {
    if (status == cudaSuccess || door->message[0] != '\0') return;
    std::snprintf(door->message, sizeof door->message, "%s: %s (%s)", what,
                  cudaGetErrorString(status), cudaGetErrorName(status));
}

cudaIpcMemHandle_t handle_of(const unsigned char* bytes) {
    cudaIpcMemHandle_t handle;
    static_assert(sizeof handle == sizeof carat_door::live);
    std::memcpy(&handle, bytes, sizeof handle);
    return handle;
}

// On a thread of the driver's, which may make no call into CUDA.
void CUDART_CB hold(void*) {
    while (!own().is_open) std::this_thread::yield();
}

double seconds_between(carat_door* door, cudaEvent_t first, cudaEvent_t last) {
    float elapsed_ms = 0;
    note(door, "cudaEventElapsedTime", cudaEventElapsedTime(&elapsed_ms, first, last));
    return 1e-3 * static_cast<double>(elapsed_ms);
}

}  // namespace

void carat_door_open(carat_door* door, void* stream) {
    state& s = own();
    door->message[0] = '\0';
    note(door, "cudaSetDevice", cudaSetDevice(door->device));
    const auto map = [&](const unsigned char* bytes, char*& to) {
        void* mapped = nullptr;
        note(door, "the referee's memory can't be opened (cudaIpcOpenMemHandle)",
             cudaIpcOpenMemHandle(&mapped, handle_of(bytes), cudaIpcMemLazyEnablePeerAccess));
        to = static_cast<char*>(mapped);
    };
    map(door->live, s.live);
    map(door->snapshot, s.snapshot);
    s.stream = static_cast<cudaStream_t>(stream);
    if (s.stream == nullptr)
        note(door, "cudaStreamCreate", cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&s.begin, &s.calls_end, &s.copies_end})
        note(door, "cudaEventCreate", cudaEventCreate(event));
    if (door->message[0] != '\0') return;
    // What a first copy loads might wait for a stream that is held.
    carat_door_copy(door, 0, 512, 256, 2);
    carat_door_wait(door);
}

void* carat_door_stream() {
    return own().stream;
}

char* carat_door_memory() {
    return own().live;
}

void carat_door_hold(carat_door* door) {
    state& s = own();
    door->message[0] = '\0';
    door->calls_s = door->copies_s = door->late_s = 0;
    s.is_open = false;
    note(door, "cudaLaunchHostFunc", cudaLaunchHostFunc(s.stream, hold, nullptr));
    note(door, "cudaEventRecord", cudaEventRecord(s.begin, s.stream));
}

void carat_door_calls_end(carat_door* door) {
    note(door, "cudaEventRecord", cudaEventRecord(own().calls_end, own().stream));
}

void carat_door_copy(carat_door* door, std::int64_t offset, std::int64_t pitch, std::int64_t width,
                     std::int64_t height) {
    const auto size = [](std::int64_t bytes) { return static_cast<std::size_t>(bytes); };
    note(door, "cudaMemcpy2DAsync",
         cudaMemcpy2DAsync(own().snapshot + offset, size(pitch), own().live + offset, size(pitch),
                           size(width), size(height), cudaMemcpyDeviceToDevice, own().stream));
}

void carat_door_copies_end(carat_door* door) {
    note(door, "cudaEventRecord", cudaEventRecord(own().copies_end, own().stream));
}

void carat_door_release(carat_door* door) {
    state& s = own();
    s.is_open = true;
    carat_door_wait(door);
    if (door->message[0] != '\0') return;
    door->calls_s = seconds_between(door, s.begin, s.calls_end);
    door->copies_s = seconds_between(door, s.calls_end, s.copies_end);
}

void carat_door_wait(carat_door* door) {
    note(door, "its work failed", cudaStreamSynchronize(own().stream));
}

void carat_door_finish(carat_door* door) {
    using clock = std::chrono::steady_clock;
    const auto began = clock::now();
    note(door, "it left an error behind", cudaDeviceSynchronize());
    door->late_s = std::chrono::duration<double>(clock::now() - began).count();
}
