#include "api/integers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "core/isa.hpp"
#include "cpu/engine.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;
using view = matrix_view<const std::int32_t>;
__extension__ typedef __int128 wide;

constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

view integers(const erased_matrix& m) {
    return {static_cast<const std::int32_t*>(m.data), m.rows, m.cols, m.row_stride, m.col_stride};
}

// The largest magnitude, read in the order of memory.
std::int64_t largest(view m) {
    if (std::abs(m.row_stride()) < std::abs(m.col_stride())) m = transposed(m);
    std::int32_t low = 0;
    std::int32_t high = 0;
    for (std::size_t i = 0; i < m.rows(); ++i) {
        for (std::size_t j = 0; j < m.cols(); ++j) {
            low = std::min(low, m(i, j));
            high = std::max(high, m(i, j));
        }
    }
    return std::max<std::int64_t>(high, -std::int64_t{low});
}

// Factors as whole numbers; 0 stands for an operand that must not be read.
struct factors {
    std::int64_t alpha;
    std::int64_t beta;
};

// Bounds the magnitude of every sum on the way to every element; exact up to 2^64.
wide bound(const core::problem& p, const factors& f, const view& a, const view& b, const view& e) {
    constexpr wide enough = static_cast<wide>(1) << 64;
    wide sum = 0;
    if (f.alpha != 0 && p.k != 0) sum = static_cast<wide>(largest(a)) * largest(b) * p.k;
    sum = std::min(sum, enough) * std::abs(f.alpha);
    if (f.beta != 0) sum += static_cast<wide>(std::abs(f.beta)) * largest(e);
    return sum;
}

[[noreturn]] void fail_at(std::size_t i, std::size_t j) {
    throw error(error_code::overflow,
                "matrix_product: element (" + std::to_string(i) + ", " + std::to_string(j) +
                    ") of the result does not fit in std::int32_t; C is unchanged; multiply as "
                    "double for values up to 2^53");
}

matrix_view<double> widened(const view& m, double* memory) {
    const matrix_view<double> out(memory, m.rows(), m.cols());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j) out(i, j) = m(i, j);
    return out;
}

// Where sums stay below 2^53 doubles are exact, and the engine multiplies them fast.
class product_of_doubles {
  public:
    product_of_doubles(const core::problem& p, int threads, const view& a, const view& b,
                       const view& e)
        : result_(nullptr, a.rows(), b.cols()) {
        core::problem exact = core::row_major_problem(dtype::f64, p.m, p.n, p.k);
        exact.alpha = p.alpha;
        exact.beta = p.beta;
        const cpu_engine::product made(exact, threads, cpu_engine::kernels_for(core::isa_in_use()));
        const auto elements = [](const view& m) {
            return core::checked_product(static_cast<std::int64_t>(m.rows()),
                                         static_cast<std::int64_t>(m.cols()), "matrix_product");
        };
        const bool reads = p.alpha != 0;
        const std::int64_t of_a = reads ? elements(a) : 0;
        const std::int64_t of_b = reads ? elements(b) : 0;
        const auto total = static_cast<std::size_t>(of_a + of_b + p.m * p.n) * sizeof(double);
        std::byte* packing = memory_.reserve(made.workspace_bytes() + total);
        double* next = reinterpret_cast<double*>(packing + made.workspace_bytes());
        if (reads) widened(a, next);
        if (reads) widened(b, next + of_a);
        result_ = {next + of_a + of_b, a.rows(), b.cols()};
        if (p.beta != 0) widened(e, result_.data());
        made.run({.a = next, .b = next + of_a, .c = result_.data()}, packing);
    }

    [[nodiscard]] wide operator()(std::size_t i, std::size_t j) const {
        return static_cast<std::int64_t>(result_(i, j));
    }

  private:
    cpu_engine::workspace memory_;
    matrix_view<double> result_;
};

// Any sums at all, one element at a time.
class product_of_wides {
  public:
    product_of_wides(const core::problem& p, const view& a, const view& b, const view& e)
        : p_(p), a_(a), b_(b), e_(e) {}

    [[nodiscard]] wide operator()(std::size_t i, std::size_t j) const {
        wide sum = 0;
        for (std::size_t q = 0; p_.alpha != 0 && q < a_.cols(); ++q)
            sum += std::int64_t{a_(i, q)} * b_(q, j);
        // Past 2^64 no factor and no E brings it back into range.
        constexpr wide enough = static_cast<wide>(1) << 64;
        const wide scaled = std::clamp(sum, -enough, enough) * static_cast<std::int64_t>(p_.alpha);
        if (p_.beta == 0) return scaled;
        return scaled + static_cast<wide>(static_cast<std::int64_t>(p_.beta)) * e_(i, j);
    }

  private:
    const core::problem& p_;
    view a_;
    view b_;
    view e_;
};

// All elements before any is written: C may be E, and an overflow must leave C as it was.
template <class Product>
void write_checked(const Product& product, const matrix_view<std::int32_t>& c) {
    std::vector<std::int32_t> result;
    result.reserve(c.rows() * c.cols());
    for (std::size_t i = 0; i < c.rows(); ++i) {
        for (std::size_t j = 0; j < c.cols(); ++j) {
            const wide value = product(i, j);
            if (value < least || value > most) fail_at(i, j);
            result.push_back(static_cast<std::int32_t>(value));
        }
    }
    for (std::size_t i = 0; i < c.rows(); ++i)
        for (std::size_t j = 0; j < c.cols(); ++j) c(i, j) = result[i * c.cols() + j];
}

}  // namespace

bool multiply_exactly_if_needed(const core::problem& p, int threads, const erased_matrix& a,
                                const erased_matrix& b, const erased_matrix* e,
                                const erased_matrix& c) {
    const factors f = {static_cast<std::int64_t>(p.alpha), static_cast<std::int64_t>(p.beta)};
    const view in_a = integers(a);
    const view in_b = integers(b);
    const view in_e = e == nullptr ? view() : integers(*e);
    const wide size = bound(p, f, in_a, in_b, in_e);
    if (size <= most) return false;
    const matrix_view<std::int32_t> out(static_cast<std::int32_t*>(c.data), c.rows, c.cols,
                                        c.row_stride, c.col_stride);
    if (size <= static_cast<wide>(1) << 53) {
        write_checked(product_of_doubles(p, threads, in_a, in_b, in_e), out);
    } else {
        write_checked(product_of_wides(p, in_a, in_b, in_e), out);
    }
    return true;
}

}  // namespace carat::api
