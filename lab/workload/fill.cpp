// Fills a matrix tile by tile: a tile of doubles is generated row by row in cache, then rounded and
// stored in the order in which the matrix lies in memory.
//
//     generate -> 32 rows x 64 columns of doubles -> round -> strided stores, short stride inside
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <type_traits>

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"
#include "core/isa.hpp"
#include "lab/rows/block_scale_places.hpp"
#include "lab/workload/generate.hpp"
#include "lab/workload/parallel.hpp"
#include "lab/workload/workload.hpp"

namespace carat::workload {

namespace {

using shape = distribution::shape;

constexpr std::int64_t tile_rows = 32;
constexpr std::int64_t tile_groups = 2;
constexpr std::int64_t tile_cols = tile_groups * group_cols;
using tile_row = std::array<double, tile_cols>;
using tile = std::array<tile_row, tile_rows>;

struct generator {
    unit_row_function* unit_row;
    affine_function* affine;
};

generator generator_in_use() {
#if defined(__x86_64__)
    const core::isa level = core::vectors_of(core::isa_in_use());
    if (level == core::isa::avx512) return {avx512::unit_row, avx512::affine};
    if (level == core::isa::avx2) return {avx2::unit_row, avx2::affine};
#endif
    return {baseline::unit_row, baseline::affine};
}

// Box and Muller: the two uniforms of a block give the two normals of its two columns.
void to_normals(double* units, std::int64_t groups) {
    for (std::int64_t group = 0; group < groups; ++group, units += group_cols) {
        for (int lane = 0; lane < lanes; ++lane) {
            const double radius = std::sqrt(-2 * std::log(1 - units[lane]));
            const double angle = 2 * std::numbers::pi * units[lane + lanes];
            units[lane] = radius * std::cos(angle);
            units[lane + lanes] = radius * std::sin(angle);
        }
    }
}

class element_source {
  public:
    element_source(const distribution& d, std::uint64_t seed, operand which)
        : d_(d), seed_(seed), which_(which) {}

    // Columns from 32 x first_group on of one row.
    void row(std::int64_t row, std::int64_t first_group, std::int64_t groups, double* out) const {
        const std::int64_t count = groups * group_cols;
        if (d_.kind == shape::zeros) {
            std::fill_n(out, count, 0.0);
            return;
        }
        units(row, 0, first_group, groups, out);
        switch (d_.kind) {
            case shape::uniform:
                generator_.affine(out, count, d_.first, d_.second - d_.first, false);
                break;
            case shape::integers:
                generator_.affine(out, count, d_.first, d_.second - d_.first + 1, true);
                break;
            case shape::normal:
                to_normals(out, groups);
                generator_.affine(out, count, d_.first, d_.second, false);
                break;
            case shape::ill_conditioned:
                spread(row, first_group, groups, out);
                break;
            case shape::zeros:
                break;
        }
    }

  private:
    void units(std::int64_t row, std::uint32_t stream, std::int64_t first_group,
               std::int64_t groups, double* out) const {
        const auto word = static_cast<std::uint32_t>(which_) | stream << 8;
        generator_.unit_row({seed_, word, row}, first_group, groups, out);
    }

    void spread(std::int64_t row, std::int64_t first_group, std::int64_t groups,
                double* out) const {
        tile_row exponent;
        units(row, 1, first_group, groups, exponent.data());
        to_normals(exponent.data(), groups);
        for (std::size_t i = 0; i < static_cast<std::size_t>(groups * group_cols); ++i)
            out[i] = (out[i] - 0.5) * std::exp(d_.first * exponent[i]);
    }

