// Which of many matrices might share a byte, without comparing each with all others.
//
// Memory is cut into lines of one length, a stride that the matrices have in common. A matrix is
// then a box: lines from one to another, and of each the bytes from one place to another. Heads of
// attention lie side by side in lines of all heads; as ranges of addresses all of them mingle.
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

// Lines of so many bytes, the first of which begins at an address.
struct lines_of_memory {
    std::int64_t origin;
    std::int64_t bytes;
};

// What is the same of all matrices of one size and one pair of strides: at least what they take up.
class footprint {
  public:
    // `span` is that of the matrix.
    footprint(const detail::erased_matrix& m, const byte_span& span, const lines_of_memory& in);

    [[nodiscard]] double area() const;  // bytes

    // One box, or two where it goes on in the next line.
    void add_at(const void* data, std::size_t index, std::vector<box>& to) const;

  private:
    lines_of_memory in_;
    byte_span span_;
    std::int64_t lines_ = 0;  // further ones
    std::int64_t width_;      // more than a line: from its first byte to its last
};

// The lengths of lines worth trying for matrices with such strides, the best first.
[[nodiscard]] std::vector<std::int64_t> lengths_of_lines(const detail::erased_matrix& like);

// Calls `meets(i, j)` for boxes that meet, the i-th matrix of `all` and the j-th of `others`, or of
// a null `others` two of `all`. Returns how many pairs were compared; stops after `most` of them.
// Both come in the order of their first lines, or are brought into it.
std::size_t for_each_overlap(std::vector<box>& all, std::vector<box>* others, std::size_t most,
                             const std::function<void(std::size_t, std::size_t)>& meets);

}  // namespace carat::api
