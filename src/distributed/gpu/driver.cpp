#include "distributed/gpu/driver.hpp"

#include <dlfcn.h>

#include <carat/error.hpp>

namespace carat::distributed::gpu {

namespace {

struct opened {
    functions call{};
    std::string why_not;
};

opened open() {
    opened all;
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        all.why_not = "no NVIDIA driver here (libcuda.so.1)";
        return all;
    }
    const auto take = [&](auto*& function, const char* symbol) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
        if (function == nullptr && all.why_not.empty())
            all.why_not =
                std::string("the NVIDIA driver has no ") + symbol + ": install a newer one";
    };
    functions& f = all.call;
    take(f.init, "cuInit");
    take(f.device_count, "cuDeviceGetCount");
    take(f.device_get, "cuDeviceGet");
    take(f.retain_context, "cuDevicePrimaryCtxRetain");
    take(f.set_context, "cuCtxSetCurrent");
    take(f.enable_peer, "cuCtxEnablePeerAccess");
    take(f.allocate, "cuMemAlloc_v2");
    take(f.release, "cuMemFree_v2");
    take(f.stream_create, "cuStreamCreate");
    take(f.stream_create_with_priority, "cuStreamCreateWithPriority");
    take(f.stream_destroy, "cuStreamDestroy_v2");
    take(f.stream_wait, "cuStreamSynchronize");
    take(f.stream_query, "cuStreamQuery");
    take(f.event_create, "cuEventCreate");
    take(f.event_destroy, "cuEventDestroy_v2");
    take(f.event_record, "cuEventRecord");
    take(f.event_wait, "cuEventSynchronize");
    take(f.event_elapsed_ms, "cuEventElapsedTime");
    take(f.stream_wait_event, "cuStreamWaitEvent");
    take(f.copy_2d_async, "cuMemcpy2DAsync_v2");
    take(f.copy_async, "cuMemcpyDtoDAsync_v2");
    take(f.copy_peer_async, "cuMemcpyPeerAsync");
    take(f.upload, "cuMemcpyHtoD_v2");
    take(f.download, "cuMemcpyDtoH_v2");
    take(f.fill_async, "cuMemsetD8Async");
    take(f.error_text, "cuGetErrorString");
    if (all.why_not.empty() && f.init(0) != 0) all.why_not = "the NVIDIA driver finds no GPU";
    return all;
}

}  // namespace

const functions& driver() {
    static const opened all = open();
    if (!all.why_not.empty())
        throw error(error_code::unsupported, "distributed product: " + all.why_not);
    return all.call;
}

void check(status result, const char* call) {
    if (result == 0) return;
    constexpr status out_of_memory = 2;
    const char* text = nullptr;
    driver().error_text(result, &text);
    throw error(result == out_of_memory ? error_code::out_of_memory : error_code::device_failed,
                std::string("distributed product: ") + call +
                    " failed: " + (text != nullptr ? text : "error " + std::to_string(result)));
}

void upload(device_pointer to, const void* from, std::size_t bytes) {
    check(driver().upload(to, from, bytes), "cuMemcpyHtoD");
    check(driver().stream_wait(nullptr), "cuStreamSynchronize");
}

int device_count() {
    int count = 0;
    check(driver().device_count(&count), "cuDeviceGetCount");
    return count;
}

context use_device(int device) {
    int handle = 0;
    context found = nullptr;
    check(driver().device_get(&handle, device), "cuDeviceGet");
    check(driver().retain_context(&found, handle), "cuDevicePrimaryCtxRetain");
    check(driver().set_context(found), "cuCtxSetCurrent");
    return found;
}

}  // namespace carat::distributed::gpu
