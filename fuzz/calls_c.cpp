// Calls through carat.h.
#include <memory>
#include <vector>

#include <carat/carat.h>

#include "calls.hpp"
#include "typed_calls.hpp"

namespace carat::fuzz {

namespace {

carat_matrix c_view(const operand& o) {
    const matrix_place& m = o.all[0];
    return {o.data(m),
            m.rows,
            m.cols,
            o.seen_row_stride(m),
            o.seen_col_stride(m),
            static_cast<carat_dtype>(o.type)};
}

carat_step c_step(const drawn_step& step, const operand& values) {
    const matrix_place& m = values.all[0];
    const bool has_values = step.kind <= detail::step_kind::scale;
    return {static_cast<carat_step_kind>(step.kind),
            step.of == by::row ? CARAT_BY_ROW : CARAT_BY_COLUMN,
            has_values ? values.data(m) : nullptr, has_values ? m.cols : 0, step.number};
}

void must(carat_status status) {
    if (status == CARAT_OK) return;
    constexpr error_code codes[] = {error_code::invalid_argument, error_code::invalid_argument,
                                    error_code::size_mismatch,    error_code::aliasing,
                                    error_code::overflow,         error_code::out_of_memory,
                                    error_code::unsupported,      error_code::device_failed};
    throw error(codes[status], carat_message());
}

}  // namespace

void call_c(const call_request& r) {
    const product_case& c = r.of;
    const workbench& on = r.on;
    std::vector<carat_step> steps;
    for (std::size_t i = 0; i < c.steps.size(); ++i)
        steps.push_back(c_step(c.steps[i], on.values[i]));
    carat_options options = CARAT_OPTIONS_INIT;
    options.alpha = c.alpha();
    options.beta = c.e == addend::c ? c.beta : 0;
    options.threads = c.threads;
    options.on_gpu = c.on_gpu ? 1 : 0;
    options.stream = c.stream;
    options.steps = steps.data();
    options.step_count = steps.size();
    const carat_matrix a = c_view(on.a);
    const carat_matrix b = c_view(on.b);
    const carat_matrix to = c_view(on.c);
    if (r.at_call != nullptr) (*r.at_call)();
    if (r.ready != nullptr) {
        carat_prepared* packed = nullptr;
        must(carat_prepare(&b, &packed));
        const std::unique_ptr<carat_prepared, void (*)(carat_prepared*)> kept(packed,
                                                                              carat_prepared_free);
        return must(carat_matmul_prepared(&options, &a, packed, &to));
    }
    if (c.group == grouping::one) return must(carat_matmul(&options, &a, &b, &to));
    must(carat_matmul_strided(&options, &a, on.a.for_all ? 0 : on.a.stride, &b,
                              on.b.for_all ? 0 : on.b.stride, &to, on.c.stride, c.sizes.size()));
}

}  // namespace carat::fuzz
