#include "objects.hpp"

namespace carat::python {

namespace {

// Never released, as the interpreter may be gone by then.
PyObject* kept(const char* module, const char* name) {
    return nb::object(nb::module_::import_(module).attr(name)).release().ptr();
}

nb::handle ndarray() {
    static PyObject* const type = kept("numpy", "ndarray");
    return type;
}

bool is_instance(nb::handle source, nb::handle type) {
    return PyObject_TypeCheck(source.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())) != 0;
}

}  // namespace

std::string text_of(nb::handle value) {
    return nb::str(value).c_str();
}

std::string class_name_of(nb::handle value) {
    return text_of(value.type().attr("__name__"));
}

nb::object attribute_of(nb::handle value, const char* name) {
    nb::object found = nb::steal(PyObject_GetAttrString(value.ptr(), name));
    if (found.is_valid()) return found;
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) nb::raise_python_error();
    PyErr_Clear();
    return found;
}

bool is_ndarray(nb::handle source) {
    return is_instance(source, ndarray());
}

bool class_has(nb::handle source, const char* attribute) {
    return nb::hasattr(source.type(), attribute);
}

bool overrides_ufuncs(nb::handle source) {
    const nb::handle type = source.type();
    if (type.is(ndarray())) return false;
    constexpr const char* name = "__array_ufunc__";
    if (!nb::hasattr(type, name)) return false;
    if (!is_ndarray(source)) return !nb::hasattr(type, "__dlpack__");
    return !nb::object(type.attr(name)).is(nb::object(ndarray().attr(name)));
}

bool is_masked(nb::handle source) {
    if (source.type().is(ndarray()) || !is_ndarray(source)) return false;
    static PyObject* const masked = kept("numpy.ma", "MaskedArray");
    return is_instance(source, masked);
}

}  // namespace carat::python
