#include <algorithm>
#include <cstring>

#include "cuda/common/handles.hpp"
#include "lab/gpu/verify/elements.cuh"
#include "lab/judge/device/gpu_memory.hpp"
#include "lab/judge/device/guard.hpp"

namespace carat::judge {

namespace {

constexpr unsigned threads = 256;
constexpr unsigned most_blocks = 4096;

std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count);
}

unsigned blocks_for(std::int64_t elements) {
    return static_cast<unsigned>(
        std::clamp<std::int64_t>((elements + threads - 1) / threads, 1, most_blocks));
}

template <class Work>
__device__ void each(std::int64_t count, const Work& work) {
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count;
         i += std::int64_t{gridDim.x} * threads)
        work(i);
}

__global__ void guards_kernel(std::uint64_t* to, std::int64_t words, std::uint64_t seed) {
    each(words, [&](std::int64_t i) { to[i] = guard_word(seed, i); });
}

template <class T>
__global__ void random_kernel(gpu::device_matrix<T> to, std::int64_t rows, std::int64_t cols,
                              double most, std::uint64_t seed) {
    each(rows * cols, [&](std::int64_t index) {
        const std::uint64_t random =
            verify::mixed(seed ^ verify::mixed(static_cast<std::uint64_t>(index)));
        const double unit = static_cast<double>(random >> 11) * 0x1p-52 - 1;
        const double value = std::is_integral_v<T> ? floor(unit * most) : unit * most;
        to.at(index / cols, index % cols) = gpu::narrowed<T>(value);
    });
}

__global__ void difference_kernel(const uint4* a, const uint4* b, std::int64_t count,
                                  unsigned long long* first) {
    each(count, [&](std::int64_t i) {
        const uint4 x = a[i], y = b[i];
        if (x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w) return;
        atomicMin(first, static_cast<unsigned long long>(i));
    });
}

void wait() {
    CARAT_CUDA_CHECK(cudaGetLastError());
    CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
}

void copy(void* to, const void* from, std::int64_t count, cudaMemcpyKind kind) {
    CARAT_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes(count), kind, cuda::stream_in_use()));
}

void copy_rows(char* to, const char* from, std::span<const device_rows> all) {
    for (const device_rows& r : all)
        CARAT_CUDA_CHECK(cudaMemcpy2DAsync(to + r.offset, bytes(r.pitch), from + r.offset,
                                           bytes(r.pitch), bytes(r.width), bytes(r.height),
                                           cudaMemcpyDeviceToDevice, cuda::stream_in_use()));
}

}  // namespace

struct gpu_memory::buffers {
    // An IPC handle opens a whole block of 2 MiB, so shared buffers must have theirs to themselves.
    explicit buffers(std::int64_t size)
        : live(cuda::allocate(bytes(size))),
          snapshot(cuda::allocate(bytes(size))),
          image(cuda::allocate(bytes(size))),
          compared(cuda::allocate(bytes(size))),
          remembered(cuda::allocate(bytes(size))),
          first(cuda::allocate(sizeof(unsigned long long))) {}

    cuda::device_memory live, snapshot, image, compared, remembered, first;

    static char* at(const cuda::device_memory& memory) { return static_cast<char*>(memory.get()); }
};

gpu_memory::gpu_memory(std::int64_t size_bytes) {
    constexpr std::int64_t block = std::int64_t{2} << 20;
    size_bytes_ = (size_bytes + block - 1) / block * block;
    (void)cuda::stream_in_use();  // makes the device current
    own_ = std::make_unique<buffers>(size_bytes_);
}

gpu_memory::~gpu_memory() = default;

carat_gpu_channel gpu_memory::channel() const {
    carat_gpu_channel channel = {};
    int device = 0;
    CARAT_CUDA_CHECK(cudaGetDevice(&device));
    channel.device = device;
    const auto share = [](void* memory, unsigned char* to) {
        cudaIpcMemHandle_t handle;
        CARAT_CUDA_CHECK(cudaIpcGetMemHandle(&handle, memory));
        std::memcpy(to, &handle, sizeof handle);
    };
    share(own_->live.get(), channel.live);
    share(own_->snapshot.get(), channel.snapshot);
    return channel;
}

