#include "lab/verify/source.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/dtype_traits.hpp"
#include "lab/workload/parallel.hpp"

namespace carat::verify {

namespace {

// Calls `work` with the data as a pointer to its element type.
template <class Work>
auto with_type(const source& s, const Work& work) {
    return core::visit(
        s.type, [&]<class T>(core::element_tag<T>) { return work(static_cast<const T*>(s.data)); });
}

constexpr std::int64_t band_rows = 32;
constexpr std::int64_t band_cols = 64;

void add_to_facts(line_facts& facts, double value) {
    if (!std::isfinite(value)) {
        facts.finite = false;
        return;
    }
    if (value == 0) return;
    const double magnitude = std::abs(value);
    ++facts.nonzeros;
    facts.grid = std::min(facts.grid, grid_of(value));
    facts.largest = std::max(facts.largest, magnitude);
    facts.sum += magnitude;
}

}  // namespace

double source::at(std::int64_t i, std::int64_t j) const {
    return with_type(*this,
                     [&](const auto* typed) { return static_cast<double>(typed[index(i, j)]); });
}

source a_source(const core::problem& p, const core::operands& o) {
    return {o.a, p.a_type, p.m, p.k, p.a_layout};
}
source b_source(const core::problem& p, const core::operands& o) {
    return {o.b, p.b_type, p.k, p.n, p.b_layout};
}
source c_source(const core::problem& p, const void* c) {
    return {c, p.c_type, p.m, p.n, p.c_layout};
}

void read_block(const source& from, std::int64_t i, std::int64_t j, std::int64_t rows,
                std::int64_t cols, double* out, std::int64_t leading) {
    with_type(from, [&](const auto* typed) {
        const auto* first = typed + from.index(i, j);
        const auto [down, across] = from.where;
        if (std::abs(across) <= std::abs(down)) {
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < cols; ++c)
                    out[r * leading + c] = static_cast<double>(first[r * down + c * across]);
        } else {
            for (std::int64_t c = 0; c < cols; ++c)
                for (std::int64_t r = 0; r < rows; ++r)
                    out[r * leading + c] = static_cast<double>(first[r * down + c * across]);
        }
    });
}

row_selection::row_selection(const source& from, std::span<const std::int64_t> rows)
    : rows_(static_cast<std::int64_t>(rows.size())),
      cols_(from.cols),
      values_(static_cast<std::size_t>(rows_ * cols_)) {
    double* out = values_.data();
    for (const std::int64_t row : rows) {
        read_block(from, row, 0, 1, cols_, out, cols_);
        out += cols_;
    }
}

int grid_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << 52;
    return std::max(exponent, 1) - 1075 + std::countr_zero(fraction | hidden);
}

std::vector<line_facts> facts_of_rows(const source& from, int threads) {
    std::vector<line_facts> facts(static_cast<std::size_t>(from.rows));
    const std::int64_t bands = (from.rows + band_rows - 1) / band_rows;
    workload::parallel_for(bands, threads, [&](std::int64_t band) {
        std::array<double, band_rows * band_cols> block;
        const std::int64_t i0 = band * band_rows;
        const std::int64_t rows = std::min(band_rows, from.rows - i0);
        for (std::int64_t j0 = 0; j0 < from.cols; j0 += band_cols) {
            const std::int64_t cols = std::min(band_cols, from.cols - j0);
            read_block(from, i0, j0, rows, cols, block.data(), band_cols);
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < cols; ++c)
                    add_to_facts(facts[static_cast<std::size_t>(i0 + r)],
                                 block[static_cast<std::size_t>(r * band_cols + c)]);
        }
    });
    return facts;
}

}  // namespace carat::verify
