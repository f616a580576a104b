// The features of a drawn case, which runs count.
#include <algorithm>

#include "trials.hpp"

namespace carat::fuzz {

namespace {

feature type_feature(const product_case& c) {
    switch (c.a_type) {
        case dtype::f64:
            return feature::f64;
        case dtype::f32:
            return c.f32 == f32_as::tf32         ? feature::tf32
                   : c.f32 == f32_as::three_tf32 ? feature::three_tf32
                                                 : feature::f32;
        case dtype::f16:
            return feature::f16;
        case dtype::bf16:
            return feature::bf16;
        case dtype::e4m3:
            return feature::e4m3;
        case dtype::e5m2:
            return feature::e5m2;
        case dtype::i32:
            return feature::i32;
        default:
            return feature::bytes;
    }
}

bool any_stride(const workbench& on, bool (*is)(std::ptrdiff_t)) {
    return std::ranges::any_of(std::array{&on.a, &on.b, &on.c}, [&](const operand* o) {
        const matrix_place& m = o->all[0];
        return (m.rows > 1 && is(m.row_stride)) || (m.cols > 1 && is(m.col_stride));
    });
}

void count_layouts(const workbench& on, tally& to) {
    const matrix_place& a = on.a.all[0];
    const auto size = [](std::ptrdiff_t x) { return static_cast<std::size_t>(x < 0 ? -x : x); };
    const bool by_columns = size(a.row_stride) < size(a.col_stride);
    const std::size_t inner = std::min(size(a.row_stride), size(a.col_stride));
    const std::size_t outer = std::max(size(a.row_stride), size(a.col_stride));
    if (a.rows > 1 && a.cols > 1) {
        to.note(feature::by_columns, by_columns);
        to.note(feature::gaps, inner == 1 && outer > (by_columns ? a.rows : a.cols));
        to.note(feature::two_strides, inner > 1);
    }
    to.note(feature::negative_stride, any_stride(on, [](std::ptrdiff_t x) { return x < 0; }));
    to.note(feature::zero_stride, any_stride(on, [](std::ptrdiff_t x) { return x == 0; }));
}

}  // namespace

void count_features(const running& r) {
    const product_case& c = r.of;
    tally& to = r.count;
    to.note(type_feature(c));
    to.note(feature::strided, c.group == grouping::strided);
    to.note(feature::pointers, c.group == grouping::pointers);
    to.note(feature::listed, c.group == grouping::listed);
    count_layouts(r.on, to);
    const auto has = [&](numbers x) { return c.a_numbers == x || c.b_numbers == x; };
    to.note(feature::not_finite, has(numbers::special));
    to.note(feature::subnormal, has(numbers::tiny));
    to.note(feature::extreme, has(numbers::wide) || has(numbers::large));
    to.note(feature::added, c.reads_e());
    to.note(feature::epilogue, c.has_epilogue);
    to.note(feature::gate, c.is_gated());
    to.note(feature::by_blocks, c.by_blocks);
    to.note(feature::prepared, c.ready != prepared::none);
    to.note(feature::by_c, c.by_c);
    to.note(feature::million, c.work() > 1e6);
    to.note(feature::hundred_millions, c.work() > 1e8);
    to.note(feature::batch_invariant, c.batch_invariant);
    to.note(feature::experts, c.b_strided);
    to.note(feature::one_e, c.e_for_all);
    to.note(feature::turned, c.turned);
    to.note(feature::signed_zeros, c.signed_zeros);
}

}  // namespace carat::fuzz