char* gpu_memory::image() const {
    return buffers::at(own_->image);
}

const char* gpu_memory::snapshot() const {
    return buffers::at(own_->snapshot);
}

void gpu_memory::draw_guards(std::uint64_t seed) {
    const std::int64_t words = size_bytes_ / 8;
    guards_kernel<<<blocks_for(words), threads, 0, cuda::stream_in_use()>>>(
        static_cast<std::uint64_t*>(own_->image.get()), words, seed);
    wait();
}

void gpu_memory::draw(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where,
                      char* to, double most, std::uint64_t seed) {
    gpu::with_device_type(type, [&](auto element) {
        random_kernel<<<blocks_for(rows * cols), threads, 0, cuda::stream_in_use()>>>(
            gpu::matrix_of<decltype(element)>(to, where), rows, cols, most, seed);
    });
    CARAT_CUDA_CHECK(cudaGetLastError());
}

void gpu_memory::publish() {
    copy(own_->live.get(), image(), size_bytes_, cudaMemcpyDeviceToDevice);
    CARAT_CUDA_CHECK(
        cudaMemsetAsync(own_->snapshot.get(), 0xa5, bytes(size_bytes_), cuda::stream_in_use()));
    wait();
}

void gpu_memory::remember() {
    copy(own_->remembered.get(), own_->live.get(), size_bytes_, cudaMemcpyDeviceToDevice);
    wait();
}

std::int64_t gpu_memory::changed_since_snapshot(std::span<const device_rows> c) {
    const std::int64_t later =
        first_difference(buffers::at(own_->remembered), buffers::at(own_->live));
    if (later >= 0) return later;
    char* seen = buffers::at(own_->compared);
    copy(seen, own_->live.get(), size_bytes_, cudaMemcpyDeviceToDevice);
    copy_rows(seen, snapshot(), c);
    return first_difference(seen, buffers::at(own_->live));
}

std::int64_t gpu_memory::changed_outside(std::span<const device_rows> c) {
    char* seen = buffers::at(own_->compared);
    copy(seen, own_->live.get(), size_bytes_, cudaMemcpyDeviceToDevice);
    copy_rows(seen, image(), c);
    return first_difference(seen, image());
}

std::int64_t gpu_memory::first_difference(const char* a, const char* b) const {
    constexpr std::int64_t group = sizeof(uint4);
    constexpr unsigned long long none = ~0ull;
    auto* const first = static_cast<unsigned long long*>(own_->first.get());
    copy(first, &none, sizeof none, cudaMemcpyHostToDevice);
    const std::int64_t groups = size_bytes_ / group;
    difference_kernel<<<blocks_for(groups), threads, 0, cuda::stream_in_use()>>>(
        reinterpret_cast<const uint4*>(a), reinterpret_cast<const uint4*>(b), groups, first);
    unsigned long long found = none;
    copy(&found, first, sizeof found, cudaMemcpyDeviceToHost);
    wait();
    if (found == none) return -1;
    const std::int64_t begin = static_cast<std::int64_t>(found) * group;
    char x[group], y[group];
    download(x, a + begin, group);
    download(y, b + begin, group);
    return begin + (std::mismatch(x, x + group, y).first - x);
}

void gpu_memory::download(void* to, const char* from, std::int64_t count) const {
    copy(to, from, count, cudaMemcpyDeviceToHost);
    wait();
}

gpu_memory::capacity gpu_memory::memory() {
    std::size_t free = 0, total = 0;
    (void)cuda::stream_in_use();
    CARAT_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

void* stream_of_products() {
    return cuda::stream_in_use();
}

}  // namespace carat::judge
