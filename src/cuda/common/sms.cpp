#include "cuda/common/sms.hpp"

#include <algorithm>

#include "core/left_sms.hpp"
#include "cuda/common/device.hpp"

namespace carat::cuda {

int sms_for_products() {
    return std::max(1, describe(device_in_use()).multiprocessors - core::left_sms());
}

}  // namespace carat::cuda
