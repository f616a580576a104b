// A build without CUDA has no GPU memory; the constructor says so.
#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "lab/judge/device/gpu_memory.hpp"

namespace carat::judge {

namespace {

[[noreturn]] void refuse() {
    throw error(error_code::unsupported, cuda::unavailable_in_use());
}

}  // namespace

struct gpu_memory::buffers {};

gpu_memory::gpu_memory(std::int64_t size_bytes) : size_bytes_(size_bytes) {
    refuse();
}
gpu_memory::~gpu_memory() = default;

carat_gpu_channel gpu_memory::channel() const {
    refuse();
}
char* gpu_memory::image() const {
    refuse();
}
const char* gpu_memory::snapshot() const {
    refuse();
}
void gpu_memory::draw_guards(std::uint64_t) {
    refuse();
}
void gpu_memory::draw(dtype, std::int64_t, std::int64_t, const core::layout&, char*, double,
                      std::uint64_t) {
    refuse();
}
void gpu_memory::publish() {
    refuse();
}
void gpu_memory::remember() {
    refuse();
}
std::int64_t gpu_memory::changed_since_snapshot(std::span<const device_rows>) {
    refuse();
}
std::int64_t gpu_memory::changed_outside(std::span<const device_rows>) {
    refuse();
}
void gpu_memory::download(void*, const char*, std::int64_t) const {
    refuse();
}
gpu_memory::capacity gpu_memory::memory() {
    refuse();
}
void* stream_of_products() {
    refuse();
}

}  // namespace carat::judge
