// The module in a build without CUDA: nothing lies in a GPU's memory.
#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "lab/gpu/verify/verify.hpp"

namespace carat::gpu {

namespace {

[[noreturn]] void refuse() {
    throw error(error_code::unsupported, cuda::unavailable_in_use());
}

}  // namespace

struct reference::impl {};

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
