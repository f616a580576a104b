#include "left_out.hpp"

#include <algorithm>

namespace carat::fuzz {

namespace {

using detail::step_kind;

// Whether it is f64 or f32 in its own arithmetic.
bool is_wide(const product_case& c) {
    return c.a_type == dtype::f64 || (c.a_type == dtype::f32 && c.f32 == f32_as::f32);
}

// docs/gpu.md: scales, then a bias, then an activation, at most one each except scalar scales.
bool is_fused(const std::vector<drawn_step>& steps) {
    const auto phase = [](const drawn_step& s) {
        if (s.kind == step_kind::scale || s.kind == step_kind::scale_all) return 0;
        if (s.kind == step_kind::bias) return 1;
        return s.kind == step_kind::amax || detail::is_gate(s.kind) ? 3 : 2;
    };
    const auto count = [&](auto is) { return std::ranges::count_if(steps, is); };
    const bool zero = std::ranges::any_of(
        steps, [](const drawn_step& s) { return s.kind == step_kind::scale_all && s.number == 0; });
    return !zero && std::ranges::is_sorted(steps, {}, phase) &&
           count([](const drawn_step& s) { return s.kind == step_kind::scale; }) <= 1 &&
           count([&](const drawn_step& s) { return phase(s) == 1; }) <= 1 &&
           count([&](const drawn_step& s) { return phase(s) == 2; }) <= 1 &&
           count([&](const drawn_step& s) { return phase(s) == 3; }) == 0;
}

// An epilogue kernel writes C.
bool takes_a_pass(const product_case& c) {
    const bool has_steps = c.has_epilogue && !c.steps.empty();
    const bool fuses = is_half(c.a_type) || is_fp8(c.a_type);
    return (c.a_type == dtype::f32 && c.c_type != dtype::f32) ||
           (has_steps && (!fuses || !is_fused(c.steps)));
}

bool changes_sums(const product_case& c) {
    return c.has_epilogue && std::ranges::any_of(c.steps, [](const drawn_step& s) {
               return s.kind != step_kind::scale_all;
           });
}

bool is_contiguous(const matrix_place& m) {
    return m.rows < 2 || m.cols < 2 || m.row_stride == 1 || m.col_stride == 1;
}

// Kernels that read unpacked operands.
bool can_be_read_in_place(const product_case& c, const sharing& s) {
    const bool multiplies = c.alpha() != 0 && s.whole[0].cols != 0;
    const bool writes_c = !takes_a_pass(c) || (c.c_type == c.sums() && !c.is_gated() &&
                                               !(c.e == addend::c && c.reads_e()));
    return (!multiplies || (is_contiguous(s.whole[0]) && is_contiguous(s.whole[1]))) &&
           (!writes_c || is_contiguous(s.whole[3]));
}

bool shares_out_k(const product_case& c, const sharing& s) {
    if (is_integer(c.a_type) || is_fp8(c.a_type) || takes_a_pass(c)) return false;
    const bool across_k = s.whole[0].row_stride == 1 && s.whole[1].col_stride == 1;
    if (is_half(c.a_type) && across_k) return true;
    return !changes_sums(c) && can_be_read_in_place(c, s);
}

}  // namespace

bool may_be_left_out(const product_case& c, const sharing& s) {
    if (c.a_type == dtype::e5m2 && s.what == shared_out::columns) return true;
    const bool has_own_e = c.e == addend::own && c.reads_e();
    const bool adds_own_e = is_wide(c) || is_half(c.a_type) || is_fp8(c.a_type);
    if (has_own_e && !adds_own_e && !takes_a_pass(c)) return true;
    if (s.what == shared_out::depth) return !shares_out_k(c, s);
    return is_wide(c) && !can_be_read_in_place(c, s);
}

}  // namespace carat::fuzz
