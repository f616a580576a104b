#include "typed.hpp"

namespace carat::fuzz {

template void call_into_each<f16, f16>(const call_request& r);

}  // namespace carat::fuzz
