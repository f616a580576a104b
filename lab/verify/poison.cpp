// What an unwritten element looks like, and what lies between the elements.
#include "lab/verify/poison.hpp"

#include <cstring>
#include <vector>

#include <carat/error.hpp>

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

template <class Visit>
void for_each_element(const core::problem& p, const Visit& visit) {
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j)
            visit(i * p.c_layout.row_stride + j * p.c_layout.col_stride);
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
    for_each_element(p, [&, bits = bits, size = size](std::int64_t index) {
        std::memcpy(static_cast<unsigned char*>(c) + index * static_cast<std::int64_t>(size), &bits,
                    size);
    });
}

std::uint64_t padding_digest(const core::problem& p, const void* c) {
    const std::int64_t extent = core::extent_elements(p.m, p.n, p.c_layout);
    if (extent == core::checked_product(p.m, p.n, "C elements")) return 0;
    std::vector<bool> used(static_cast<std::size_t>(extent));
    for_each_element(p, [&](std::int64_t index) { used[static_cast<std::size_t>(index)] = true; });
    const std::size_t size = size_bytes(p.c_type);
    const auto* bytes = static_cast<const unsigned char*>(c);
    std::uint64_t digest = 0xcbf29ce484222325;  // FNV-1a
    for (std::size_t index = 0; index < used.size(); ++index) {
        if (used[index]) continue;
        for (std::size_t byte = 0; byte < size; ++byte)
            digest = (digest ^ bytes[index * size + byte]) * 0x100000001b3;
    }
    return digest;
}

}  // namespace carat::verify
