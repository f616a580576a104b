// What an unwritten element looks like.
#include "lab/verify/poison.hpp"

#include <cstring>

#include "lab/verify/verify.hpp"

namespace carat::verify {

element_pattern poison_of(dtype type) {
    switch (type) {
        case dtype::f64:
            return {0x7ff4ca7a7ca7a7ca, 8};
        case dtype::f32:
            return {0x7fa7ca7a, 4};
        case dtype::f16:
            return {0x7d7a, 2};
        case dtype::bf16:
            return {0x7faa, 2};
        case dtype::i32:
            return {0xa7ca7a5d, 4};
        case dtype::i8:
        case dtype::u8:
            return {0xa7, 1};
        case dtype::e4m3:
            return {0xff, 1};  // its NaNs have no payload
        case dtype::e5m2:
            return {0x7d, 1};
    }
    return {0, 0};
}

bool is_poison(dtype type, const void* c, std::int64_t index) {
    const auto [bits, size] = poison_of(type);
    const auto* element =
        static_cast<const unsigned char*>(c) + index * static_cast<std::int64_t>(size);
    return std::memcmp(element, &bits, size) == 0;
}

namespace {

template <class Word>
void write(const core::problem& p, std::uint64_t bits, void* c) {
    const auto [down, across] = p.c_layout;
    for (std::int64_t i = 0; i < p.m; ++i) {
        Word* row = static_cast<Word*>(c) + i * down;
        for (std::int64_t j = 0; j < p.n; ++j) row[j * across] = static_cast<Word>(bits);
    }
}

}  // namespace

void poison(const core::problem& p, void* c) {
    const auto [bits, size] = poison_of(p.c_type);
    if (size == 8) write<std::uint64_t>(p, bits, c);
    if (size == 4) write<std::uint32_t>(p, bits, c);
    if (size == 2) write<std::uint16_t>(p, bits, c);
    if (size == 1) write<std::uint8_t>(p, bits, c);
}

}  // namespace carat::verify
