// The matrices of a batch on either side, and what surrounds them.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "core/problem.hpp"
#include "cuda/common/error.hpp"
#include "cuda/common/handles.hpp"
#include "tests/support/whole.hpp"

namespace carat::test {

// What lies around matrices, and nobody may read.
template <class T>
T poison() {
    if constexpr (std::is_integral_v<T>)
        return T{85};
    else
        return T(std::numeric_limits<float>::quiet_NaN());
}

// Consecutive matrices at a distance that keeps the alignment of their lines.
template <class T>
class many {
  public:
    static constexpr std::size_t margin = 128;
    core::layout at;
    std::int64_t apart;
    std::vector<T> here;

    many(std::int64_t count, const core::layout& layout, std::int64_t rows, std::int64_t cols,
         std::int64_t unit, std::size_t offset)
        : at(layout),
          apart(((rows - 1) * layout.row_stride + (cols - 1) * layout.col_stride + 8) / unit *
                    unit +
                unit),
          here(2 * margin + offset + static_cast<std::size_t>(count * apart), poison<T>()),
          count_(count),
          first_(margin + offset),
          there_(cuda::allocate(here.size() * sizeof(T))) {}

    [[nodiscard]] std::size_t place(std::int64_t x, std::int64_t i, std::int64_t j) const {
        return first_ + static_cast<std::size_t>(x * apart + i * at.row_stride + j * at.col_stride);
    }
    void fill(unsigned operand, std::int64_t rows, std::int64_t cols) {
        for (std::int64_t x = 0; x < count_; ++x)
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < cols; ++j) {
                    const std::size_t to = place(x, i, j);
                    here[to] = T(static_cast<float>(whole(operand, to, std::size_t{0})));
                }
    }
    // Matrix x, which has so many rows and columns.
    [[nodiscard]] verify::source source(std::int64_t x, std::int64_t rows,
                                        std::int64_t cols) const {
        return {here.data() + place(x, 0, 0), dtype_of_v<T>, rows, cols, at};
    }
    void upload() const {
        CARAT_CUDA_CHECK(
            cudaMemcpy(there_.get(), here.data(), here.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    [[nodiscard]] std::vector<T> downloaded() const {
        std::vector<T> all(here.size());
        CARAT_CUDA_CHECK(
            cudaMemcpy(all.data(), there_.get(), all.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return all;
    }
    [[nodiscard]] T* data() const { return static_cast<T*>(there_.get()) + first_; }

  private:
    std::int64_t count_;
    std::size_t first_;
    cuda::device_memory there_;
};

}  // namespace carat::test
