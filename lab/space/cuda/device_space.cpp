#include "lab/space/cuda/device_space.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"

namespace carat::space::cuda {

namespace {

// Holds a stream back while work is enqueued behind it, so that small kernels follow each other and
// the host's launches are not what is timed. Work that waits for the stream itself, or fills its
// queue, would wait for ever: the gate opens by itself after a while, and is then as good as none.
class gate {
  public:
    explicit gate(cudaStream_t stream) {
        auto told = std::make_unique<flag>(is_open_);
        if (cudaLaunchHostFunc(stream, wait, told.get()) == cudaSuccess)
            (void)told.release();  // wait() frees it
        else
            (void)cudaGetLastError();
    }
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;
    ~gate() { *is_open_ = true; }

  private:
    using flag = std::shared_ptr<std::atomic<bool>>;

    // A thread of the driver runs it, which may make no call into CUDA.
    static void CUDART_CB wait(void* data) {
        using monotonic = std::chrono::steady_clock;
        constexpr auto longest = std::chrono::milliseconds(10);
        const std::unique_ptr<flag> is_open(static_cast<flag*>(data));
        const auto end = monotonic::now() + longest;
        while (!**is_open && monotonic::now() < end) std::this_thread::yield();
    }

    flag is_open_ = std::make_shared<std::atomic<bool>>(false);
};

// Copies wait for the work before them and are done when they return; time is taken by events on
// the stream of the work, which begins when all of it is there.
class gpu_space final : public execution_space {
  public:
    explicit gpu_space(int device) : device_(device) {
        use();
        stream_ = carat::cuda::stream_of(device);
        start_ = carat::cuda::make_event();
        stop_ = carat::cuda::make_event();
    }

    void* allocate(std::size_t size_bytes) override {
        use();
        return carat::cuda::allocate(size_bytes).release();
    }

    void deallocate(void* memory) noexcept override { cudaFree(memory); }

    void upload(void* target, const void* host, std::size_t size_bytes) override {
        copy(target, host, size_bytes, cudaMemcpyHostToDevice);
    }

    void download(void* host, const void* source, std::size_t size_bytes) override {
        copy(host, source, size_bytes, cudaMemcpyDeviceToHost);
    }

    void wait() override {
        use();
        CARAT_CUDA_CHECK(cudaStreamSynchronize(stream_));
    }

    void pin(void* host, std::size_t size_bytes) override {
        use();
        CARAT_CUDA_CHECK(cudaHostRegister(host, size_bytes, cudaHostRegisterDefault));
    }

    void unpin(void* host) noexcept override { cudaHostUnregister(host); }

    [[nodiscard]] std::size_t available_bytes() const override {
        use();
        return carat::cuda::free_bytes();
    }

    [[nodiscard]] std::size_t cache_bytes() const override {
        return carat::cuda::describe(device_).l2_bytes;
    }

    [[nodiscard]] double time_s(const std::function<void()>& work) override {
        use();
        {
            const gate closed(stream_);
            CARAT_CUDA_CHECK(cudaEventRecord(start_.get(), stream_));
            work();
            CARAT_CUDA_CHECK(cudaEventRecord(stop_.get(), stream_));
        }
        CARAT_CUDA_CHECK(cudaEventSynchronize(stop_.get()));
        float elapsed_ms = 0;
        CARAT_CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, start_.get(), stop_.get()));
        return static_cast<double>(elapsed_ms) * 1e-3;
    }

  private:
    void use() const { CARAT_CUDA_CHECK(cudaSetDevice(device_)); }

    void copy(void* target, const void* source, std::size_t size_bytes, cudaMemcpyKind kind) {
        if (size_bytes == 0) return;
        use();
        CARAT_CUDA_CHECK(cudaMemcpyAsync(target, source, size_bytes, kind, stream_));
        CARAT_CUDA_CHECK(cudaStreamSynchronize(stream_));
    }

    int device_;
    cudaStream_t stream_;
    carat::cuda::unique_event start_;
    carat::cuda::unique_event stop_;
};

}  // namespace

// Kept until the process ends and then left to the driver: the runtime may be gone before static
// objects are, and must not be called then.
execution_space& device_space(int device) {
    carat::cuda::require(device);
    static std::mutex guard;
    static auto& spaces = *new std::map<int, gpu_space>;
    const std::scoped_lock lock(guard);
    return spaces.try_emplace(device, device).first->second;
}

}  // namespace carat::space::cuda
