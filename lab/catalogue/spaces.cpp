#include "lab/catalogue/spaces.hpp"

#include "cuda/common/device.hpp"

namespace carat::lab {

core::execution_space& space_of(core::device where) {
    if (where == core::device::cpu) return core::host_space();
    return cuda::space(cuda::device_in_use());
}

}  // namespace carat::lab
