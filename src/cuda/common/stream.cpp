#include <map>
#include <mutex>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scope.hpp"

namespace carat::cuda {

// Kept until the process ends and then left to the driver: the runtime may be gone before static
// objects are, and must not be called then.
CUstream_st* stream_of(int device) {
    require(device);
    static std::mutex guard;
    static auto& streams = *new std::map<int, unique_stream>;
    const std::scoped_lock lock(guard);
    unique_stream& own = streams[device];
    if (own == nullptr) {
        CARAT_CUDA_CHECK(cudaSetDevice(device));
        own = make_stream();
    }
    return own.get();
}

cudaStream_t stream_in_use() {
    if (const call_scope* call = call_scope::innermost()) return call->stream();
    const int device = device_in_use();
    cudaStream_t stream = stream_of(device);
    CARAT_CUDA_CHECK(cudaSetDevice(device));
    return stream;
}

}  // namespace carat::cuda
