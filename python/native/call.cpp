#include "call.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <string>

#include <carat/error.hpp>

#include "docs.hpp"
#include "matmul.hpp"
#include "objects.hpp"
#include "prepared.hpp"

namespace carat::python {

namespace {

using names = std::span<const char* const>;

constexpr std::size_t most_parameters = 11;
// Listed in the order of `keywords`.
constexpr std::array<const char*, most_parameters> of_products = {
    "a",        "b",     "out",    "bias",    "activation", "scale",
    "accuracy", "dtype", "stream", "threads", "ends"};
constexpr std::array<const char*, 2> of_prepare = {"b", "side"};

struct signature {
    const char* function;
    names parameters;
    std::size_t by_position;  // the first of them may be given without their names
    std::size_t required;     // and the first of these must be given
};

std::string listed(names all) {
    std::string text;
    for (const char* const name : all) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

// The arguments of a call; None if absent.
class arguments {
  public:
    arguments(const signature& of, PyObject* const* given, Py_ssize_t count, PyObject* keys)
        : of_(of) {
        given_.fill(nullptr);
        const auto by_position = static_cast<std::size_t>(count);
        if (by_position > of.by_position)
            refuse("takes at most " + std::to_string(of.by_position) +
                   " arguments without a name and got " + std::to_string(by_position) +
                   ": give the others as NAME=VALUE");
        std::copy_n(given, by_position, given_.begin());
        const Py_ssize_t by_name = keys == nullptr ? 0 : PyTuple_Size(keys);
        for (Py_ssize_t i = 0; i < by_name; ++i) {
            const nb::handle key = PyTuple_GetItem(keys, i);
            PyObject*& place = given_[index_of(key)];
            if (place != nullptr) refuse("got " + text_of(key) + " twice: give it once");
            place = given[count + i];
        }
        for (std::size_t i = 0; i < of.required; ++i)
            if (given_[i] == nullptr)
                refuse("needs " + listed(of.parameters.first(of.required)) + ": " +
                       of.parameters[i] + " is missing");
    }

    nb::handle operator[](std::size_t i) const {
        return given_[i] == nullptr ? Py_None : given_[i];
    }

  private:
    [[nodiscard]] std::size_t index_of(nb::handle key) const {
        for (std::size_t i = 0; i < of_.parameters.size(); ++i)
            if (PyUnicode_CompareWithASCIIString(key.ptr(), of_.parameters[i]) == 0) return i;
        refuse("has no argument '" + text_of(key) + "': it takes " + listed(of_.parameters));
    }

    [[noreturn]] void refuse(const std::string& why) const {
        throw nb::type_error((of_.function + (" " + why)).c_str());
    }

    const signature& of_;
    std::array<PyObject*, most_parameters> given_;
};

constexpr signature of_matmul = {"matmul", names(of_products).first(most_parameters - 1), 3, 2};
constexpr signature of_grouped = {"matmul_grouped", of_products, 3, 2};
constexpr signature of_preparing = {"prepare", of_prepare, 1, 1};

nb::object call_matmul(const arguments& x) {
    return matmul(x[0], x[1], {x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]});
}

nb::object call_grouped(const arguments& x) {
    return matmul_grouped(x[0], x[1], {x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10]});
}

nb::object call_prepare(const arguments& x) {
    return nb::cast(prepare(x[0], x[1]));
}

template <const signature& Of, nb::object (*Call)(const arguments&)>
PyObject* entry(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* keys) noexcept {
    try {
        return Call(arguments(Of, given, count, keys)).release().ptr();
    } catch (...) {
        raise_in_python();
        return nullptr;
    }
}

template <const signature& Of, nb::object (*Call)(const arguments&)>
PyMethodDef builtin(const char* doc) {
    return {Of.function, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&entry<Of, Call>)),
            METH_FASTCALL | METH_KEYWORDS, doc};
}

PyObject* exception_of(error_code code) {
    switch (code) {
        case error_code::invalid_argument:
        case error_code::size_mismatch:
        case error_code::aliasing:
        case error_code::overflow:
            return PyExc_ValueError;
        case error_code::out_of_memory:
            return PyExc_MemoryError;
        case error_code::unsupported:
        case error_code::device_failed:
            break;
    }
    return PyExc_RuntimeError;
}

}  // namespace

void raise_in_python() noexcept {
    try {
        throw;
    } catch (nb::python_error& why) {
        why.restore();
    } catch (const nb::builtin_exception& why) {
        const bool of_value = why.type() == nb::exception_type::value_error;
        PyErr_SetString(of_value ? PyExc_ValueError : PyExc_TypeError, why.what());
    } catch (const error& why) {
        PyErr_SetString(exception_of(why.code()), why.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& why) {
        PyErr_SetString(PyExc_RuntimeError, why.what());
    }
}

void add_calls(nb::module_& m) {
    static std::array<PyMethodDef, 4> all = {
        builtin<of_matmul, call_matmul>(matmul_doc), builtin<of_grouped, call_grouped>(grouped_doc),
        builtin<of_preparing, call_prepare>(prepare_doc), PyMethodDef{}};
    if (PyModule_AddFunctions(m.ptr(), all.data()) != 0) nb::raise_python_error();
}

}  // namespace carat::python
