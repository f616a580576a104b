// The room in a build without CUDA: no rows.
#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/sm90/fused.hpp"
#include "cuda/sm90/table.hpp"

namespace carat::cuda::sm90 {

std::unique_ptr<fused_product> prepare_fused(const core::problem&, const epilogue_fusion&,
                                             const core::settings&) {
    throw error(error_code::unsupported, unavailable_in_use());
}

std::unique_ptr<fused_product> prepare_gated(const core::problem&, const epilogue_fusion&,
                                             const core::settings&) {
    return nullptr;
}

bool takes_gates(const core::problem&, const core::operands&) {
    return false;
}

core::table table() {
    return {};
}

}  // namespace carat::cuda::sm90
