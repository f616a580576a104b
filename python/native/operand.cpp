#include "operand.hpp"

#include <string>

namespace carat::python {

namespace {

// A vector is a row on the left of a product and a column on the right, as in numpy.matmul.
detail::erased_matrix last_two(const foreign_array& from, side place) {
    const auto shape = from.shape();
    const auto strides = from.strides();
    const auto extent = [&](std::size_t i) { return static_cast<std::size_t>(shape[i]); };
    const std::size_t last = from.axes() - 1;
    if (from.axes() == 1 && place == side::left)
        return {from.data(), 1, extent(0), 0, strides[0], from.type(), 1};
    if (from.axes() == 1) return {from.data(), extent(0), 1, strides[0], 0, from.type(), 1};
    return {from.data(),
            extent(last - 1),
            extent(last),
            strides[last - 1],
            strides[last],
            from.type(),
            1};
}

}  // namespace

operand::operand(nb::handle source, const char* argument, side place, access how) {
    if (const prepared_matrix * ready; nb::try_cast(source, ready) && ready != nullptr) {
        matrix_ = ready->erased();
        return;
    }
    array_.emplace(source, argument, how);
    if (array_->axes() == 0)
        throw nb::value_error((std::string(argument) +
                               " is a number: give an array of at least one dimension, or "
                               "multiply with *")
                                  .c_str());
    is_vector_ = array_->axes() == 1;
    matrix_ = last_two(*array_, place);
}

}  // namespace carat::python
