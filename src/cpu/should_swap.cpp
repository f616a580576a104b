#include "cpu/should_swap.hpp"

#include <algorithm>
#include <cstdlib>

#include "cpu/machine.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

namespace {

// The cycles of a product whose m rows fill vectors, as far as swapping decides them: the
// multiply-adds (a single vector of rows has too few for each load, and the sums of a small tile
// wait for each other), the vectors of C, and what must be transposed (A while it is packed; tiles
// of C, both ways). Fitted to both orders of 1147 products with AVX-512 and 850 with AVX2. It takes
// the slower one in one of 50; the mean loss is 0.6 %, and was 3 % when C alone decided.
double cycles(std::int64_t m, std::int64_t n, std::int64_t k, bool rows_of_a_lie_so,
              bool rows_of_c_lie_so, bool reads_c, std::int64_t lanes) {
    constexpr double least_per_depth = 4;
    const auto rows = static_cast<double>(m);
    const auto columns = static_cast<double>(n);
    const auto depths = static_cast<double>(k);
    const auto vectors = static_cast<double>(plan::ceil_div(m, lanes));
    const double of_c = vectors * columns;
    const double a_depth = std::max(vectors == 1 ? 0.75 * of_c : 0.5 * of_c, least_per_depth);
    const double tiles = 1 + of_c / 24;
    double all = depths * a_depth + (reads_c ? 1.5 : 1) * of_c + 15 * tiles;
    if (!rows_of_a_lie_so) all += 0.6 * rows * depths;
    if (!rows_of_c_lie_so) all += 0.7 * rows * columns * (reads_c ? 2 : 1) * (n < 4 ? 2 : 1);
    return all;
}

bool is_cheaper_swapped(const core::problem& p, int vector_bytes) {
    const auto lanes =
        static_cast<std::int64_t>(static_cast<std::size_t>(vector_bytes) / size_bytes(p.a_type));
    const bool reads_c = p.beta != 0;
    return cycles(p.n, p.m, p.k, p.b_layout.col_stride == 1, p.c_layout.col_stride == 1, reads_c,
                  lanes) < cycles(p.m, p.n, p.k, p.a_layout.row_stride == 1,
                                  p.c_layout.row_stride == 1, reads_c, lanes);
}

}  // namespace

bool should_swap(const core::problem& p, bool may_be_skinny, int vector_bytes) {
    if (may_be_skinny && std::min(p.m, p.n) <= plan::most_dot_columns) {
        const bool rows_lie_so = p.a_layout.col_stride == 1;
        const bool columns_lie_so = p.b_layout.row_stride == 1;
        const auto pays = [&](std::int64_t lines, std::int64_t few) {
            const int bytes = static_cast<int>(size_bytes(p.a_type));
            return plan::takes_dot_products(lines, few, p.k, rows_lie_so && columns_lie_so, bytes,
                                            vector_bytes, this_machine());
        };
        const bool rows_pay = rows_lie_so && pays(p.m, p.n);
        const bool columns_pay = columns_lie_so && pays(p.n, p.m);
        if (rows_pay && (p.m >= p.n || !columns_pay)) return false;
        if (columns_pay) return true;
    }
    if (p.m == 1) return p.n > 1;
    if (p.n == 1) return false;
    if (may_be_skinny) return is_cheaper_swapped(p, vector_bytes);
    if (p.c_layout.row_stride == 1) return false;
    return std::abs(p.c_layout.col_stride) < std::abs(p.c_layout.row_stride);
}

}  // namespace carat::cpu_engine
