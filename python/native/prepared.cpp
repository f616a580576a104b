#include "prepared.hpp"

#include <nanobind/stl/string.h>
#include <string>

#include "dtypes.hpp"
#include "objects.hpp"
#include "operand.hpp"

namespace carat::python {

namespace {

side side_asked(nb::handle place) {
    const std::string text = place.is_none() ? "right" : text_of(place);
    if (text != "left" && text != "right")
        throw nb::value_error(
            (std::string("side is ") + nb::repr(place).c_str() + ": it must be 'left' or 'right'")
                .c_str());
    return text == "left" ? side::left : side::right;
}

std::string shown(const prepared_matrix& m) {
    return "<carat_gemm.Prepared " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()) +
           " " + std::string(numpy_name(m.type())) + ", side " +
           (m.place() == side::left ? "left" : "right") + ", for " +
           std::string(m.instruction_set()) + ", " + std::to_string(m.size_bytes()) + " bytes>";
}

}  // namespace

prepared_matrix prepare(nb::handle source, nb::handle place) {
    const side which = side_asked(place);
    const operand matrix(source, "b", which);
    if (!matrix.array()) throw nb::type_error("b is prepared already: give the matrix itself");
    const foreign_array& array = *matrix.array();
    if (array.axes() != 2)
        throw nb::value_error(
            ("b is " + size_of(array.shape()) + ": only matrices are prepared").c_str());
    if (array.gpu()) throw nb::value_error("b is on a GPU: operands are prepared for the CPU");
    if (array.type() == dtype::i32 || is_fp8(array.type()))
        throw nb::type_error(("b is " + std::string(numpy_name(array.type())) +
                              ": float64, float32, float16, bfloat16, int8 and uint8 are prepared")
                                 .c_str());
    const nb::gil_scoped_release released;
    return detail::prepare(matrix.matrix(), which);
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
}

}  // namespace carat::python