    distribution d_;
    std::uint64_t seed_;
    operand which_;
    generator generator_ = generator_in_use();
};

template <class T>
T rounded(double value) {
    if constexpr (std::is_integral_v<T>) {
        constexpr double least = std::numeric_limits<T>::min();
        constexpr double most = std::numeric_limits<T>::max();
        return static_cast<T>(std::clamp(std::nearbyint(value), least, most));
    } else if constexpr (sizeof(T) == 1) {
        return T::saturated(value);
    } else {
        return static_cast<T>(value);
    }
}

template <class T>
void store(const tile& from, const matrix_view<T>& to) {
    if (std::abs(to.col_stride()) <= std::abs(to.row_stride())) {
        for (std::size_t i = 0; i < to.rows(); ++i)
            for (std::size_t j = 0; j < to.cols(); ++j) to(i, j) = rounded<T>(from[i][j]);
    } else {
        for (std::size_t j = 0; j < to.cols(); ++j)
            for (std::size_t i = 0; i < to.rows(); ++i) to(i, j) = rounded<T>(from[i][j]);
    }
}

struct range {
    double least, most;
};

range range_of(dtype type) {
    return {traits_of(type).lowest, traits_of(type).largest};
}

bool holds(const range& of, const tile& values, std::int64_t height, std::int64_t width) {
    bool all = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(height); ++i)
        for (std::size_t j = 0; j < static_cast<std::size_t>(width); ++j)
            all &= std::abs(values[i][j]) <= of.most;
    return all;
}

// Whether the type holds all generated values, or clips those beyond its range.
template <class T>
bool fill_view(const matrix_view<T>& to, const element_source& source, int threads) {
    constexpr bool saturates = std::is_integral_v<T> || sizeof(T) == 1;
    std::atomic<bool> held = true;
    if (to.empty()) return held;
    const auto rows = static_cast<std::int64_t>(to.rows());
    const auto cols = static_cast<std::int64_t>(to.cols());
    const std::int64_t tiles_across = (cols + tile_cols - 1) / tile_cols;
    const std::int64_t tiles_down = (rows + tile_rows - 1) / tile_rows;
    parallel_for(tiles_down * tiles_across, threads, [&](std::int64_t index) {
        const std::int64_t i0 = index / tiles_across * tile_rows;
        const std::int64_t j0 = index % tiles_across * tile_cols;
        const std::int64_t height = std::min(tile_rows, rows - i0);
        const std::int64_t width = std::min(tile_cols, cols - j0);
        const std::int64_t groups = (width + group_cols - 1) / group_cols;
        tile values;
        for (std::int64_t i = 0; i < height; ++i)
            source.row(i0 + i, j0 / group_cols, groups, values[static_cast<std::size_t>(i)].data());
        if (!saturates && !holds(range_of(dtype_of_v<T>), values, height, width)) held = false;
        store(values, to.block(static_cast<std::size_t>(i0), static_cast<std::size_t>(j0),
                               static_cast<std::size_t>(height), static_cast<std::size_t>(width)));
    });
    return held;
}

[[noreturn]] void refuse(const distribution& d, dtype type) {
    const auto [least, most] = range_of(type);
    throw error(error_code::invalid_argument,
                fmt::format("distribution {} has values beyond {}, which holds {:.10g} to {:.10g}: "
                            "choose a narrower one",
                            to_string(d), name(type), least, most));
}

void require_fits(const distribution& d, dtype type) {
    if (d.kind != shape::uniform && d.kind != shape::integers) return;
    const auto [least, most] = range_of(type);
    if (d.first < least || d.second > most) refuse(d, type);
}

}  // namespace

double value_at(const distribution& d, std::uint64_t seed, operand which, std::int64_t row,
                std::int64_t col) {
    std::array<double, group_cols> group{};
    element_source(d, seed, which).row(row, col / group_cols, 1, group.data());
    return group[static_cast<std::size_t>(col % group_cols)];
}

void fill(void* memory, dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where,
          const distribution& d, std::uint64_t seed, operand which, int threads) {
    require_fits(d, type);
    const element_source source(d, seed, which);
    const auto fill_as = [&]<class T>(T* data) {
        const matrix_view<T> to(data, static_cast<std::size_t>(rows),
                                static_cast<std::size_t>(cols), where.row_stride, where.col_stride);
        if (!fill_view(to, source, threads)) refuse(d, type);
    };
    core::visit(type, [&]<class T>(core::element_tag<T>) { fill_as(static_cast<T*>(memory)); });
}

operand_bytes bytes_needed(const rows::operation& all) {
    const auto bytes = [](const rows::whole_matrix& of, dtype type) {
        return core::checked_bytes(type, core::extent_elements(of.rows, of.cols, of.where),
                                   "matrix bytes");
    };
    const core::problem& p = all.one;
    const std::int64_t of_c = bytes(whole_c(all), p.c_type);
    return {bytes(whole_a(all), p.a_type),
            bytes(whole_b(all), p.b_type),
            of_c,
            bias_bytes(all),
            all.other_e ? of_c : 0,
            all.block_scales ? 4 * rows::block_scale_places(p).count() : 0};
}

}  // namespace carat::workload
