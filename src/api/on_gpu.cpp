// The public calls on a GPU: the same checks as on the CPU, then the CUDA modules.
#include <array>
#include <cmath>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <carat/batch.hpp>
#include <carat/leave_sms.hpp>

#include "api/batch_checks.hpp"
#include "api/checks.hpp"
#include "api/ragged.hpp"
#include "core/left_sms.hpp"
#include "cuda/engine/call.hpp"

namespace carat {

namespace {

using detail::erased_batch;
using detail::erased_matrix;

struct scale_strides {
    std::int32_t row;
    std::int32_t col;
};

// The kernels index scales with 32 bits. The stride of a single row or column means nothing.
scale_strides strides_of(const detail::erased_scales& s) {
    const std::ptrdiff_t row = s.rows > 1 ? s.row_stride : 0;
    const std::ptrdiff_t col = s.cols > 1 ? s.col_stride : 0;
    const auto reach = [](std::size_t count, std::ptrdiff_t step) {
        return static_cast<double>(count) * std::abs(static_cast<double>(step));
    };
    if (reach(s.rows, row) + reach(s.cols, col) >= 0x1p31)
        throw error(error_code::unsupported,
                    "matrix_product: on a GPU block scales must be within 2^31 elements");
    return {static_cast<std::int32_t>(row), static_cast<std::int32_t>(col)};
}

core::block_scales scales_of(const erased_matrix& a, const erased_matrix& b) {
    const scale_strides of_a = strides_of(a.scales);
    const scale_strides of_b = strides_of(b.scales);
    return {a.scales.data, of_a.row, of_a.col, b.scales.data, of_b.col, of_b.row};
}

cuda_call::place place_of(const cuda& where) {
    return {where.device, where.stream, where.batch_invariant, where.f32};
}

void check_factors(const core::problem& p) {
    if (const std::string why = core::reason_against_factors(p); !why.empty())
        throw error(error_code::invalid_argument, why);
}

template <class Many>
void start(const cuda& where, const std::string& call, const core::problem& p,
           const erased_matrix* e, const detail::epilogue_steps* steps,
           const core::block_scales& scales, const Many& all) {
    try {
        check_factors(p);
        cuda_call::multiply(place_of(where),
                            {p, e == nullptr ? core::layout{} : api::layout_of(*e), steps, scales},
                            all);
    } catch (const error& why) {
        throw error(why.code(), call + ": " + why.what());
    }
}

void multiply_one(const cuda& where, const erased_matrix& a, const erased_matrix& b,
                  const erased_matrix* e, const erased_matrix& c,
                  const detail::epilogue_steps* steps) {
    const core::problem p = api::checked_problem(a, b, e, c, steps);
    if (steps != nullptr) api::check_epilogue(*steps, a, b, e, c);
    if (p.m == 0 || p.n == 0) return;
    const std::array<core::operands, 1> one = {
        {{.a = a.data, .b = b.data, .c = c.data, .e = e == nullptr ? nullptr : e->data}}};
    start(where, "matrix_product", p, e, steps, scales_of(a, b),
          std::span<const core::operands>(one));
}

void multiply_group(const cuda& where, const erased_batch& a, const erased_batch& b,
                    const erased_batch* e, const erased_batch& c,
                    const detail::epilogue_steps* steps) {
    const std::vector<core::problem> problems = api::checked_group(a, b, e, c, steps);
    std::vector<cuda_call::member> all;
    all.reserve(problems.size());
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const erased_matrix added = e == nullptr ? erased_matrix{} : api::item(*e, i);
        all.push_back({problems[i],
                       e == nullptr ? core::layout{} : api::layout_of(added),
                       {.a = api::item(a, i).data,
                        .b = api::item(b, i).data,
                        .c = api::item(c, i).data,
                        .e = added.data}});
    }
    try {
        for (const core::problem& p : problems) check_factors(p);
        cuda_call::multiply_group(place_of(where), all, steps);
    } catch (const error& why) {
        throw error(why.code(), std::string("matrix_products: ") + why.what());
    }
}

bool is_strided(const erased_batch& b) {
    return b.pointers == nullptr;
}

cuda_call::strided_operands strided_operands_of(const erased_batch& a, const erased_batch& b,
                                                const erased_batch* e, const erased_batch& c) {
    const auto apart = [](const erased_batch& x) { return x.for_all ? 0 : x.stride; };
    return {.first = {.a = a.first.data,
                      .b = b.first.data,
                      .c = c.first.data,
                      .e = e == nullptr ? nullptr : e->first.data},
            .a = apart(a),
            .b = apart(b),
            .c = apart(c),
            .e = e == nullptr ? 0 : apart(*e),
            .count = c.count};
}

detail::epilogue_steps turned(detail::epilogue_steps steps) {
    for (std::size_t i = 0; i < steps.count; ++i) {
        detail::epilogue_step& s = steps.at[i];
        if (detail::is_gate(s.kind))
            throw error(error_code::unsupported,
                        "matrix_products: on a GPU no gate pairs columns that products divide: "
                        "divide rows instead");
        s.of = s.of == by::row ? by::column : by::row;
    }
    return steps;
}

void multiply_ragged(const cuda& where, const erased_batch& a, const erased_batch& b,
                     const erased_batch* e, const erased_batch& c,
                     const detail::epilogue_steps* steps) {
    const api::shared_out what = api::checked_ragged(a, b, e, c);
    if (what == api::shared_out::cols) {
        if (a.first.type != b.first.type)
            throw error(error_code::unsupported,
                        "matrix_products: on a GPU products of e5m2 by e4m3 divide rows, not "
                        "columns: give carat::listed matrices");
        const erased_batch added = e == nullptr ? erased_batch{} : api::turned(*e);
        const detail::epilogue_steps across =
            steps == nullptr ? detail::epilogue_steps{} : turned(*steps);
        return multiply_ragged(where, api::turned(b), api::turned(a),
                               e == nullptr ? nullptr : &added, api::turned(c),
                               steps == nullptr ? nullptr : &across);
    }
    const core::problem p = api::checked_for_gpu(a, b, e, c, steps);
    if (p.m == 0 || p.n == 0 || a.count == 0) return;
    const auto apart = [](const erased_batch& x) { return x.for_all || x.ragged ? 0 : x.stride; };
    const cuda_call::ragged_operands all{.first = {.a = a.first.data,
                                                   .b = b.first.data,
                                                   .c = c.first.data,
                                                   .e = e == nullptr ? nullptr : e->first.data},
                                         .b = apart(b),
                                         .c = apart(c),
                                         .e = e == nullptr ? 0 : apart(*e),
                                         .ends = a.ends,
                                         .count = a.count,
                                         .along_k = what == api::shared_out::depth};
    const core::layout e_layout = e == nullptr ? core::layout{} : api::layout_of(e->first);
    try {
        check_factors(p);
        cuda_call::multiply_ragged(place_of(where), {p, e_layout, steps, {}}, all);
    } catch (const error& why) {
        throw error(why.code(), std::string("matrix_products: ") + why.what());
    }
}

void multiply_all(const cuda& where, const erased_batch& a, const erased_batch& b,
                  const erased_batch* e, const erased_batch& c,
                  const detail::epilogue_steps* steps) {
    if (api::is_ragged(a, b, e, c)) return multiply_ragged(where, a, b, e, c, steps);
    if (api::is_group(a, b, e, c)) return multiply_group(where, a, b, e, c, steps);
    const core::problem p = api::checked_batch(a, b, e, c, steps);
    if (c.count == 0 || p.m == 0 || p.n == 0) return;
    const erased_matrix* const added = e == nullptr ? nullptr : &e->first;
    const char* const call = "matrix_products";
    if (is_strided(a) && is_strided(b) && is_strided(c) && (e == nullptr || is_strided(*e)))
        return start(where, call, p, added, steps, {}, strided_operands_of(a, b, e, c));
    std::vector<core::operands> all(c.count);
    for (std::size_t i = 0; i < c.count; ++i)
        all[i] = {.a = api::item(a, i).data,
                  .b = api::item(b, i).data,
                  .c = api::item(c, i).data,
                  .e = e == nullptr ? nullptr : api::item(*e, i).data};
    start(where, call, p, added, steps, {}, std::span<const core::operands>(all));
}

}  // namespace

int detail::multiply_leaving_sms(int count) {
    if (count < 0)
        throw error(
            error_code::invalid_argument,
            "leave_sms: the number of SMs is " + std::to_string(count) + ": it must be at least 0");
    return core::leave_sms(count);
}

void detail::multiply_on_gpu(const cuda& where, const erased_matrix& a, const erased_matrix& b,
                             const erased_matrix* e, const erased_matrix& c,
                             const epilogue_steps* steps) {
    try {
        multiply_one(where, a, b, e, c, steps);
    } catch (const std::bad_alloc&) {
        throw error(api::no_memory);
    }
}

void detail::multiply_batch(const cuda& where, const erased_batch& a, const erased_batch& b,
                            const erased_batch* e, const erased_batch& c,
                            const epilogue_steps* steps) {
    try {
        multiply_all(where, a, b, e, c, steps);
    } catch (const std::bad_alloc&) {
        throw error(api::no_memory_for_products);
    }
}

}  // namespace carat
