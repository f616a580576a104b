#include "typed.hpp"

namespace carat::fuzz {

template void call_into_each<bf16, bf16>(const call_request& r);

}  // namespace carat::fuzz
