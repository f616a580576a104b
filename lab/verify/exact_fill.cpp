// The operands of an exact pass, element by element from exact_rules.hpp. Base lines are made once
// and lines copied from them; full significands cost one multiplication each.
#include <algorithm>
#include <array>
#include <vector>

#include "core/dtype_traits.hpp"
#include "lab/verify/exact.hpp"
#include "lab/verify/exact_tables.hpp"
#include "lab/workload/parallel.hpp"

namespace carat::verify {

namespace {

constexpr std::int64_t band_lines = 64;

// The rows of A or the columns of B, with their strides.
template <class T>
struct lines_view {
    T* data;
    std::int64_t line_stride;
    std::int64_t k_stride;

    [[nodiscard]] T& at(std::int64_t line, std::int64_t k) const {
        return data[line * line_stride + k * k_stride];
    }
};

// Calls write(line, k) in the memory order of a band's elements.
template <class T, class Write>
void for_each_element(const lines_view<T>& to, std::int64_t first, std::int64_t last,
                      std::int64_t depth, const Write& write) {
    if (to.k_stride <= to.line_stride) {
        for (std::int64_t line = first; line < last; ++line)
            for (std::int64_t k = 0; k < depth; ++k) write(line, k);
    } else {
        for (std::int64_t k = 0; k < depth; ++k)
            for (std::int64_t line = first; line < last; ++line) write(line, k);
    }
}

template <class Work>
void for_bands(std::int64_t lines, int threads, const Work& work) {
    workload::parallel_for((lines + band_lines - 1) / band_lines, threads, [&](std::int64_t band) {
        work(band * band_lines, std::min(lines, (band + 1) * band_lines));
    });
}

template <class T>
void fill_sums(const line_rules& r, const lines_view<T>& to, int threads) {
    // The order in which a band is written.
    const bool by_lines = to.k_stride <= to.line_stride;
    const std::int64_t of_base = by_lines ? r.depth : 1;
    const std::int64_t of_k = by_lines ? 1 : base_lines;
    const std::vector<double> values = base_values(r, threads);
    std::vector<T> bases(values.size());
    for (std::int64_t k = 0; k < r.depth; ++k)
        for (std::int64_t base = 0; base < base_lines; ++base)
            bases[static_cast<std::size_t>(base * of_base + k * of_k)] =
                static_cast<T>(values[static_cast<std::size_t>(k * base_lines + base)]);
    for_bands(r.lines, threads, [&](std::int64_t first, std::int64_t last) {
        std::array<const T*, band_lines> base{};
        for (std::int64_t line = first; line < last; ++line)
            base[static_cast<std::size_t>(line - first)] =
                bases.data() + base_of(r, line) * of_base;
        for_each_element(to, first, last, r.depth, [&](std::int64_t line, std::int64_t k) {
            to.at(line, k) = base[static_cast<std::size_t>(line - first)][k * of_k];
        });
        for (std::int64_t line = first; line < last; ++line) {
            const element_change change = change_of(r, line);
            if (change.k < 0) continue;
            const std::int64_t value = base_value(r, base_of(r, line), change.k) + change.added;
            to.at(line, change.k) = static_cast<T>(static_cast<double>(value));
        }
    });
}

template <class T>
void fill_significands(const line_rules& r, const lines_view<T>& to, int threads) {
    std::vector<std::uint64_t> depth_words(static_cast<std::size_t>(r.depth));
    for (std::int64_t k = 0; k < r.depth; ++k)
        depth_words[static_cast<std::size_t>(k)] = word(r, stream::depth, k);
    for_bands(r.lines, threads, [&](std::int64_t first, std::int64_t last) {
        std::array<std::uint64_t, band_lines> words{};
        std::array<double, band_lines> scales{};
        for (std::int64_t line = first; line < last; ++line) {
            words[static_cast<std::size_t>(line - first)] = word(r, stream::line, line);
            scales[static_cast<std::size_t>(line - first)] = scale_of(r, line);
        }
        for_each_element(to, first, last, r.depth, [&](std::int64_t line, std::int64_t k) {
            const auto at = static_cast<std::size_t>(line - first);
            const double value =
                k % 2 != r.parity
                    ? 0
                    : scales[at] * static_cast<double>(significand(
                                       r, words[at], depth_words[static_cast<std::size_t>(k)]));
            to.at(line, k) = static_cast<T>(value);
        });
        for (std::int64_t line = first; line < last; ++line)
            for (std::int64_t pick = 0; pick < r.picks; ++pick) {
                const std::int64_t k = pick_of(r, line, pick);
                if (k < 0) continue;
                const double scale = scales[static_cast<std::size_t>(line - first)];
                to.at(line, k) =
                    static_cast<T>(scale * static_cast<double>(pick_sign(r, line, pick)));
            }
    });
}

template <class T>
void fill_lines(exact_kind kind, const line_rules& r, const lines_view<T>& to, int threads) {
    if (kind == exact_kind::sums)
        fill_sums(r, to, threads);
    else
        fill_significands(r, to, threads);
}

void fill_typed(exact_kind kind, const line_rules& r, dtype type, const void* constant,
                std::int64_t line_stride, std::int64_t k_stride, int threads) {
    core::visit(type, [&](auto tag) {
        using element = typename decltype(tag)::type;
        auto* const data = static_cast<element*>(const_cast<void*>(constant));
        fill_lines(kind, r, lines_view<element>{data, line_stride, k_stride}, threads);
    });
}

template <class T>
void fill_initial(const factors& f, const lines_view<T>& rows, std::int64_t lines,
                  std::int64_t length, int threads) {
    for_bands(lines, threads, [&](std::int64_t first, std::int64_t last) {
        for_each_element(rows, first, last, length, [&](std::int64_t i, std::int64_t j) {
            rows.at(i, j) = static_cast<T>(f.initial(i, j));
        });
    });
}

}  // namespace

void exact_pass::fill_c(void* c) const {
    const core::layout& lies = problem_.c_layout;
    core::visit(problem_.c_type, [&]<class T>(core::element_tag<T>) {
        const lines_view<T> rows{static_cast<T*>(c), lies.row_stride, lies.col_stride};
        fill_initial(factors_, rows, problem_.m, problem_.n, threads_);
    });
}

void exact_pass::fill(const void* a, const void* b) const {
    const auto& [a_row, a_col] = problem_.a_layout;
    const auto& [b_row, b_col] = problem_.b_layout;
    fill_typed(kind_, rows_, problem_.a_type, a, a_row, a_col, threads_);
    fill_typed(kind_, cols_, problem_.b_type, b, b_col, b_row, threads_);
}

}  // namespace carat::verify
