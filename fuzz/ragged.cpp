#include "ragged.hpp"

#include <algorithm>

namespace carat::fuzz {

namespace {

// Values for each divided line would belong to no single product, and a gate pairs columns.
void mend_steps(product_case& c, shared_out what) {
    for (drawn_step& step : c.steps) {
        if (what == shared_out::columns && detail::is_gate(step.kind))
            step.kind = detail::step_kind::relu;
        if (what != shared_out::depth) step.of = what == shared_out::rows ? by::column : by::row;
    }
}

// A strided matrix for each product, or one for all.
void lay_out_each(const running& r, operand& o, const shape& of_one, const sharing& s,
                  numbers values, bool written) {
    const std::vector<shape> all(s.products, of_one);
    o.lay_out(r.random, grouping::strided, all, written);
    draw_values(r.random, values, o.type, r.of.sizes[0].k, o.values);
}

std::vector<matrix_place> parts_of(const matrix_place& whole, bool by_rows,
                                   const std::vector<product_size>& sizes,
                                   std::size_t product_size::*lines) {
    std::vector<matrix_place> parts;
    std::size_t first = 0;
    for (const product_size& size : sizes) {
        matrix_place m = whole;
        const std::ptrdiff_t step = by_rows ? m.row_stride : m.col_stride;
        (by_rows ? m.rows : m.cols) = size.*lines;
        m.first += static_cast<std::ptrdiff_t>(first) * step;
        first += size.*lines;
        parts.push_back(m);
    }
    return parts;
}

// An end that is not above the previous ones leaves its product empty; one beyond the lines is cut
// to them.
std::vector<std::size_t> shares_of(const sharing& s) {
    std::vector<std::size_t> shares;
    std::int64_t begin = 0;
    for (const std::int32_t told : s.ends) {
        const std::int64_t end =
            std::max(begin, std::min<std::int64_t>(told, static_cast<std::int64_t>(s.lines)));
        shares.push_back(static_cast<std::size_t>(end - begin));
        begin = end;
    }
    return shares;
}

}  // namespace

bool can_be_shared_out(const product_case& c) {
    return c.group == grouping::one && c.how == trial::ordinary && c.ready == prepared::none &&
           !c.by_blocks && !c.chained && !c.by_c && !c.f16_sums && c.far == far_operand::none &&
           !c.loses_rows;
}

void draw_ends(random_numbers& random, bool on_gpu, sharing& s) {
    const auto most = static_cast<std::int64_t>(s.lines);
    const bool odd = on_gpu && random.chance(8);
    s.ends.clear();
    for (std::size_t i = 0; i < s.products; ++i) {
        const std::int64_t end = odd ? random.between(-5, most + 20) : random.between(0, most);
        s.ends.push_back(static_cast<std::int32_t>(end));
    }
    if (odd) return;
    // Some products are empty, and often the last takes all that is left.
    if (random.chance(2)) s.ends.back() = static_cast<std::int32_t>(most);
    std::ranges::sort(s.ends);
    for (std::size_t i = 1; i < s.products; ++i)
        if (random.chance(4)) s.ends[i - 1] = s.ends[i];
}

sharing lay_out_shared(const running& r) {
    product_case& c = r.of;
    workbench& on = r.on;
    constexpr shared_out parts[] = {shared_out::rows, shared_out::rows, shared_out::columns,
                                    shared_out::depth};
    sharing s;
    s.what = r.random.pick(parts);
    s.products = 1 + r.random.below(r.random.chance(4) ? 70 : 9);
    const product_size whole = c.sizes[0];
    const double of_each = static_cast<double>(whole.m) * static_cast<double>(whole.n);
    while (s.what == shared_out::depth && s.products > 1 &&
           of_each * static_cast<double>(s.products) > 4e5)
        s.products /= 2;
    mend_steps(c, s.what);
    lay_out(r);
    s.lines = s.what == shared_out::rows      ? whole.m
              : s.what == shared_out::columns ? whole.n
                                              : whole.k;
    const bool one = r.random.chance(4);
    on.a.for_all = one && s.what == shared_out::columns;
    on.b.for_all = one && s.what == shared_out::rows;
    if (s.what == shared_out::rows)
        lay_out_each(r, on.b, {whole.k, c.columns_of_b(0)}, s, c.b_numbers, false);
    if (s.what == shared_out::columns)
        lay_out_each(r, on.a, {whole.m, whole.k}, s, c.a_numbers, false);
    if (s.what == shared_out::depth)
        lay_out_each(r, on.c, {whole.m, whole.n}, s, c.e_numbers, true);
    on.e.all = on.c.all;  // lies as C does
    on.e.stride = on.c.stride;
    on.e.values.assign(on.c.values.size(), 0);
    draw_values(r.random, c.e_numbers, c.c_type, whole.k, on.e.values);
    on.e.measure();
    s.whole = {on.a.all[0], on.b.all[0], on.e.all[0], on.c.all[0]};
    c.group = grouping::listed;
    draw_ends(r.random, c.on_gpu, s);
    return s;
}

void cut_by_ends(const running& r, const sharing& s) {
    product_case& c = r.of;
    workbench& on = r.on;
    const product_size whole = {s.whole[0].rows, s.whole[3].cols, s.whole[0].cols};
    std::size_t product_size::*const lines = s.what == shared_out::rows      ? &product_size::m
                                             : s.what == shared_out::columns ? &product_size::n
                                                                             : &product_size::k;
    const std::vector<std::size_t> shares = shares_of(s);
    c.sizes.assign(s.products, whole);
    for (std::size_t p = 0; p < s.products; ++p) c.sizes[p].*lines = shares[p];
    const auto cut = [&](operand& o, const matrix_place& m, bool by_rows, bool known) {
        o.cut_into(parts_of(m, by_rows, c.sizes, lines), known);
    };
    const bool reads_own_e = c.e == addend::own && c.reads_e();
    const bool reads = c.on_gpu || c.alpha() != 0;
    if (s.what != shared_out::columns) cut(on.a, s.whole[0], s.what == shared_out::rows, reads);
    if (s.what != shared_out::rows) cut(on.b, s.whole[1], s.what == shared_out::depth, reads);
    if (s.what == shared_out::depth) return;
    cut(on.e, s.whole[2], s.what == shared_out::rows, reads_own_e);
    cut(on.c, s.whole[3], s.what == shared_out::rows, c.e == addend::c);
}

}  // namespace carat::fuzz
