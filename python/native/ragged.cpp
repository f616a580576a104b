// Products that divide the rows, or K, of one matrix by an array of ends, which is in the operands'
// memory.
#include <algorithm>
#include <string>
#include <vector>

#include "dtypes.hpp"
#include "matmul.hpp"
#include "run.hpp"

namespace carat::python {

namespace {

using detail::erased_batch;
using detail::erased_matrix;

class array_of_ends {
  public:
    array_of_ends(nb::handle source, const operand& a) : array_(source, "ends") {
        if (array_.axes() != 1 || array_.type() != dtype::i32)
            throw nb::type_error(("ends is " + size_of(array_.shape()) + " " +
                                  std::string(numpy_name(array_.type())) +
                                  ": it must be a line of int32")
                                     .c_str());
        if (count() > 1 && array_.strides()[0] != 1)
            throw nb::value_error("ends has gaps between its numbers: copy it");
        if (array_.gpu() != a.gpu())
            throw nb::value_error("ends and a are in different memory: move ends to a's");
    }
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(array_.shape()[0]); }

    // The divided rows or columns.
    [[nodiscard]] erased_batch share_out(const erased_matrix& all, bool by_columns) const {
        erased_batch of = {all, count(), 0, nullptr};
        of.ragged = true;
        of.by_columns = by_columns;
        of.ends = reinterpret_cast<const std::int32_t*>(array_.data());
        return of;
    }

  private:
    foreign_array array_;
};

void check_axes(const operand& x, const char* argument, std::size_t stacked, const char* what) {
    if (!x.is_vector() && x.array() && x.stack_shape().size() == stacked) return;
    throw nb::value_error(
        (std::string(argument) + " must be " + what + " if ends is given").c_str());
}

erased_batch stack_of(const operand& x, std::size_t count, const char* argument) {
    const auto shape = x.stack_shape();
    if (shape[0] != static_cast<std::int64_t>(count))
        throw nb::value_error((std::string(argument) + " is a stack of " + size_of(shape) +
                               " matrices and ends has " + std::to_string(count) +
                               ": they must be as many")
                                  .c_str());
    return {x.matrix(), count, x.stack_strides()[0], nullptr};
}

}  // namespace

nb::object matmul_shared_out(nb::handle a_source, nb::handle b_source, const keywords& asked) {
    const operand a(a_source, "a", side::left);
    const operand b(b_source, "b", side::right);
    check_axes(a, "a", 0, "a matrix");
    const bool along_k = b.array() && b.array()->axes() == 2;
    if (!along_k) check_axes(b, "b", 1, "a matrix or a stack of them");
    const std::optional<int> gpu = common_gpu(a, b);
    const array_of_ends ends(asked.ends, a);
    std::vector<std::int64_t> shape = {static_cast<std::int64_t>(a.matrix().rows),
                                       static_cast<std::int64_t>(b.matrix().cols)};
    if (along_k) shape.insert(shape.begin(), static_cast<std::int64_t>(ends.count()));

    const bool of_numpy = a.array()->of_numpy();
    nb::object result = nb::borrow(asked.out);
    if (asked.out.is_none()) {
        const dtype type = asked.dtype.is_none() ? natural_result(a.type(), b.type())
                                                 : type_asked(asked.dtype, "dtype");
        check_result(a.type(), type);
        result = empty_like(a_source, of_numpy, gpu.has_value(), shape, type);
    }
    const operand c(result, "out", side::left, access::write);
    if (!std::ranges::equal(c.array()->shape(), shape))
        throw nb::value_error(
            ("out is " + size_of(c.array()->shape()) + " but the products are " + size_of(shape))
                .c_str());
    check_result(a.type(), c.type());
    check_end(asked, c.type());
    std::optional<epilogue> last;
    if (has_epilogue(asked))
        last.emplace(asked, a.type(), static_cast<std::int64_t>(a.matrix().rows),
                     static_cast<std::int64_t>(b.matrix().cols), gpu.has_value());
    const double work = static_cast<double>(a.matrix().rows) *
                        static_cast<double>(a.matrix().cols) * static_cast<double>(b.matrix().cols);
    const detail::epilogue_steps* const steps = last ? last->steps() : nullptr;
    if (along_k)
        run_many(asked, a_source, gpu, work, ends.share_out(a.matrix(), true),
                 ends.share_out(b.matrix(), false), stack_of(c, ends.count(), "out"), steps);
    else
        run_many(asked, a_source, gpu, work, ends.share_out(a.matrix(), false),
                 stack_of(b, ends.count(), "b"), ends.share_out(c.matrix(), false), steps);
    if (of_numpy || !asked.out.is_none()) return result;
    return nb::module_::import_("carat_gemm._arrays").attr("returned")(a_source, result);
}

}  // namespace carat::python
