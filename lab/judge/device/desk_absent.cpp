// In a build without CUDA no matrix lies in a GPU's memory, and the desk says why.
#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "lab/judge/device/desk.hpp"

namespace carat::judge {

namespace {

[[noreturn]] void refuse() {
    throw error(error_code::unsupported, cuda::unavailable_in_use());
}

}  // namespace

struct desk::buffers {};

desk::desk(std::int64_t size_bytes) : size_bytes_(size_bytes) {
    refuse();
}
desk::~desk() = default;

carat_door desk::door() const {
    refuse();
}
char* desk::image() const {
    refuse();
}
const char* desk::snapshot() const {
    refuse();
}
void desk::draw_guards(std::uint64_t) {
    refuse();
}
void desk::draw(dtype, std::int64_t, std::int64_t, const core::layout&, char*, double,
                std::uint64_t) {
    refuse();
}
void desk::publish() {
    refuse();
}
void desk::remember() {
    refuse();
}
std::int64_t desk::changed_since_snapshot(std::span<const device_rows>) {
    refuse();
}
std::int64_t desk::changed_outside(std::span<const device_rows>) {
    refuse();
}
void desk::download(void*, const char*, std::int64_t) const {
    refuse();
}
desk::room desk::memory() {
    refuse();
}
void* stream_of_products() {
    refuse();
}

}  // namespace carat::judge
