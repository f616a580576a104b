#include "api/integers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "api/checks.hpp"
#include "core/isa.hpp"
#include "cpu/engine.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;
__extension__ typedef __int128 wide;

constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

// Calls `work` with the matrix as a view of its element type.
template <class Work>
auto as_integers(const erased_matrix& m, const Work& work) {
    const auto view = [&]<class T>(const T* data) {
        return matrix_view<const T>(data, m.rows, m.cols, m.row_stride, m.col_stride);
    };
    return core::visit_integers(m.type, [&]<class T>(core::element_tag<T>) {
        return work(view(static_cast<const T*>(m.data)));
    });
}

std::int64_t element(const erased_matrix& m, std::size_t i, std::size_t j) {
    return as_integers(m, [&](const auto& view) { return std::int64_t{view(i, j)}; });
}

std::int64_t largest_of_elements(const erased_matrix& m) {
    return m.prepared != nullptr ? m.prepared->largest : largest_magnitude(m);
}

std::int64_t largest_of_type(const erased_matrix& m) {
    const dtype_traits& t = traits_of(m.type);
    return static_cast<std::int64_t>(std::max(-t.lowest, t.largest));
}

// Factors as whole numbers. 0 stands for an operand that must not be read.
struct factors {
    std::int64_t alpha;
    std::int64_t beta;
};

// Bounds the magnitude of every partial sum by the magnitudes of elements; exact up to 2^64.
wide bound(const core::problem& p, const factors& f, const erased_matrix& a, const erased_matrix& b,
           const erased_matrix* e, std::int64_t (*magnitude)(const erased_matrix&)) {
    constexpr wide enough = static_cast<wide>(1) << 64;
    wide sum = 0;
    if (f.alpha != 0 && p.k != 0) sum = static_cast<wide>(magnitude(a)) * magnitude(b) * p.k;
    sum = std::min(sum, enough) * std::abs(f.alpha);
    if (f.beta != 0 && e != nullptr) sum += static_cast<wide>(std::abs(f.beta)) * magnitude(*e);
    return sum;
}

[[noreturn]] void fail_at(std::size_t i, std::size_t j) {
    throw error(error_code::overflow,
                "matrix_product: element (" + std::to_string(i) + ", " + std::to_string(j) +
                    ") of the result does not fit in a 32-bit integer; C is unchanged; multiply as "
                    "double (float64) for values up to 2^53");
}

matrix_view<double> widened(const erased_matrix& m, double* memory) {
    return as_integers(m, [&](const auto& view) {
        const matrix_view<double> out(memory, m.rows, m.cols);
        for (std::size_t i = 0; i < m.rows; ++i)
            for (std::size_t j = 0; j < m.cols; ++j) out(i, j) = view(i, j);
        return out;
    });
}

// Doubles are exact for sums below 2^53, and the engine multiplies them fast.
class product_of_doubles {
  public:
    product_of_doubles(const core::problem& p, int threads, const erased_matrix& a,
                       const erased_matrix& b, const erased_matrix* e)
        : result_(nullptr, a.rows, b.cols) {
        core::problem exact = core::row_major_problem(dtype::f64, p.m, p.n, p.k);
        exact.alpha = p.alpha;
        exact.beta = p.beta;
        const cpu_engine::product made(exact, threads, cpu_engine::kernels_for(core::isa_in_use()));
        const auto elements = [](const erased_matrix& m) {
            return core::checked_product(static_cast<std::int64_t>(m.rows),
                                         static_cast<std::int64_t>(m.cols), "matrix_product");
        };
        const bool reads = p.alpha != 0;
        const std::int64_t of_a = reads ? elements(a) : 0;
        const std::int64_t of_b = reads ? elements(b) : 0;
        const auto total = static_cast<std::size_t>(of_a + of_b + p.m * p.n) * sizeof(double);
        std::byte* packing = memory_.reserve(made.workspace_bytes() + total);
        double* next = reinterpret_cast<double*>(packing + made.workspace_bytes());
        if (reads) widened(a, next);
        if (reads) widened(b, next + of_a);
        result_ = {next + of_a + of_b, a.rows, b.cols};
        if (p.beta != 0 && e != nullptr) widened(*e, result_.data());
        made.run({.a = next, .b = next + of_a, .c = result_.data()}, packing);
    }

    [[nodiscard]] wide operator()(std::size_t i, std::size_t j) const {
        return static_cast<std::int64_t>(result_(i, j));
    }

