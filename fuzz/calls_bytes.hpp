// Every pair of signed and unsigned bytes with one type of C.
#pragma once

#include "typed_calls.hpp"

namespace carat::fuzz {

template <class C>
void call_bytes_into(const call_request& r) {
    const bool b_signed = r.of.b_type == dtype::i8;
    if (r.of.a_type == dtype::i8)
        return b_signed ? call_typed<std::int8_t, std::int8_t, C>(r)
                        : call_typed<std::int8_t, std::uint8_t, C>(r);
    return b_signed ? call_typed<std::uint8_t, std::int8_t, C>(r)
                    : call_typed<std::uint8_t, std::uint8_t, C>(r);
}

extern template void call_bytes_into<std::int32_t>(const call_request& r);
extern template void call_bytes_into<float>(const call_request& r);
extern template void call_bytes_into<f16>(const call_request& r);
extern template void call_bytes_into<bf16>(const call_request& r);
extern template void call_bytes_into<std::int8_t>(const call_request& r);
extern template void call_bytes_into<std::uint8_t>(const call_request& r);

}  // namespace carat::fuzz
