// One operand of a product: a vector, a matrix, a stack of matrices or a prepared matrix.
#pragma once

#include <optional>
#include <span>

#include <carat/prepare.hpp>

#include "array.hpp"

namespace carat::python {

class operand {
  public:
    operand(nb::handle source, const char* argument, side place, access how = access::read);

    // The matrix of the last two axes, the first of the stack.
    [[nodiscard]] const detail::erased_matrix& matrix() const { return matrix_; }
    [[nodiscard]] bool is_vector() const { return is_vector_; }
    [[nodiscard]] dtype type() const { return matrix_.type; }
    [[nodiscard]] std::span<const std::int64_t> stack_shape() const { return stack(shape()); }
    [[nodiscard]] std::span<const std::int64_t> stack_strides() const {
        return array_ ? stack(array_->strides()) : std::span<const std::int64_t>();
    }
    // The array, unless prepared.
    [[nodiscard]] const std::optional<foreign_array>& array() const { return array_; }
    [[nodiscard]] std::optional<int> gpu() const {
        return array_ ? array_->gpu() : std::optional<int>();
    }

  private:
    [[nodiscard]] std::span<const std::int64_t> shape() const {
        return array_ ? array_->shape() : std::span<const std::int64_t>();
    }
    [[nodiscard]] static std::span<const std::int64_t> stack(std::span<const std::int64_t> all) {
        return all.first(all.size() > 2 ? all.size() - 2 : 0);
    }

    std::optional<foreign_array> array_;
    detail::erased_matrix matrix_;
    bool is_vector_ = false;
};

}  // namespace carat::python