  private:
    cpu_engine::workspace memory_;
    matrix_view<double> result_;
};

// Sums of any size, one element at a time.
class product_of_wides {
  public:
    product_of_wides(const core::problem& p, const erased_matrix& a, const erased_matrix& b,
                     const erased_matrix* e)
        : p_(p), a_(a), b_(b), e_(e) {}

    [[nodiscard]] wide operator()(std::size_t i, std::size_t j) const {
        wide sum = 0;
        for (std::size_t q = 0; p_.alpha != 0 && q < a_.cols; ++q)
            sum += element(a_, i, q) * element(b_, q, j);
        // No factor and no E brings a sum beyond 2^64 back into range.
        constexpr wide enough = static_cast<wide>(1) << 64;
        const wide scaled = std::clamp(sum, -enough, enough) * static_cast<std::int64_t>(p_.alpha);
        if (p_.beta == 0 || e_ == nullptr) return scaled;
        return scaled + static_cast<wide>(static_cast<std::int64_t>(p_.beta)) * element(*e_, i, j);
    }

  private:
    const core::problem& p_;
    const erased_matrix& a_;
    const erased_matrix& b_;
    const erased_matrix* e_;
};

template <class Product>
std::vector<std::int32_t> checked(const Product& product, std::size_t rows, std::size_t cols) {
    std::vector<std::int32_t> result;
    result.reserve(rows * cols);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < cols; ++j) {
            const wide value = product(i, j);
            if (value < least || value > most) fail_at(i, j);
            result.push_back(static_cast<std::int32_t>(value));
        }
    }
    return result;
}

}  // namespace

std::int64_t largest_magnitude(const erased_matrix& m) {
    const core::layout at = layout_of(m);
    return as_integers(m, [&](auto view) {
        if (std::abs(at.row_stride) < std::abs(at.col_stride)) view = transposed(view);
        std::int32_t low = 0;
        std::int32_t high = 0;
        for (std::size_t i = 0; i < view.rows(); ++i) {
            for (std::size_t j = 0; j < view.cols(); ++j) {
                low = std::min<std::int32_t>(low, view(i, j));
                high = std::max<std::int32_t>(high, view(i, j));
            }
        }
        return std::max<std::int64_t>(high, -std::int64_t{low});
    });
}

std::vector<std::int32_t> exact_if_needed(const core::problem& p, int threads,
                                          const erased_matrix& a, const erased_matrix& b,
                                          const erased_matrix* e) {
    const factors f = {static_cast<std::int64_t>(p.alpha), static_cast<std::int64_t>(p.beta)};
    // The type alone proves it for bytes up to K = 131071 (u8 by i8: 65793).
    if (core::is_storage_type(a.type) && bound(p, f, a, b, e, &largest_of_type) <= most) return {};
    const wide size = bound(p, f, a, b, e, &largest_of_elements);
    if (size <= most) return {};
    if (a.prepared != nullptr || b.prepared != nullptr)
        throw error(error_code::overflow,
                    "matrix_product: |alpha| max|A| max|B| K + |beta| max|E| does not fit in "
                    "a 32-bit integer, and no more is known of a prepared operand; C is unchanged; "
                    "multiply the matrix itself");
    if (size <= static_cast<wide>(1) << 53)
        return checked(product_of_doubles(p, threads, a, b, e), a.rows, b.cols);
    return checked(product_of_wides(p, a, b, e), a.rows, b.cols);
}

void check_sums_fit(const core::problem& p, const erased_matrix& a, const erased_matrix& b) {
    const factors f = {p.alpha == 0 ? 0 : 1, 0};
    if (bound(p, f, a, b, nullptr, &largest_of_type) <= most ||
        bound(p, f, a, b, nullptr, &largest_of_elements) <= most)
        return;
    throw error(error_code::overflow,
                "matrix_product: max|A| max|B| K for K = " + std::to_string(p.k) +
                    " does not fit in the 32 bits that bytes are summed in; C is unchanged; cut K "
                    "and give the sum of the first part to the next as E");
}

void write_rows(const std::vector<std::int32_t>& from, const erased_matrix& c) {
    const matrix_view<std::int32_t> out(static_cast<std::int32_t*>(c.data), c.rows, c.cols,
                                        c.row_stride, c.col_stride);
    for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t j = 0; j < c.cols; ++j) out(i, j) = from[i * c.cols + j];
}

}  // namespace carat::api
