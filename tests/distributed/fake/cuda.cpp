// A driver whose GPUs are host memory: the functions of src/distributed/gpu/driver.hpp, which do
// everything at once and end the program at what a real driver would refuse or misunderstand.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int gpus = 4;
constexpr unsigned living = 0x1517;

// Work that never ends, as a message that doesn't arrive, makes a stream stuck; the fake NCCL sets
// the flag at its address, and clears it where the communicator is aborted.
struct stream {
    bool is_stuck = false;
    const stream* waits_for = nullptr;  // what was stuck when this one began to wait

    [[nodiscard]] bool stuck() const {
        return is_stuck || (waits_for != nullptr && waits_for->is_stuck);
    }
};

struct event {
    unsigned state = living;
    bool recorded = false;
    const stream* on = nullptr;
};

char contexts[gpus];
thread_local void* current = nullptr;
thread_local bool busy = false;  // the calling thread has started work and not waited for it

// What was uploaded is there when the default stream is waited for. A real driver may be as late.
struct uploaded {
    std::uintptr_t to;
    std::vector<char> bytes;
};
thread_local std::vector<uploaded> late;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fake driver: %s\n", what);
    std::abort();
}

event& known(void* e) {
    require(e != nullptr && static_cast<event*>(e)->state == living, "an event that is no more");
    return *static_cast<event*>(e);
}

void* at(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);  // NOLINT
}

struct copy {
    std::size_t src_x, src_y;
    int src_kind;
    const void* src_host;
    std::uintptr_t src;
    void* src_array;
    std::size_t src_pitch, dst_x, dst_y;
    int dst_kind;
    void* dst_host;
    std::uintptr_t dst;
    void* dst_array;
    std::size_t dst_pitch, width, height;
};

void land() {
    for (const uploaded& u : late) std::memcpy(at(u.to), u.bytes.data(), u.bytes.size());
    late.clear();
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) int

FAKE cuInit(unsigned) {
    return 0;
}
FAKE cuDeviceGetCount(int* count) {
    *count = gpus;
    return 0;
}
FAKE cuDeviceGet(int* handle, int device) {
    *handle = device;
    return device < gpus ? 0 : 101;
}
FAKE cuDevicePrimaryCtxRetain(void** found, int device) {
    *found = &contexts[device];
    return 0;
}
FAKE cuCtxSetCurrent(void* context) {
    current = context;
    return 0;
}
FAKE cuCtxEnablePeerAccess(void* other, unsigned) {
    require(other != current, "a GPU is no peer of its own");
    return 704;  // already
}
FAKE cuMemAlloc_v2(std::uintptr_t* address, std::size_t bytes) {
    require(current != nullptr && bytes > 0, "memory for no context, or none");
    *address = reinterpret_cast<std::uintptr_t>(std::malloc(bytes));
    return 0;
}
FAKE cuMemFree_v2(std::uintptr_t address) {
    require(!busy, "memory freed while work may still use it");
    std::free(at(address));
    return 0;
}
FAKE cuStreamCreate(void** made, unsigned) {
    require(current != nullptr, "a stream of no context");
    *made = new stream;
    return 0;
}
FAKE cuStreamCreateWithPriority(void** made, unsigned flags, int) {
    return cuStreamCreate(made, flags);
}
FAKE cuStreamDestroy_v2(void*) {
    return 0;  // kept, since other streams may wait for it
}
FAKE cuStreamSynchronize(void* on) {
    require(on == nullptr || !static_cast<stream*>(on)->stuck(), "it would wait forever");
    if (on == nullptr) land();
    busy = false;
    return 0;
}
FAKE cuStreamQuery(void* on) {
    if (on != nullptr && static_cast<stream*>(on)->stuck()) return 600;  // not ready
    busy = false;
    return 0;
}
FAKE cuEventCreate(void** made, unsigned) {
    *made = new event;
    return 0;
}
FAKE cuEventDestroy_v2(void* e) {
    known(e).state = 0;  // kept, so that a later use is noticed
    return 0;
}
FAKE cuEventRecord(void* e, void* on) {
    known(e).recorded = true;
    known(e).on = static_cast<stream*>(on);
    return 0;
}
FAKE cuEventSynchronize(void*) {
    return 0;
}
FAKE cuEventElapsedTime(float* ms, void*, void*) {
    *ms = 1;
    return 0;
}
FAKE cuStreamWaitEvent(void* which, void* e, unsigned) {
    require(known(e).recorded, "a wait for an event that was not recorded is none");
    const stream* const on = known(e).on;
    if (which != nullptr && on != nullptr && on->is_stuck)
        static_cast<stream*>(which)->waits_for = on;
    return 0;
}
FAKE cuMemcpy2DAsync_v2(const copy* c, void*) {
    busy = true;
    require(c->src_kind == 2 && c->dst_kind == 2, "a copy that is not between GPU memories");
    require(c->src_pitch >= c->width && c->dst_pitch >= c->width, "a pitch below the width");
    for (std::size_t i = 0; i < c->height; ++i)
        std::memcpy(at(c->dst + i * c->dst_pitch), at(c->src + i * c->src_pitch), c->width);
    return 0;
}
FAKE cuMemcpyDtoDAsync_v2(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void*) {
    busy = true;
    std::memcpy(at(to), at(from), bytes);
    return 0;
}
FAKE cuMemcpyPeerAsync(std::uintptr_t to, void* to_context, std::uintptr_t from, void* from_context,
                       std::size_t bytes, void*) {
    busy = true;
    require(to_context == current && from_context != current, "contexts of a copy between GPUs");
    std::memcpy(at(to), at(from), bytes);
    return 0;
}
FAKE cuMemcpyHtoD_v2(std::uintptr_t to, const void* from, std::size_t bytes) {
    const char* const begin = static_cast<const char*>(from);
    late.push_back({to, {begin, begin + bytes}});
    return 0;
}
FAKE cuMemcpyDtoH_v2(void* to, std::uintptr_t from, std::size_t bytes) {
    land();
    std::memcpy(to, at(from), bytes);
    return 0;
}
FAKE cuMemsetD8Async(std::uintptr_t to, unsigned char value, std::size_t bytes, void*) {
    busy = true;
    std::memset(at(to), value, bytes);
    return 0;
}
FAKE cuGetErrorString(int, const char** text) {
    *text = "an error of the fake driver";
    return 0;
}
