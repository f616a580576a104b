// The public calls on a GPU: the same checks as on the CPU, then the CUDA modules.
#include <cmath>
#include <new>
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

core::gpu_arithmetic arithmetic_of(const cuda& where, const core::problem& p,
                                   const core::block_scales& scales) {
    if (scales.a != nullptr && p.k != 0 && p.alpha != 0) return core::gpu_arithmetic::fp8_blocks;
    if (p.a_type != dtype::f32 || where.f32 == f32_as::f32) return core::gpu_arithmetic::native;
    return where.f32 == f32_as::tf32 ? core::gpu_arithmetic::tf32
                                     : core::gpu_arithmetic::three_tf32;
}

void check_factors(const core::problem& p) {
    if (const std::string why = core::reason_against_factors(p); !why.empty())
        throw error(error_code::invalid_argument, why);
}

// `name` is the public call's.
void start(const cuda& where, const std::string& name, const core::problem& p,
           const core::layout& e_layout, const core::product_set& products,
           const core::gpu_operands& all) {
    try {
        check_factors(p);
        gpu_engine::multiply(where.device, where.stream,
                             {.problem = p,
                              .e_layout = e_layout,
                              .arithmetic = arithmetic_of(where, p, all.scales),
                              .batch_invariant = where.batch_invariant,
                              .products = products},
                             all);
    } catch (const error& why) {
        throw error(why.code(), name + ": " + why.what());
    }
}

core::layout layout_of(const erased_matrix* e) {
    return e == nullptr ? core::layout{} : api::layout_of(*e);
}

core::operands operands_of(const erased_matrix& a, const erased_matrix& b, const erased_matrix* e,
                           const erased_matrix& c) {
    return {.a = a.data, .b = b.data, .c = c.data, .e = e == nullptr ? nullptr : e->data};
}

void multiply_one(const cuda& where, const erased_matrix& a, const erased_matrix& b,
                  const erased_matrix* e, const erased_matrix& c,
                  const detail::epilogue_steps* steps) {
    const core::problem p = api::checked_problem(a, b, e, c, steps);
    if (steps != nullptr) api::check_epilogue(*steps, a, b, e, c);
    if (p.m == 0 || p.n == 0) return;
    start(where, "matrix_product", p, layout_of(e), {},
          {.first = operands_of(a, b, e, c), .scales = scales_of(a, b), .steps = steps});
}

void multiply_group(const cuda& where, const erased_batch& a, const erased_batch& b,
                    const erased_batch* e, const erased_batch& c,
                    const detail::epilogue_steps* steps) {
    const std::vector<core::problem> problems = api::checked_group(a, b, e, c, steps);
    if (problems.empty()) return;
    std::vector<core::gpu_product> all;
    all.reserve(problems.size());
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const erased_matrix added = e == nullptr ? erased_matrix{} : api::item(*e, i);
        all.push_back({problems[i], layout_of(e == nullptr ? nullptr : &added),
                       operands_of(api::item(a, i), api::item(b, i), &added, api::item(c, i))});
    }
    start(where, "matrix_products", problems.front(), all.front().e_layout,
          {core::multiplicity::sized}, {.sized = all, .steps = steps});
}

bool is_strided(const erased_batch& b) {
    return b.pointers == nullptr;
}

// 0 of one matrix for all, and of one that is shared out.
std::int64_t apart(const erased_batch& x) {
    return x.for_all || x.ragged ? 0 : x.stride;
}

core::gpu_operands operands_of(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                               const erased_batch& c, const detail::epilogue_steps* steps) {
    return {.first = operands_of(a.first, b.first, e == nullptr ? nullptr : &e->first, c.first),
            .apart = {apart(a), apart(b), apart(c), e == nullptr ? 0 : apart(*e)},
            .steps = steps};
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
    core::gpu_operands all = operands_of(a, b, e, c, steps);
    all.apart.a = 0;
    all.ends = a.ends;
    const bool along_k = what == api::shared_out::depth;
    start(where, "matrix_products", p, layout_of(e == nullptr ? nullptr : &e->first),
          {along_k ? core::multiplicity::depth : core::multiplicity::rows,
           static_cast<std::int64_t>(a.count)},
          all);
}

void multiply_all(const cuda& where, const erased_batch& a, const erased_batch& b,
                  const erased_batch* e, const erased_batch& c,
                  const detail::epilogue_steps* steps) {
    if (api::is_ragged(a, b, e, c)) return multiply_ragged(where, a, b, e, c, steps);
    if (api::is_group(a, b, e, c)) return multiply_group(where, a, b, e, c, steps);
    const core::problem p = api::checked_batch(a, b, e, c, steps);
    if (c.count == 0 || p.m == 0 || p.n == 0) return;
    const core::layout e_layout = layout_of(e == nullptr ? nullptr : &e->first);
    const auto count = static_cast<std::int64_t>(c.count);
    const char* const name = "matrix_products";
    if (is_strided(a) && is_strided(b) && is_strided(c) && (e == nullptr || is_strided(*e)))
        return start(where, name, p, e_layout, {core::multiplicity::strided, count},
                     operands_of(a, b, e, c, steps));
    std::vector<core::operands> all(c.count);
    for (std::size_t i = 0; i < c.count; ++i) {
        const erased_matrix added = e == nullptr ? erased_matrix{} : api::item(*e, i);
        all[i] = operands_of(api::item(a, i), api::item(b, i), &added, api::item(c, i));
    }
    start(where, name, p, e_layout, {core::multiplicity::listed, count},
          {.listed = all, .steps = steps});
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
