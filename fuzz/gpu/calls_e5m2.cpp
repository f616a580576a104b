#include "typed.hpp"

namespace carat::fuzz {

template void call_into_each<e5m2, e4m3>(const call_request& r);

}  // namespace carat::fuzz
