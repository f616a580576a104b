#include "calls_bytes.hpp"

namespace carat::fuzz {

template void call_bytes_into<float>(const call_request& r);
template void call_bytes_into<f16>(const call_request& r);
template void call_bytes_into<bf16>(const call_request& r);

void call_bytes(const call_request& r) {
    switch (r.of.c_type) {
        case dtype::i32:
            return call_bytes_into<std::int32_t>(r);
        case dtype::f32:
            return call_bytes_into<float>(r);
        case dtype::f16:
            return call_bytes_into<f16>(r);
        case dtype::bf16:
            return call_bytes_into<bf16>(r);
        case dtype::i8:
            return call_bytes_into<std::int8_t>(r);
        default:
            return call_bytes_into<std::uint8_t>(r);
    }
}

}  // namespace carat::fuzz
