#include "array.hpp"

#include <string>

#include "dtypes.hpp"

namespace carat::python {

namespace {

std::string text_of(nb::handle value) {
    return nb::steal<nb::str>(PyObject_Str(value.ptr())).c_str();
}

// Strides in bytes, as buffers have them, in elements.
void divide_strides(const char* argument, std::span<std::int64_t> strides, std::int64_t size) {
    for (std::int64_t& stride : strides) {
        if (stride % size != 0)
            throw nb::value_error((std::string(argument) + " has a stride of " +
                                   std::to_string(stride) + " bytes with elements of " +
                                   std::to_string(size) +
                                   ": strides must be whole elements; copy it first")
                                      .c_str());
        stride /= size;
    }
}

// JAX's arrays are buffers, too.
bool is_of_numpy(nb::handle source) {
    static const nb::object& ndarray =
        *new nb::object(nb::module_::import_("numpy").attr("ndarray"));
    return PyObject_TypeCheck(source.ptr(), reinterpret_cast<PyTypeObject*>(ndarray.ptr())) != 0 ||
           !nb::hasattr(source, "__dlpack__");
}

}  // namespace

foreign_array::foreign_array(nb::handle source, const char* argument, access how)
    : argument_(argument) {
    buffer_.obj = nullptr;
    try {
        if (take_buffer(source, how) || take_array_interface(source, how)) return;
        take_dlpack(source, how);
    } catch (...) {
        if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
        throw;
    }
}

foreign_array::~foreign_array() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

void foreign_array::refuse(const std::string& why) const {
    throw nb::type_error((argument_ + (" " + why)).c_str());
}

void foreign_array::set_axes(std::size_t axes) {
    if (axes > most_axes)
        throw nb::value_error((std::string(argument_) + " has " + std::to_string(axes) +
                               " dimensions: at most " + std::to_string(most_axes))
                                  .c_str());
    axes_ = axes;
}

bool foreign_array::take_buffer(nb::handle source, access how) {
    if (PyObject_CheckBuffer(source.ptr()) == 0) return false;
    const int flags = how == access::write ? PyBUF_RECORDS : PyBUF_RECORDS_RO;
    if (PyObject_GetBuffer(source.ptr(), &buffer_, flags) != 0) {
        buffer_.obj = nullptr;
        // Of NumPy: elements that the protocol has no letter for, or an array that is read-only.
        PyErr_Clear();
        return false;
    }
    const auto size = static_cast<std::size_t>(buffer_.itemsize);
    const std::optional<dtype> type = type_of_format(buffer_.format, size);
    if (!type) {
        const std::string format = buffer_.format == nullptr ? "" : buffer_.format;
        refuse(nb::hasattr(source, "dtype")
                   ? "has elements of type " + text_of(source.attr("dtype")) +
                         ", which carat does not multiply; convert it with astype"
                   : "has elements of format '" + format + "', which carat does not multiply");
    }
    type_ = *type;
    of_numpy_ = is_of_numpy(source);
    set_axes(static_cast<std::size_t>(buffer_.ndim));
    data_ = static_cast<std::byte*>(buffer_.buf);
    for (std::size_t i = 0; i < axes_; ++i) {
        shape_[i] = buffer_.shape[i];
        strides_[i] = buffer_.strides[i];
    }
    divide_strides(argument_, {strides_.data(), axes_}, buffer_.itemsize);
    return true;
}

// The type is looked for in the dtype's name, since the interface calls all of ml_dtypes' "V2",
// "V1".
bool foreign_array::take_array_interface(nb::handle source, access how) {
    if (!nb::hasattr(source, "__array_interface__") || !nb::hasattr(source, "dtype")) return false;
    const nb::dict about = nb::cast<nb::dict>(source.attr("__array_interface__"));
    const nb::object type_name = nb::getattr(source.attr("dtype"), "name", nb::str(""));
    const std::optional<dtype> type = type_named(nb::borrow<nb::str>(type_name).c_str());
    if (!type)
        refuse("has elements of type " + text_of(source.attr("dtype")) +
               ", which carat does not multiply; convert it with astype");
    const nb::tuple at = nb::cast<nb::tuple>(about["data"]);
    if (how == access::write && nb::cast<bool>(at[1]))
        throw nb::value_error((std::string(argument_) + " is read-only").c_str());
    type_ = *type;
    data_ = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(at[0]));
    const nb::tuple shape = nb::cast<nb::tuple>(about["shape"]);
    set_axes(nb::len(shape));
    std::int64_t contiguous = 1;
    for (std::size_t i = axes_; i-- > 0;) {
        shape_[i] = nb::cast<std::int64_t>(shape[i]);
        strides_[i] = contiguous;
        contiguous *= shape_[i];
    }
    if (const nb::object strides = about["strides"]; !strides.is_none()) {
        for (std::size_t i = 0; i < axes_; ++i) strides_[i] = nb::cast<std::int64_t>(strides[i]);
        divide_strides(argument_, {strides_.data(), axes_},
                       static_cast<std::int64_t>(size_bytes(type_)));
    }
    owner_ = nb::borrow(source);
    of_numpy_ = is_of_numpy(source);
    return true;
}

void foreign_array::take_dlpack(nb::handle source, access how) {
    if (!nb::hasattr(source, "__dlpack__"))
        refuse("is a " + text_of(source.type().attr("__name__")) +
               ": give an array of NumPy, PyTorch, CuPy, JAX or another with __dlpack__; "
               "numpy.asarray makes one of lists");
    bool taken = false;
    if (how == access::write) {
        nb::ndarray<> writable;
        taken = nb::try_cast(source, writable);
        dlpack_ = nb::ndarray<nb::ro>(writable);
    } else {
        taken = nb::try_cast(source, dlpack_);
    }
    const std::string kind = text_of(source.type().attr("__name__"));
    if (!taken)
        refuse("is a " + kind + " that its library does not hand out" +
               (how == access::write ? " to be written" : "") +
               ": it may be read-only or, of PyTorch, want detach()");
    const std::optional<dtype> type = type_of(dlpack_.dtype());
    if (!type)
        refuse("has elements of type " + text_of(source.attr("dtype")) +
               ", which carat does not multiply; convert it");
    type_ = *type;
    set_axes(dlpack_.ndim());
    for (std::size_t i = 0; i < axes_; ++i) {
        shape_[i] = static_cast<std::int64_t>(dlpack_.shape(i));
        strides_[i] = dlpack_.stride(i);
    }
    data_ = static_cast<std::byte*>(const_cast<void*>(dlpack_.data()));
    if (dlpack_.device_type() == nb::device::cuda::value)
        gpu_ = dlpack_.device_id();
    else if (dlpack_.device_type() != nb::device::cpu::value)
        refuse("is neither in the memory of this machine nor of an NVIDIA GPU");
    of_numpy_ = false;
}

std::string size_of(std::span<const std::int64_t> shape) {
    std::string text;
    for (const std::int64_t extent : shape)
        text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text.empty() ? "a number" : text;
}

nb::object empty_like(nb::handle like, bool of_numpy, std::span<const std::int64_t> shape,
                      dtype type) {
    nb::object sizes = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
    for (std::size_t i = 0; i < shape.size(); ++i)
        PyTuple_SetItem(sizes.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
    if (!of_numpy)
        return nb::module_::import_("carat_gemm._arrays")
            .attr("empty_like")(like, sizes, nb::str(numpy_name(type).data()));
    static const nb::object& empty = *new nb::object(nb::module_::import_("numpy").attr("empty"));
    return empty(sizes, numpy_dtype(type));
}

}  // namespace carat::python
