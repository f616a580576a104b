// What an unwritten element looks like.
#include "lab/verify/poison.hpp"

#include <cstring>

#include "lab/verify/verify.hpp"

namespace carat::verify {

namespace {

// Signalling NaNs with a payload of our own; for integers a number unlikely as a product.
struct element_pattern {
    std::uint64_t bits;
    std::size_t size;
};

constexpr element_pattern pattern_of(dtype type) {
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

}  // namespace

bool is_poison(dtype type, const void* c, std::int64_t index) {
    const auto [bits, size] = pattern_of(type);
    const auto* element =
        static_cast<const unsigned char*>(c) + index * static_cast<std::int64_t>(size);
    return std::memcmp(element, &bits, size) == 0;
}

void poison(const core::problem& p, void* c) {
    const auto [bits, size] = pattern_of(p.c_type);
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j) {
            const std::int64_t index = i * p.c_layout.row_stride + j * p.c_layout.col_stride;
            std::memcpy(static_cast<unsigned char*>(c) + index * static_cast<std::int64_t>(size),
                        &bits, size);
        }
}

}  // namespace carat::verify
