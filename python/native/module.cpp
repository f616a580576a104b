// carat_gemm._native: what Python sees of the library. Signatures and types are in _native.pyi.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <string>

#include <carat/error.hpp>
#include <carat/prepare.hpp>

#include "docs.hpp"
#include "dtypes.hpp"
#include "explain.hpp"
#include "matmul.hpp"
#include "operand.hpp"

namespace carat::python {

namespace {

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

prepared_matrix prepare(nb::handle source, const std::string& place) {
    if (place != "left" && place != "right")
        throw nb::value_error(("side is '" + place + "': it must be 'left' or 'right'").c_str());
    const side which = place == "left" ? side::left : side::right;
    const foreign_array array(source, "b");
    if (array.axes() != 2)
        throw nb::value_error(
            ("b is " + size_of(array.shape()) + ": only matrices are prepared").c_str());
    if (array.gpu()) throw nb::value_error("b lies on a GPU: operands are prepared for the CPU");
    if (array.type() == dtype::i32 || is_fp8(array.type()))
        throw nb::type_error(("b is " + std::string(numpy_name(array.type())) +
                              ": float64, float32, float16, bfloat16, int8 and uint8 are prepared")
                                 .c_str());
    const operand matrix(source, "b", which);
    const nb::gil_scoped_release released;
    return detail::prepare(matrix.matrix(), which);
}

std::string shown(const prepared_matrix& m) {
    return "<carat_gemm.Prepared " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()) +
           " " + std::string(numpy_name(m.type())) + ", side " +
           (m.place() == side::left ? "left" : "right") + ", for " +
           std::string(m.instruction_set()) + ", " + std::to_string(m.size_bytes()) + " bytes>";
}

void add_prepared(nb::module_& m) {
    nb::class_<prepared_matrix>(m, "Prepared", "A matrix packed by prepare.")
        .def_prop_ro("shape",
                     [](const prepared_matrix& p) { return nb::make_tuple(p.rows(), p.cols()); })
        .def_prop_ro("dtype",
                     [](const prepared_matrix& p) { return std::string(numpy_name(p.type())); })
        .def_prop_ro("side",
                     [](const prepared_matrix& p) {
                         return std::string(p.place() == side::left ? "left" : "right");
                     })
        .def_prop_ro("nbytes", &prepared_matrix::size_bytes)
        .def_prop_ro("instruction_set",
                     [](const prepared_matrix& p) { return std::string(p.instruction_set()); })
        .def("__repr__", &shown);
    m.def("prepare", &prepare, nb::arg("b"), nb::kw_only(), nb::arg("side") = "right",
          nb::sig(prepare_signature), prepare_doc);
}

// `more`: names of what a call is told besides, of these types.
template <class... Also, class F, class... More>
void add_call(nb::module_& m, const char* name, F call, const char* signature, const char* doc,
              const More&... more) {
    m.def(
        name,
        [call](nb::handle a, nb::handle b, nb::handle out, nb::handle bias, nb::handle activation,
               nb::handle scale, nb::handle accuracy, nb::handle dtype, nb::handle stream,
               nb::handle threads, Also... also) {
            return call(a, b,
                        {out, bias, activation, scale, accuracy, dtype, stream, threads, also...});
        },
        nb::arg("a").none(), nb::arg("b").none(), nb::arg("out") = nb::none(), nb::kw_only(),
        nb::arg("bias") = nb::none(), nb::arg("activation") = nb::none(),
        nb::arg("scale") = nb::none(), nb::arg("accuracy") = "native",
        nb::arg("dtype") = nb::none(), nb::arg("stream") = nb::none(),
        nb::arg("threads") = nb::none(), more..., nb::sig(signature), doc);
}

}  // namespace

}  // namespace carat::python

NB_MODULE(_native, m) {
    using namespace carat::python;
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const carat::error& why) {
            PyErr_SetString(exception_of(why.code()), why.what());
        }
    });
    m.attr("__version__") = CARAT_VERSION;
    add_prepared(m);
    add_call(m, "matmul", &matmul, matmul_signature, matmul_doc);
    add_call<nb::handle>(m, "matmul_grouped", &matmul_grouped, grouped_signature, grouped_doc,
                         nb::arg("ends") = nb::none());
    add_explain(m);
}
