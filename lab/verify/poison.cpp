// How an unwritten element looks.
#include "lab/verify/poison.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

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

// The lines of C and what is between them.
template <class Word>
void write(const core::problem& p, std::uint64_t bits, void* c) {
    std::fill_n(static_cast<Word*>(c), core::extent_elements(p.m, p.n, p.c_layout),
                static_cast<Word>(bits));
}

}  // namespace

void poison(const core::problem& p, void* c) {
    const auto [bits, size] = poison_of(p.c_type);
    if (size == 8) write<std::uint64_t>(p, bits, c);
    if (size == 4) write<std::uint32_t>(p, bits, c);
    if (size == 2) write<std::uint16_t>(p, bits, c);
    if (size == 1) write<std::uint8_t>(p, bits, c);
}

padding padding_of(const core::problem& p) {
    const auto [down, across] = p.c_layout;
    const bool by_rows = across == 1;
    const std::int64_t lines = by_rows ? p.m : p.n;
    const std::int64_t length = by_rows ? p.n : p.m;
    const std::int64_t stride = by_rows ? down : across;
    if (lines < 2 || length < 1 || stride <= length || (!by_rows && down != 1)) return {};
    return {lines - 1, stride - length, length, stride};
}

verdict overwritten_padding(std::int64_t gap, std::int64_t element) {
    verdict v;
    v.how = method::exact;
    v.wrong = 1;
    v.reason =
        fmt::format("element {} after line {} of C was overwritten: it is padding", element, gap);
    return v;
}

verdict check_padding(const core::problem& p, const void* c) {
    const padding at = padding_of(p);
    for (std::int64_t gap = 0; gap < at.gaps; ++gap)
        for (std::int64_t i = 0; i < at.size; ++i)
            if (!is_poison(p.c_type, c, gap * at.stride + at.length + i))
                return overwritten_padding(gap, i);
    verdict v;
    v.passed = true;
    v.how = method::exact;
    return v;
}

}  // namespace carat::verify
