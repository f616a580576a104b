#include "cuda/engine/memory_checks.hpp"

#include <array>
#include <chrono>
#include <string>

#include <carat/error.hpp>

#include "cuda/common/error.hpp"

namespace carat::gpu_engine {

namespace {

[[noreturn]] void refuse_host_memory(const char* name, int device) {
    throw error(error_code::invalid_argument,
                std::string(name) + " lies in host memory that GPU " + std::to_string(device) +
                    " can't read: copy it to the GPU, or multiply without carat::cuda");
}

// Pages of a GPU's memory that the thread met last: asking costs a third of a microsecond. They are
// forgotten soon, since where memory was freed the host's may be mapped next.
struct pages_met {
    std::array<std::uintptr_t, 256> at{};
    std::chrono::steady_clock::time_point since{};

    void forget_old_ones() {
        const auto now = std::chrono::steady_clock::now();
        if (now - since < std::chrono::milliseconds(1)) return;
        at.fill(0);
        since = now;
    }
};
thread_local pages_met seen;

// The driver maps a GPU's memory in pages of 2 MiB, in which no other memory lies.
std::uintptr_t page_of(const void* data) {
    constexpr int log2_bytes = 21;
    return (reinterpret_cast<std::uintptr_t>(data) >> log2_bytes) + 1;  // never 0
}

}  // namespace

void check_memory(const void* data, const char* name, const cuda::call_scope& call) {
    if (data == nullptr) return;
    const std::uintptr_t page = page_of(data);
    std::uintptr_t& known = seen.at[page % seen.at.size()];
    if (known == page) return;
    cudaPointerAttributes facts{};
    CARAT_CUDA_CHECK(cudaPointerGetAttributes(&facts, data));
    if (facts.type == cudaMemoryTypeDevice) known = page;
    if (facts.type != cudaMemoryTypeUnregistered || call.is_captured()) return;
    int reads_all = 0;
    CARAT_CUDA_CHECK(
        cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, call.device()));
    if (reads_all == 0) refuse_host_memory(name, call.device());
}

void check_memory(const core::problem& p, const core::operands& data,
                  const cuda::call_scope& call) {
    if (p.m == 0 || p.n == 0) return;  // where nothing lies, nothing is read
    if (p.k != 0 && p.alpha != 0) {
        check_memory(data.a, "A", call);
        check_memory(data.b, "B", call);
    }
    check_memory(data.c, "C", call);
    if (p.beta != 0) check_memory(data.e, "E", call);
}

void check_memory(const cuda::bindings& with, const cuda::call_scope& call) {
    seen.forget_old_ones();
    check_memory(with.fusion.scale.values, "the scale", call);
    check_memory(with.fusion.bias.values, "the bias", call);
    check_memory(with.scales.a, "the scales of A", call);
    check_memory(with.scales.b, "the scales of B", call);
}

}  // namespace carat::gpu_engine
