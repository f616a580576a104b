#include "array.hpp"

#include <algorithm>
#include <string>

#include "dtypes.hpp"
#include "objects.hpp"

namespace carat::python {

namespace {

// Errors of an object that is no usable array; KeyboardInterrupt, for example, is not one.
bool is_of_the_object(const nb::python_error& why) {
    return why.matches(PyExc_Exception) && !why.matches(PyExc_MemoryError);
}

std::string first_line_of(nb::python_error& why) {
    const std::string text = text_of(why.value());
    return class_name_of(why.value()) + ": " + text.substr(0, text.find('\n'));
}

}  // namespace

foreign_array::foreign_array(nb::handle source, const char* argument, access how)
    : argument_(argument) {
    try {
        take(source, how);
    } catch (nb::python_error& why) {
        if (!is_of_the_object(why)) throw;
        const std::string line =
            argument_ + (" is a " + class_name_of(source)) + " that does not hand out its memory" +
            (how == access::write ? " to be written: " : ": ") + first_line_of(why);
        nb::raise_from(why, PyExc_TypeError, "%s", line.c_str());
    }
    check_memory();
}

void foreign_array::take(nb::handle source, access how) {
    const bool of_ndarray = is_ndarray(source);
    of_numpy_ = of_ndarray || !class_has(source, "__dlpack__");
    if (of_numpy_ && overrides_ufuncs(source))
        throw class_answers(argument_ + (" is a " + class_name_of(source)) +
                            ", which overrides NumPy's functions (__array_ufunc__): give its "
                            "plain values");
    if (!of_ndarray) {
        if (!take_buffer(source, how) && !take_array_interface(source, how))
            take_dlpack(source, how);
        return;
    }
    if (is_masked(source))
        refuse(
            "is a masked array, whose mask carat would ignore: give its filled(0), which is what "
            "numpy.ma.dot multiplies");
    take_numpy(source, how);
}

void foreign_array::refuse(const std::string& why) const {
    throw nb::type_error((argument_ + (" " + why)).c_str());
}

void foreign_array::refuse_value(const std::string& why) const {
    throw nb::value_error((argument_ + (" " + why)).c_str());
}

void foreign_array::refuse_type(const std::string& type) const {
    refuse("has elements of type " + type + ", which carat does not multiply; convert it" +
           (of_numpy_ ? " with astype" : ""));
}

void foreign_array::set_row_major() {
    std::int64_t stride = 1;
    for (std::size_t i = axes_; i-- > 0; stride *= shape_[i]) strides_[i] = stride;
}

void foreign_array::set_axes(std::size_t axes, const std::int64_t* shape,
                             const std::int64_t* strides_bytes) {
    if (axes > most_axes)
        refuse_value("has " + std::to_string(axes) + " dimensions: at most " +
                     std::to_string(most_axes));
    axes_ = axes;
    if (axes > 0 && shape == nullptr) refuse("does not say how long it is");
    std::copy_n(shape, axes, shape_.begin());
    if (strides_bytes == nullptr) return set_row_major();
    const auto size = static_cast<std::int64_t>(size_bytes(type_));
    for (std::size_t i = 0; i < axes; ++i) {
        if (strides_bytes[i] % size != 0)
            refuse_value("has a stride of " + std::to_string(strides_bytes[i]) +
                         " bytes with elements of " + std::to_string(size) +
                         ": strides must be whole elements; copy it first");
        strides_[i] = strides_bytes[i] / size;
    }
}

// Addresses that another library filled in are not trusted.
void foreign_array::check_memory() const {
    const auto extents = shape();
    if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent < 0; }))
        refuse("is " + size_of(extents) + ": sizes can't be negative");
    const bool empty =
        std::ranges::any_of(extents, [](std::int64_t extent) { return extent == 0; });
    if (data_ == nullptr && !empty) refuse("has no memory: its address is null");
}

bool foreign_array::take_buffer(nb::handle source, access how) {
    if (PyObject_CheckBuffer(source.ptr()) == 0) return false;
    Py_buffer& view = buffer_.view;
    const int flags = how == access::write ? PyBUF_RECORDS : PyBUF_RECORDS_RO;
    if (PyObject_GetBuffer(source.ptr(), &view, flags) != 0) {
        view.obj = nullptr;
        nb::python_error why;
        if (!is_of_the_object(why)) throw why;
        why_no_buffer_ = first_line_of(why);
        return false;
    }
    const auto size = static_cast<std::size_t>(view.itemsize);
    const std::optional<dtype> type = type_of_format(view.format, size);
    if (!type) {
        const nb::object named = attribute_of(source, "dtype");
        const std::string format = view.format == nullptr ? "" : view.format;
        refuse_type(named.is_valid() ? text_of(named) : "'" + format + "'");
    }
    type_ = *type;
    data_ = static_cast<std::byte*>(view.buf);
    if (view.suboffsets != nullptr) refuse("has its elements behind pointers: copy it first");
    // Some exporters give no strides for contiguous memory even if asked, such as ctypes.
    set_axes(static_cast<std::size_t>(view.ndim), view.shape, view.strides);
    return true;
}

std::string size_of(std::span<const std::int64_t> shape) {
    std::string text;
    for (const std::int64_t extent : shape)
        text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text.empty() ? "a number" : text;
}

nb::object empty_like(nb::handle like, bool of_numpy, bool on_gpu,
                      std::span<const std::int64_t> shape, dtype type) {
    nb::object sizes = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
    for (std::size_t i = 0; i < shape.size(); ++i)
        PyTuple_SetItem(sizes.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
    if (!of_numpy) {
        nb::object made =
            nb::module_::import_("carat_gemm._arrays")
                .attr("empty_like")(like, sizes, nb::str(numpy_name(type).data()), on_gpu);
        if (!made.is_none()) return made;
    }
    static const nb::object& empty = *new nb::object(nb::module_::import_("numpy").attr("empty"));
    return empty(sizes, numpy_dtype(type));
}

}  // namespace carat::python
