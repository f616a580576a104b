#include "options.hpp"

#include <string>

#include "array.hpp"
#include "core/dtype_traits.hpp"
#include "dtypes.hpp"
#include "objects.hpp"

namespace carat::python {

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw nb::value_error(why.c_str());
}

bool is(nb::handle text, const char* word) {
    return PyUnicode_Check(text.ptr()) && PyUnicode_CompareWithASCIIString(text.ptr(), word) == 0;
}

std::string shown(nb::handle value) {
    return nb::repr(value).c_str();
}

// A Python number, or an array without dimensions.
bool is_number(nb::handle value) {
    if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) return true;
    if (is_masked(value) || overrides_ufuncs(value)) return false;
    const nb::object shape = attribute_of(value, "shape");
    return shape.is_valid() && nb::len(shape) == 0;
}

template <class T>
void read_as(const foreign_array& from, std::size_t axis, std::vector<T>& values) {
    const auto count = static_cast<std::size_t>(from.shape()[axis]);
    const std::int64_t stride = from.strides()[axis];
    values.reserve(count);
    core::visit(from.type(), [&]<class E>(core::element_tag<E>) {
        const auto* const first = reinterpret_cast<const E*>(from.data());
        for (std::size_t i = 0; i < count; ++i)
            values.push_back(static_cast<T>(first[static_cast<std::int64_t>(i) * stride]));
    });
}

detail::step_kind activation_of(nb::handle asked) {
    if (is(asked, "relu")) return detail::step_kind::relu;
    if (is(asked, "gelu")) return detail::step_kind::gelu;
    if (is(asked, "silu")) return detail::step_kind::silu;
    refuse("activation is " + shown(asked) +
           ": it must be None, 'relu', 'gelu' (by tanh) or 'silu'");
}

}  // namespace

void check_end(const keywords& asked, dtype result) {
    if (is_byte_integer(result) && !has_epilogue(asked))
        refuse("the result is " + std::string(numpy_name(result)) +
               ", which wants a scale that brings sums into its range");
}

epilogue::epilogue(const keywords& asked, carat::dtype sums, std::int64_t rows, std::int64_t cols,
                   bool on_gpu)
    : of_doubles_(sums == dtype::f64), on_gpu_(on_gpu) {
    if (!asked.scale.is_none()) {
        if (is_number(asked.scale)) {
            steps_.at[steps_.count++] = {.kind = detail::step_kind::scale_all,
                                         .number = nb::cast<double>(nb::float_(asked.scale))};
        } else {
            add_values(asked.scale, "scale", detail::step_kind::scale, rows, cols);
        }
    }
    if (!asked.bias.is_none()) add_values(asked.bias, "bias", detail::step_kind::bias, rows, cols);
    if (!asked.activation.is_none())
        steps_.at[steps_.count++] = {.kind = activation_of(asked.activation)};
}

// (n) and (1, n) have a value for each column of C, (m, 1) for each row, as in broadcasting.
void epilogue::add_values(nb::handle values, const char* argument, detail::step_kind kind,
                          std::int64_t rows, std::int64_t cols) {
    const foreign_array from(values, argument);
    const auto shape = from.shape();
    const bool down = shape.size() == 2 && shape[1] == 1 && shape[0] == rows && rows != 1;
    const bool across = (shape.size() == 1 && shape[0] == cols) ||
                        (shape.size() == 2 && shape[0] == 1 && shape[1] == cols);
    if (!down && !across)
        refuse(std::string(argument) + " is " + size_of(shape) + " but a product is " +
               std::to_string(rows) + " x " + std::to_string(cols) + ": give " +
               std::to_string(cols) + " values, one for each column, or " + std::to_string(rows) +
               " x 1, one for each row");
    detail::epilogue_step step = {.kind = kind, .of = down ? by::row : by::column};
    const std::size_t axis = down ? 0 : shape.size() - 1;
    const std::size_t slot = kind == detail::step_kind::bias ? 1 : 0;
    step.count = static_cast<std::size_t>(shape[axis]);
    step.values = of_doubles_ ? values_at(from, axis, argument, doubles_[slot])
                              : values_at(from, axis, argument, floats_[slot]);
    by_rows_ = by_rows_ || down;
    steps_.at[steps_.count++] = step;
}

// Values on a GPU are used in place, as they cannot be converted there.
template <class T>
const void* epilogue::values_at(const foreign_array& from, std::size_t axis, const char* argument,
                                std::vector<T>& copy) const {
    if (on_gpu_ != from.gpu().has_value())
        refuse(std::string(argument) +
               (on_gpu_ ? " is in this machine's memory but a is on a GPU"
                        : " is on a GPU but a is in this machine's memory") +
               ": both must be in the same memory");
    if (!on_gpu_) {
        read_as(from, axis, copy);
        return copy.data();
    }
    if (from.type() != dtype_of_v<T> || (from.shape()[axis] > 1 && from.strides()[axis] != 1))
        refuse(std::string(argument) + " on a GPU must be contiguous and of type " +
               std::string(numpy_name(dtype_of_v<T>)));
    return from.data();
}

bool is_plain(const keywords& asked) {
    return !has_epilogue(asked) && asked.dtype.is_none() && asked.stream.is_none() &&
           asked.threads.is_none() && (asked.accuracy.is_none() || is(asked.accuracy, "native"));
}

cpu on_cpu(const keywords& asked, dtype type) {
    cpu where;
    if (is_fp8(type))
        throw nb::type_error(("a is " + std::string(numpy_name(type)) +
                              " in this machine's memory: fp8 is multiplied on GPUs; convert a "
                              "and b, for example with astype('float32')")
                                 .c_str());
    if (!asked.stream.is_none())
        refuse("stream is " + shown(asked.stream) +
               " but a is in this machine's memory: streams "
               "are for arrays on a GPU");
    if (!asked.threads.is_none() && !nb::try_cast(asked.threads, where.threads))
        throw nb::type_error(
            ("threads is " + shown(asked.threads) + ": it must be a whole number, or None")
                .c_str());
    if (asked.accuracy.is_none() || is(asked.accuracy, "native")) return where;
    if (!is(asked.accuracy, "f16_sums") || type != dtype::f16)
        refuse("accuracy is " + shown(asked.accuracy) + " and a is " +
               std::string(numpy_name(type)) +
               ": on a CPU it must be 'native', or of float16 'f16_sums'");
    where.f16 = f16_as::f16_sums;
    return where;
}

cuda on_gpu(const keywords& asked, dtype type, nb::handle like, int device) {
    cuda where{.device = device};
    where.stream = reinterpret_cast<CUstream_st*>(
        nb::cast<std::uintptr_t>(nb::module_::import_("carat_gemm._arrays")
                                     .attr("stream_address")(asked.stream, like, device)));
    if (asked.accuracy.is_none() || is(asked.accuracy, "native")) return where;
    if (type == dtype::f32 && is(asked.accuracy, "tf32"))
        where.f32 = f32_as::tf32;
    else if (type == dtype::f32 && is(asked.accuracy, "three_tf32"))
        where.f32 = f32_as::three_tf32;
    else
        refuse("accuracy is " + shown(asked.accuracy) + " and a is " +
               std::string(numpy_name(type)) +
               ": on a GPU it must be 'native', or of float32 'tf32' or 'three_tf32'");
    return where;
}

}  // namespace carat::python
