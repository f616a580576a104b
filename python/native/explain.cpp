#include "explain.hpp"

#include <nanobind/stl/string.h>
#include <string>

#include "core/isa.hpp"
#include "core/threads.hpp"
#include "cpu/engine.hpp"
#include "dtypes.hpp"

namespace carat::python {

namespace {

core::problem problem_of(nb::handle a_type, nb::handle b_type, nb::handle c_type, std::int64_t m,
                         std::int64_t n, std::int64_t k) {
    core::problem p = core::row_major_problem(type_asked(a_type, "dtype"), m, n, k);
    p.b_type = b_type.is_none() ? p.a_type : type_asked(b_type, "dtype");
    const dtype natural = natural_result(p.a_type, p.b_type);
    p.c_type = c_type.is_none() ? natural : type_asked(c_type, "result");
    check_result(p.a_type, p.c_type);
    return p;
}

nb::dict plan(nb::handle a_type, nb::handle b_type, nb::handle c_type, std::int64_t m,
              std::int64_t n, std::int64_t k, int threads) {
    const core::problem p = problem_of(a_type, b_type, c_type, m, n, k);
    if (const std::string why = cpu_engine::unsupported(p); !why.empty())
        throw nb::value_error(why.c_str());
    const cpu_engine::product made(p, core::most_threads(threads),
                                   cpu_engine::kernels_for(core::isa_in_use()));
    const core::plan_facts facts = made.facts();
    nb::dict told;
    told["a_type"] = numpy_name(p.a_type).data();
    told["b_type"] = numpy_name(p.b_type).data();
    told["result_type"] = numpy_name(p.c_type).data();
    told["instruction_set"] = std::string(core::name(core::isa_in_use()));
    told["threads"] = made.threads();
    told["register_tile"] = nb::make_tuple(facts.mr, facts.nr);
    told["blocks"] = nb::make_tuple(facts.mc, facts.nc, facts.kc);
    told["grid"] = nb::make_tuple(facts.threads_m, facts.threads_n);
    told["workspace_bytes"] = made.workspace_bytes();
    told["text"] = facts.why;
    return told;
}

}  // namespace

void add_explain(nb::module_& m) {
    m.def("plan", &plan, nb::arg("a_type").none(), nb::arg("b_type").none(),
          nb::arg("c_type").none(), nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("threads"));
}

}  // namespace carat::python
