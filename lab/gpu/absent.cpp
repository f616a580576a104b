// lab/gpu in a build without CUDA: there is nothing to measure and no GPU memory.
#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "lab/gpu/peaks/identity.hpp"
#include "lab/gpu/peaks/peaks.hpp"
#include "lab/gpu/verify/verify.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace carat::gpu {

namespace {

[[noreturn]] void refuse() {
    throw error(error_code::unsupported, cuda::unavailable_in_use());
}

}  // namespace

machine::peaks measure_peaks(int, const machine::measure_options&) {
    refuse();
}

bool complete(const machine::peaks&, int) {
    return false;
}

void end_context(int) {}

std::string uuid(int) {
    refuse();
}

std::string compiled_for() {
    return {};
}

void fill(const verify::exact_pass&, const core::problem&, const core::operands&) {
    refuse();
}

void fill_c(const verify::exact_pass&, const core::problem&, void*) {
    refuse();
}

verify::verdict check(const verify::exact_pass&, const core::problem&, const void*) {
    refuse();
}

verify::verdict check_padding(const core::problem&, const void*) {
    refuse();
}

void poison(const core::problem&, void*) {
    refuse();
}

struct reference::impl {};

reference::reference(const core::problem&, const core::operands&) {
    refuse();
}
reference::reference(reference&&) noexcept = default;
reference& reference::operator=(reference&&) noexcept = default;
reference::~reference() = default;

verify::verdict reference::check(const void*, std::string_view) const {
    refuse();
}

}  // namespace carat::gpu

namespace carat::space::cuda {

execution_space& device_space(int) {
    throw error(error_code::unsupported, carat::cuda::unavailable_in_use());
}

}  // namespace carat::space::cuda
