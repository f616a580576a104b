#include "calls_bytes.hpp"

namespace carat::fuzz {

template void call_bytes_into<std::int32_t>(const call_request& r);
template void call_bytes_into<std::int8_t>(const call_request& r);
template void call_bytes_into<std::uint8_t>(const call_request& r);

}  // namespace carat::fuzz
