#include "cuda/common/scope.hpp"

#include <limits>
#include <map>
#include <mutex>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/common/driver.hpp"
#include "cuda/common/handles.hpp"

namespace carat::cuda {

namespace {

thread_local call_scope* innermost_scope = nullptr;

int current() {
    int device = 0;
    // The answer is 0 if there is no driver; unavailable() then says why.
    if (cudaGetDevice(&device) != cudaSuccess) cudaGetLastError();
    return device;
}

// Calls are made by the thousand, and require() takes a lock and a string.
void require_once(int device) {
    static thread_local int known = call_scope::current_device;
    if (device == known) return;
    require(device);
    known = device;
}

// One of our own, which keeps what it was given: the device's default pool gives memory back to the
// system whenever the program waits for the GPU, and the next call would wait for the system.
cudaMemPool_t make_pool(int device) {
    cudaMemPoolProps how{};
    how.allocType = cudaMemAllocationTypePinned;
    how.location = {cudaMemLocationTypeDevice, device};
    cudaMemPool_t pool = nullptr;
    CARAT_CUDA_CHECK(cudaMemPoolCreate(&pool, &how));
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    CARAT_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    return pool;
}

// Left to the driver at the end of the process, like the spaces. Null: none was made yet.
cudaMemPool_t pool_of(int device, bool makes_one = true) {
    static std::mutex guard;
    static auto& pools = *new std::map<int, cudaMemPool_t>;
    const std::scoped_lock lock(guard);
    cudaMemPool_t& pool = pools[device];
    if (pool == nullptr && makes_one) pool = make_pool(device);
    return pool;
}

// Once more where it fails at first, without what the pool keeps in pieces that are too small.
void* allocate(std::size_t size_bytes, int device, cudaStream_t stream) {
    const cudaMemPool_t pool = pool_of(device);
    void* memory = nullptr;
    cudaError_t status = cudaMallocFromPoolAsync(&memory, size_bytes, pool, stream);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        give_back_unused(device);
        status = cudaMallocFromPoolAsync(&memory, size_bytes, pool, stream);
    }
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        refuse_memory(size_bytes, "what a product needs while it runs");
    }
    CARAT_CUDA_CHECK(status);
    return memory;
}

// What a stream keeps of zeros, enough for the flags of any product; more streams than that have
// theirs cleared each time. Ids are never given twice.
constexpr std::size_t kept_zeros_bytes = 4096;
constexpr std::size_t most_that_keep_zeros = 512;

void* clear(void* memory, std::size_t size_bytes, cudaStream_t stream) {
    CARAT_CUDA_CHECK(cudaMemsetAsync(memory, 0, size_bytes, stream));
    return memory;
}

// Null where the stream keeps none. Left to the driver at the end of the process.
void* zeros_of(int device, cudaStream_t stream) {
    static std::mutex guard;
    static auto& kept = *new std::map<std::pair<int, unsigned long long>, void*>;
    unsigned long long id = 0;
    CARAT_CUDA_CHECK(cudaStreamGetId(stream, &id));
    const std::scoped_lock lock(guard);
    if (const auto known = kept.find({device, id}); known != kept.end()) return known->second;
    if (kept.size() == most_that_keep_zeros) return nullptr;
    void* const memory = allocate(kept_zeros_bytes, device, stream);
    return kept[{device, id}] = clear(memory, kept_zeros_bytes, stream);
}

}  // namespace

void give_back_unused(int device) {
    cudaMemPool_t const pool = pool_of(device, false);
    if (pool != nullptr) CARAT_CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
}

call_scope::call_scope(int device, CUstream_st* stream)
    : device_(device), device_before_(current()), stream_(stream), outer_(innermost_scope) {
    if (device_ == current_device) device_ = device_before_;
    require_once(device_);
    if (device_ != current()) CARAT_CUDA_CHECK(cudaSetDevice(device_));
    innermost_scope = this;
}

call_scope::~call_scope() {
    innermost_scope = outer_;
    for (std::size_t i = 0; i < loan_count_; ++i) cudaFreeAsync(loans_[i].memory, stream_);
    if (device_before_ != device_) cudaSetDevice(device_before_);
}

call_scope* call_scope::innermost() {
    return innermost_scope;
}

bool call_scope::is_captured() const {
    return cuda::is_captured(stream_);
}

void* call_scope::lend(const void* owner, std::size_t size_bytes) {
    for (std::size_t i = 0; i < loan_count_; ++i)
        if (loans_[i].owner == owner) return loans_[i].memory;
    if (loan_count_ == most_loans)
        throw error(error_code::out_of_memory, "a product asks for too many pieces of memory");
    void* const memory = allocate(size_bytes, device_, stream_);
    loans_[loan_count_++] = {owner, memory};
    return memory;
}

void* call_scope::lend_zeros(const void* owner, std::size_t size_bytes) {
    if (size_bytes <= kept_zeros_bytes && !is_captured())
        if (void* const kept = zeros_of(device_, stream_)) return kept;
    return clear(lend(owner, size_bytes), size_bytes, stream_);
}

}  // namespace carat::cuda
