// Operands packed once and multiplied many times, such as the weights of a layer.
//
//   const carat::prepared_matrix weights = carat::prepare(w);      // to be used as B
//   carat::matrix_product(x, weights, y);                          // the bits of (x, w, y)
//   carat::matrix_product(carat::prepare(a, carat::side::left), b, c);
//
// Measure before using it: see docs/adr/0073. f16 and bf16 are kept as float if the processor has
// no instructions for them. Meant for a row-major C; others are correct and slower. The largest
// magnitude of bytes is kept, so that sums are still exact or an error; if it does not prove them
// exact, use the matrix itself.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <carat/erased.hpp>
#include <carat/export.hpp>
#include <carat/types.hpp>

namespace carat {

// The position of an operand in A B.
enum class side : std::uint8_t { left, right };

inline namespace CARAT_ABI {

// The elements of a matrix in the order in which products read them, in their own memory: the
// matrix may change or be destroyed. Copies share the memory. Immutable, so threads may share it.
class prepared_matrix {
  public:
    // An empty 0 x 0 matrix.
    prepared_matrix() = default;
    // Moving copies, so that no object is left half empty.
    prepared_matrix(const prepared_matrix&) = default;
    prepared_matrix& operator=(const prepared_matrix&) = default;

    [[nodiscard]] std::size_t rows() const { return erased_.rows; }
    [[nodiscard]] std::size_t cols() const { return erased_.cols; }
    [[nodiscard]] dtype type() const { return erased_.type; }
    [[nodiscard]] side place() const { return place_; }
    // The bytes of packed elements.
    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
    // The instruction set that it was packed for: baseline, avx2, avx512 or amx.
    [[nodiscard]] std::string_view instruction_set() const { return instruction_set_; }

    // Only the library itself uses these.
    prepared_matrix(std::shared_ptr<const detail::prepared_operand> operand,
                    const detail::erased_matrix& erased, side place, std::size_t size_bytes,
                    std::string_view instruction_set)
        : operand_(std::move(operand)),
          erased_(erased),
          place_(place),
          size_bytes_(size_bytes),
          instruction_set_(instruction_set) {}
    [[nodiscard]] const detail::erased_matrix& erased() const { return erased_; }

    // factor times the matrix, sharing its memory.
    [[nodiscard]] prepared_matrix scaled_by(double factor) const {
        prepared_matrix scaled = *this;
        scaled.erased_.factor *= factor;
        return scaled;
    }

  private:
    std::shared_ptr<const detail::prepared_operand> operand_;
    detail::erased_matrix erased_ = {nullptr, 0, 0, 0, 1, dtype::f64, 1, nullptr};
    side place_ = side::right;
    std::size_t size_bytes_ = 0;
    std::string_view instruction_set_;
};

}  // namespace CARAT_ABI

namespace detail {

CARAT_API prepared_matrix prepare(const erased_matrix& m, side place);

template <class T>
concept preparable = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, f16> ||
    std::same_as<T, bf16> || std::same_as<T, std::int8_t> || std::same_as<T, std::uint8_t>;

}  // namespace detail

[[nodiscard]] inline prepared_matrix scaled(double factor, const prepared_matrix& m) {
    return m.scaled_by(factor);
}

// Packs a matrix, a view, or a scaled or transposed one for this machine. Throws carat::error:
// invalid_argument (null data, or an unknown CARAT_FORCE_ISA), unsupported (one that this machine
// lacks), overflow, out_of_memory.
template <class M>
[[nodiscard]] prepared_matrix prepare(const M& m, side place = side::right) {
    static_assert(detail::operand<const M>,
                  "carat::prepare: takes a carat::matrix, a carat::matrix_view, something like "
                  "std::mdspan of rank 2, or one of these scaled or transposed");
    if constexpr (detail::operand<const M>) {
        using element = detail::element_of<const M>;
        static_assert(detail::preparable<element>,
                      "carat::prepare: elements must be double, float, carat::f16, carat::bf16, "
                      "std::int8_t or std::uint8_t");
        if constexpr (detail::preparable<element>) return detail::prepare(detail::erase(m), place);
    }
}

}  // namespace carat
