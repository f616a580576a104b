// Finds which of many matrices may share a byte, without comparing all pairs.
//
// Memory is cut into lines of equal length, a stride that the matrices have in common. A matrix is
// then a box: a range of lines, and a range of bytes in each. Attention heads, for example, lie
// side by side in lines of all heads; as ranges of addresses they would overlap.
//
//     line 0   | head 0 | head 1 | head 2 |
//     line 1   | head 0 | head 1 | head 2 |
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <carat/product.hpp>

#include "api/overlap.hpp"

namespace carat::api {

struct box {
    std::int64_t first_line;
    std::int64_t end_line;
    std::int64_t low;  // in each line
    std::int64_t high;
    std::size_t index;  // of its matrix
};

// Lines of this length, the first of which begins at an address.
struct lines_of_memory {
    std::int64_t origin;
    std::int64_t bytes;
};

// What all matrices of one size and one pair of strides have in common: their least extent.
class footprint {
  public:
    // `span` is the matrix's span.
    footprint(const detail::erased_matrix& m, const byte_span& span, const lines_of_memory& in);

    [[nodiscard]] double area() const;  // bytes

    // One box, or two if it continues in the next line.
    void add_at(const void* data, std::size_t index, std::vector<box>& to) const;

  private:
    lines_of_memory in_;
    byte_span span_;
    std::int64_t lines_ = 0;  // further ones
    std::int64_t width_;      // more than a line: from its first byte to its last
};

// The line lengths worth trying for matrices with such strides, best first.
[[nodiscard]] std::vector<std::int64_t> lengths_of_lines(const detail::erased_matrix& like);

// Calls `meets(i, j)` for boxes that meet: the i-th matrix of `all` and the j-th of `others`, or
// two of `all` if `others` is null. Returns how many pairs were compared; stops after `most`. Sorts
// both by their first lines.
std::size_t for_each_overlap(std::vector<box>& all, std::vector<box>* others, std::size_t most,
                             const std::function<void(std::size_t, std::size_t)>& meets);

}  // namespace carat::api
