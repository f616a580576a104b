#include "typed.hpp"

namespace carat::fuzz {

template void call_into_each<float, float>(const call_request& r);

}  // namespace carat::fuzz
