#include "tests/support/guarded_matrix.hpp"

#include <algorithm>
#include <cstring>

#include "core/dtype_traits.hpp"

namespace carat::test {

guarded_matrix::guarded_matrix(dtype type, std::int64_t rows, std::int64_t cols,
                               const core::layout& where, const placement& place)
    : type_(type),
      rows_(rows),
      cols_(cols),
      where_(where),
      block_(static_cast<std::size_t>(core::extent_elements(rows, cols, where)) * size_bytes(type),
             place.side, static_cast<std::size_t>(place.offset) * size_bytes(type)) {}

void guarded_matrix::fill(const workload::distribution& d, std::uint64_t seed,
                          workload::operand which) {
    workload::fill(data(), type_, rows_, cols_, where_, d, seed, which, 1);
}

std::int64_t guarded_matrix::bytes_to(std::int64_t i, std::int64_t j) const {
    return (i * where_.row_stride + j * where_.col_stride) *
           static_cast<std::int64_t>(size_bytes(type_));
}

void guarded_matrix::set(std::int64_t i, std::int64_t j, double value) {
    core::visit(type_, [&]<class T>(core::element_tag<T>) {
        const auto narrow = static_cast<T>(value);
        std::memcpy(data() + bytes_to(i, j), &narrow, sizeof narrow);
    });
}

std::vector<std::byte> guarded_matrix::snapshot() const {
    const auto bytes = block_.accessible();
    return {bytes.begin(), bytes.end()};
}

void guarded_matrix::restore(const std::vector<std::byte>& from) {
    std::ranges::copy(from, block_.accessible().begin());
}

std::vector<std::byte> guarded_matrix::surroundings() const {
    std::vector<std::byte> bytes = snapshot();
    const std::int64_t first = data() - block_.accessible().data();
    for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t j = 0; j < cols_; ++j)
            std::fill_n(bytes.begin() + first + bytes_to(i, j), size_bytes(type_), std::byte{0});
    return bytes;
}

}  // namespace carat::test
