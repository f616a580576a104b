// carat_gemm._native: the library's interface for Python. Signatures and types are in _native.pyi.
#include <nanobind/nanobind.h>
#include <vector>

#include "call.hpp"
#include "explain.hpp"
#include "prepared.hpp"

// What nanobind defines; see below.
NB_MODULE(_native_in_main, m) {
    using namespace carat::python;
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception&) {
            raise_in_python();
        }
    });
    m.attr("__version__") = CARAT_VERSION;
    add_prepared(m);
    add_calls(m);
    add_explain(m);
}

namespace {

// nanobind has one set of classes in a process, that of the interpreter which imported it last: an
// earlier interpreter would no longer know a Prepared. From Python 3.12 on nanobind refuses to be
// imported where sub-interpreters are isolated; elsewhere this does.
int refuse_sub_interpreters(PyObject*) {
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return 0;
    PyErr_SetString(PyExc_ImportError,
                    "carat_gemm does not support loading in sub-interpreters: import it in the "
                    "main interpreter, or in a process of its own");
    return -1;
}

}  // namespace

extern "C" NB_EXPORT PyObject* PyInit__native();
extern "C" NB_EXPORT PyObject* PyInit__native() {
    static auto& slots = *new std::vector<PyModuleDef_Slot>;  // for as long as the process
    PyObject* const made = PyInit__native_in_main();
    if (made == nullptr || !slots.empty()) return made;
    auto* const definition = reinterpret_cast<PyModuleDef*>(made);
    slots.push_back({Py_mod_exec, reinterpret_cast<void*>(&refuse_sub_interpreters)});
    for (const PyModuleDef_Slot* slot = definition->m_slots; slot->slot != 0; ++slot)
        slots.push_back(*slot);
    slots.push_back({0, nullptr});
    definition->m_slots = slots.data();
    return made;
}
