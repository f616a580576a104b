// Where the elements of strided views are, and whether two views share any.
#pragma once

#include <cstdint>

#include <carat/product.hpp>

namespace carat::api {

// Bytes from the first element to the lowest and to one past the highest byte of a view.
struct byte_span {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

// One axis of a view: `count` steps of `bytes` each. An axis of one element has no steps, since its
// stride means nothing and may be any number.
struct axis {
    std::int64_t bytes;
    std::int64_t count;
};
[[nodiscard]] axis down(const detail::erased_matrix& m);
[[nodiscard]] axis across(const detail::erased_matrix& m);

// Throws carat::error(overflow) naming the matrix `what` if it has 2^63 rows or columns or more.
void check_extents(const detail::erased_matrix& m, const char* what);

// Throws carat::error(overflow) naming the matrix `what` if the span does not fit in 64 bits.
[[nodiscard]] byte_span span_of(const detail::erased_matrix& m, const char* what);

// Whether the spans of two views alone prove that they share no byte.
[[nodiscard]] inline bool apart(const detail::erased_matrix& x, const byte_span& in_x,
                                const detail::erased_matrix& y, const byte_span& in_y) {
    // Addresses as numbers, since pointers into different arrays have no difference.
    const auto at_x = reinterpret_cast<std::intptr_t>(x.data);
    const auto at_y = reinterpret_cast<std::intptr_t>(y.data);
    return at_x + in_x.high <= at_y + in_y.low || at_y + in_y.high <= at_x + in_x.low;
}

// Whether two different (i, j) of the view are the same element. Exact.
[[nodiscard]] bool overlaps_itself(const detail::erased_matrix& m);

// Whether the views share a byte. Exact for everything that fits in an address space.
[[nodiscard]] bool share_bytes(const detail::erased_matrix& x, const detail::erased_matrix& y);

}  // namespace carat::api
