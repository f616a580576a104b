// DLPack: arrays of PyTorch, CuPy, JAX and other libraries, also on a GPU.
#include "array.hpp"
#include "dtypes.hpp"
#include "objects.hpp"

namespace carat::python {

namespace {

// Asks for version 1 or for the one before, which has no read-only arrays, is the only one that
// older libraries know, and is faster in most.
nb::object capsule_of(nb::handle source, bool versioned) {
    const nb::object make = source.attr("__dlpack__");
    return versioned ? make(nb::arg("max_version") = nb::make_tuple(1, 0)) : make();
}

nb::object capsule_of(nb::handle source, access how) {
    const bool versioned = how == access::write;
    try {
        return capsule_of(source, versioned);
    } catch (nb::python_error& why) {
        // An array that refuses to be written must not come as one that cannot say so.
        if (!why.matches(PyExc_TypeError) && (versioned || !why.matches(PyExc_BufferError))) throw;
        try {
            return capsule_of(source, !versioned);
        } catch (nb::python_error& other) {
            if (!other.matches(PyExc_TypeError)) throw;
        }
        throw;  // the first: the other way may just not be known there
    }
}

// Its arrays are immutable, but their capsules do not say so.
bool is_of_jax(nb::handle source) {
    return text_of(source.type().attr("__module__")).starts_with("jax");
}

template <class Array>
bool read(nb::handle capsule, nb::ndarray<nb::ro>& into) {
    Array array;
    if (!nb::try_cast(capsule, array)) return false;
    into = nb::ndarray<nb::ro>(array);
    return true;
}

std::string name_of(nb::handle source, nb::dlpack::dtype type) {
    const nb::object named = attribute_of(source, "dtype");
    return named.is_valid() ? text_of(named)
                            : "number " + std::to_string(type.code) + " of DLPack, " +
                                  std::to_string(type.bits) + " bits";
}

}  // namespace

void foreign_array::take_dlpack(nb::handle source, access how) {
    const bool writes = how == access::write;
    const auto refuse_it = [&](const std::string& why) {
        refuse("is a " + class_name_of(source) + why);
    };
    if (of_numpy_ && why_no_buffer_.empty())
        refuse_it(
            ": give an array of NumPy, PyTorch, CuPy, JAX or another with __dlpack__; "
            "numpy.asarray makes one of lists");
    if (of_numpy_)
        refuse_it(" that does not hand out its memory" +
                  std::string(writes ? " to be written: " : ": ") + why_no_buffer_);
    if (writes && is_of_jax(source))
        refuse("is an array of JAX, which nothing may write: leave it out");
    const nb::object capsule = capsule_of(source, how);
    if (PyCapsule_CheckExact(capsule.ptr()) == 0)
        refuse_it(" whose __dlpack__ returns a " + class_name_of(capsule) +
                  ": it must be a capsule");
    if (!(writes ? read<nb::ndarray<>>(capsule, dlpack_)
                 : read<nb::ndarray<nb::ro>>(capsule, dlpack_)))
        refuse_it(std::string(" whose capsule of DLPack can't be read: it may ") +
                  (writes ? "be read-only" : "have been used up"));
    const std::optional<dtype> type = type_of(dlpack_.dtype());
    if (!type) refuse_type(name_of(source, dlpack_.dtype()));
    type_ = *type;
    if (dlpack_.device_type() == nb::device::cuda::value)
        gpu_ = dlpack_.device_id();
    else if (dlpack_.device_type() != nb::device::cpu::value)
        refuse("is neither in the memory of this machine nor of an NVIDIA GPU");
    data_ = static_cast<std::byte*>(const_cast<void*>(dlpack_.data()));
    set_axes(dlpack_.ndim(), dlpack_.shape_ptr(), nullptr);
    for (std::size_t i = 0; i < axes_; ++i) strides_[i] = dlpack_.stride(i);
}

}  // namespace carat::python
