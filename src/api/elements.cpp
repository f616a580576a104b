#include "api/elements.hpp"

#include <cstring>

namespace carat::api {

namespace {

using detail::erased_matrix;

std::byte* element(const erased_matrix& m, std::size_t i, std::size_t j) {
    const auto at = static_cast<std::ptrdiff_t>(i) * m.row_stride +
                    static_cast<std::ptrdiff_t>(j) * m.col_stride;
    return static_cast<std::byte*>(m.data) + at * static_cast<std::ptrdiff_t>(size_bytes(m.type));
}

}  // namespace

void copy_elements(const erased_matrix& from, const erased_matrix& to) {
    const std::size_t bytes = size_bytes(to.type);
    for (std::size_t i = 0; i < to.rows; ++i) {
        if (from.col_stride == 1 && to.col_stride == 1) {
            std::memcpy(element(to, i, 0), element(from, i, 0), bytes * to.cols);
            continue;
        }
        for (std::size_t j = 0; j < to.cols; ++j)
            std::memcpy(element(to, i, j), element(from, i, j), bytes);
    }
}

}  // namespace carat::api
