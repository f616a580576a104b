#include "lab/ranks/operands.hpp"

#include <algorithm>

#include "core/dtype_traits.hpp"
#include "lab/verify/exact_tables.hpp"

namespace carat::lab_ranks {

namespace {

using distributed::index_range;
using distributed::index_set;

// Calls with each index of a set and its place among them.
template <class Call>
void each_index(const index_set& s, const Call& call) {
    std::int64_t place = 0;
    for (const index_range run : s.runs(s.within))
        for (std::int64_t i = run.begin; i < run.end; ++i) call(i, place++);
}

void store(dtype type, std::byte* to, double value) {
    core::visit(type, [&](auto tag) {
        using element = typename decltype(tag)::type;
        *reinterpret_cast<element*>(to) = static_cast<element>(value);
    });
}

double load(dtype type, const std::byte* from) {
    return core::visit(type, [&](auto tag) {
        return static_cast<double>(*reinterpret_cast<const typename decltype(tag)::type*>(from));
    });
}

// Lines are rows of A or columns of B; `place(line, k)` is where an element is kept.
template <class Place>
void fill_lines(dtype type, const verify::line_rules& rules, const index_set& lines,
                const index_set& depth, const Place& place) {
    const std::vector<double> values = verify::base_values(rules, 1);
    each_index(lines, [&](std::int64_t line, std::int64_t at_line) {
        const auto base = verify::base_of(rules, line);
        const verify::element_change change = verify::change_of(rules, line);
        each_index(depth, [&](std::int64_t k, std::int64_t at_k) {
            double value = values[static_cast<std::size_t>(k * verify::base_lines + base)];
            if (k == change.k) value += static_cast<double>(change.added);
            store(type, place(at_line, at_k), value);
        });
    });
}

}  // namespace

local_matrix::local_matrix(dtype t, const distributed::share& s)
    : type(t),
      of(s),
      rows(s.rows.size()),
      cols(s.cols.size()),
      leading(std::max<std::int64_t>(rows, 1)),
      data(static_cast<std::size_t>(leading * std::max<std::int64_t>(cols, 1)) * size_bytes(t)) {}

std::byte* local_matrix::at(std::int64_t i, std::int64_t j) {
    return data.data() + static_cast<std::size_t>(j * leading + i) * size_bytes(type);
}

carat::detail::erased_matrix local_matrix::view() {
    return {data.data(),
            static_cast<std::size_t>(rows),
            static_cast<std::size_t>(cols),
            1,
            leading,
            type,
            1,
            nullptr,
            {}};
}

void fill_a(local_matrix& a, const verify::exact_pass& pass) {
    fill_lines(a.type, pass.rows(), a.of.rows, a.of.cols,
               [&](std::int64_t line, std::int64_t k) { return a.at(line, k); });
}

void fill_b(local_matrix& b, const verify::exact_pass& pass) {
    fill_lines(b.type, pass.cols(), b.of.cols, b.of.rows,
               [&](std::int64_t line, std::int64_t k) { return b.at(k, line); });
}

struct checker::tables {
    verify::sums_tables sums;
};

checker::checker(const verify::exact_pass& pass)
    : tables_(std::make_unique<tables>(tables{{pass.rows(), pass.cols(), 1}})), pass_(pass) {}
checker::~checker() = default;

std::int64_t checker::wrong(local_matrix& c) const {
    const verify::sums_view view = verify::view_of(tables_->sums);
    std::int64_t found = 0;
    each_index(c.of.cols, [&](std::int64_t j, std::int64_t at_j) {
        each_index(c.of.rows, [&](std::int64_t i, std::int64_t at_i) {
            const double right = pass_.with().of(view.entry(i, j), i, j);
            found += load(c.type, c.at(at_i, at_j)) == verify::stored(c.type, right) ? 0 : 1;
        });
    });
    return found;
}

}  // namespace carat::lab_ranks
