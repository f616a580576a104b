// NumPy's array interface: __array_struct__ of its own arrays, __array_interface__ of others'.
#include <bit>
#include <cstdlib>
#include <vector>

#include "array.hpp"
#include "dtypes.hpp"
#include "objects.hpp"

namespace carat::python {

namespace {

// The C struct of the array interface, as NumPy's documentation defines it.
struct array_struct {
    int two;
    int axes;
    char kind;
    int item_bytes;
    int flags;
    Py_ssize_t* shape;
    Py_ssize_t* strides;
    void* data;
    PyObject* description;
};
constexpr int in_native_order = 0x200;
constexpr int is_writeable = 0x400;

// Bytes without a meaning, which is how NumPy sees ml_dtypes' types.
constexpr char kind_of_bytes = 'V';

constexpr char other_order = std::endian::native == std::endian::little ? '>' : '<';

std::int64_t whole_number(nb::handle value) {
    const long long number = PyLong_AsLongLong(value.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
    return number;
}

std::vector<std::int64_t> whole_numbers(nb::handle sequence) {
    std::vector<std::int64_t> numbers;
    for (const nb::handle value : nb::iter(sequence)) numbers.push_back(whole_number(value));
    return numbers;
}

}  // namespace

void foreign_array::take_numpy(nb::handle source, access how) {
    const nb::object capsule = source.attr("__array_struct__");
    const auto* const about =
        static_cast<const array_struct*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
    if (about == nullptr) nb::raise_python_error();
    const auto size = static_cast<std::size_t>(about->item_bytes);
    const bool swapped = size > 1 && (about->flags & in_native_order) == 0;
    std::optional<dtype> type;
    if (!swapped)
        type = about->kind == kind_of_bytes ? type_of_ml_dtypes(source.attr("dtype"), size)
                                            : type_of_kind(about->kind, size);
    if (!type) {
        const nb::object named = source.attr("dtype");
        refuse_type(text_of(named) + (nb::object(named.attr("isnative")).is(Py_False)
                                          ? " in the other byte order"
                                          : ""));
    }
    if (how == access::write && (about->flags & is_writeable) == 0) refuse_value("is read-only");
    type_ = *type;
    data_ = static_cast<std::byte*>(about->data);
    set_axes(static_cast<std::size_t>(about->axes), about->shape, about->strides);
    owner_ = nb::borrow(source);
}

bool foreign_array::take_array_interface(nb::handle source, access how) {
    const nb::object found = attribute_of(source, "__array_interface__");
    if (!found.is_valid()) return false;
    if (!nb::isinstance<nb::dict>(found)) refuse("has an __array_interface__ that is no dict");
    const auto about = nb::borrow<nb::dict>(found);
    const auto entry = [&](const char* key) { return about.get(key, nb::none()); };

    const std::string typestr = text_of(entry("typestr"));
    const bool known = typestr.size() >= 3;
    const auto size = known ? std::strtoul(typestr.c_str() + 2, nullptr, 10) : 0;
    const bool swapped = known && typestr[0] == other_order && size > 1;
    std::optional<dtype> type;
    if (known && !swapped)
        type = typestr[1] == kind_of_bytes ? type_of_ml_dtypes(attribute_of(source, "dtype"), size)
                                           : type_of_kind(typestr[1], size);
    if (!type) refuse_type("'" + typestr + "'");
    if (!entry("mask").is_none()) refuse("has a mask, which carat would ignore: fill it first");

    const nb::object at = entry("data");
    if (!PyTuple_Check(at.ptr()) || nb::len(at) != 2)
        refuse("has an __array_interface__ without an address");
    if (how == access::write && nb::object(at[1]).is(Py_True)) refuse_value("is read-only");
    type_ = *type;
    data_ = reinterpret_cast<std::byte*>(whole_number(nb::object(at[0])));
    const std::vector<std::int64_t> shape = whole_numbers(entry("shape"));
    const nb::object steps = entry("strides");
    const std::vector<std::int64_t> strides =
        steps.is_none() ? std::vector<std::int64_t>() : whole_numbers(steps);
    if (!steps.is_none() && strides.size() != shape.size())
        refuse("has " + std::to_string(shape.size()) + " sizes and " +
               std::to_string(strides.size()) + " strides: they must be as many");
    set_axes(shape.size(), shape.data(), steps.is_none() ? nullptr : strides.data());
    owner_ = nb::borrow(source);
    return true;
}

}  // namespace carat::python
