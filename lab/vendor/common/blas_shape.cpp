#include "lab/vendor/common/blas_shape.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace carat::vendor {

namespace {

struct stored {
    char letter;
    std::int64_t ld;
};

// Reads it as columns of `rows` contiguous elements. A stride without a second element is free.
std::optional<std::int64_t> ld_by_columns(std::int64_t rows, std::int64_t cols,
                                          const core::layout& where) {
    const std::int64_t least = std::max<std::int64_t>(1, rows);
    if (rows > 1 && where.row_stride != 1) return std::nullopt;
    if (cols <= 1) return least;
    if (where.col_stride < least) return std::nullopt;
    return where.col_stride;
}

// How a rows x cols operand lies, read the way its strides suggest; empty when BLAS can't say it.
std::optional<stored> find_storage(std::int64_t rows, std::int64_t cols,
                                   const core::layout& where) {
    const auto by_columns = ld_by_columns(rows, cols, where);
    const auto by_rows = ld_by_columns(cols, rows, {where.col_stride, where.row_stride});
    if (by_rows && (where.col_stride == 1 || !by_columns)) return stored{'T', *by_rows};
    if (by_columns) return stored{'N', *by_columns};
    return std::nullopt;
}

std::string reason_against_operand(const char* name, std::int64_t rows, std::int64_t cols,
                                   const core::layout& where, std::int64_t largest) {
    const auto form = find_storage(rows, cols, where);
    if (!form) {
        return fmt::format(
            "{} ({} x {}) has row stride {} and column stride {}: BLAS needs one of them to be 1 "
            "and the other at least the length it steps over; copy {} into such a layout",
            name, rows, cols, where.row_stride, where.col_stride, name);
    }
    if (form->ld > largest)
        return fmt::format("the leading dimension of {} is {}: this library's integers end at {}",
                           name, form->ld, largest);
    return {};
}

constexpr char opposite(char letter) {
    return letter == 'N' ? 'T' : 'N';
}

}  // namespace

std::string reason_against_shape(const core::problem& p, std::int64_t largest) {
    if (is_degenerate(p)) return {};
    for (const auto& [name, size] : {std::pair{"M", p.m}, {"N", p.n}, {"K", p.k}})
        if (size > largest)
            return fmt::format("{} is {}: this library's integers end at {}", name, size, largest);
    std::string why = reason_against_operand("A", p.m, p.k, p.a_layout, largest);
    if (why.empty()) why = reason_against_operand("B", p.k, p.n, p.b_layout, largest);
    if (why.empty()) why = reason_against_operand("C", p.m, p.n, p.c_layout, largest);
    return why;
}

std::string reason_against_float_scaling(const core::problem& p) {
    if (p.alpha == 1 && (p.beta == 0 || p.beta == 1)) return {};
    return fmt::format(
        "it scales integers in float, which rounds: alpha and beta are {} and {}, use 1 "
        "and 0 or 1",
        p.alpha, p.beta);
}

blas_shape shape_for_blas(const core::problem& p) {
    const auto a = find_storage(p.m, p.k, p.a_layout).value();
    const auto b = find_storage(p.k, p.n, p.b_layout).value();
    const auto c = find_storage(p.m, p.n, p.c_layout).value();
    if (c.letter == 'N') return {a.letter, b.letter, p.m, p.n, p.k, a.ld, b.ld, c.ld, false};
    // What lies by rows is its own transpose by columns, so each letter turns over.
    return {opposite(b.letter), opposite(a.letter), p.n, p.m, p.k, b.ld, a.ld, c.ld, true};
}

shape_in<int> int_shape_for_blas(const core::problem& p) {
    const blas_shape s = shape_for_blas(p);
    const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
    return {s.first_letter,     s.second_letter,     narrow(s.m),    narrow(s.n), narrow(s.k),
            narrow(s.first_ld), narrow(s.second_ld), narrow(s.c_ld), s.swapped};
}

}  // namespace carat::vendor
