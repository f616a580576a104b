#include "cpu/should_swap.hpp"

#include <algorithm>
#include <cstdlib>

#include "cpu/machine.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

namespace {

// Whether few lines of C side by side leave lanes of their vectors idle that cost more than what
// the other turn costs: C through a buffer, half a cycle an element where four are turned at once,
// while a vector multiplies and adds twice a cycle. Then it is the `many` lines of the other
// operand that fill vectors. With twice that price 397 x 4 x 10 took 2.2 times as long in f32 and
// 889 x 4 x 7 1.8. Of more than a vector, which leave fewer idle, that price is right.
bool leaves_lanes_idle(std::int64_t few, std::int64_t many, std::int64_t k, int vector_bytes,
                       dtype type) {
    const auto lanes =
        static_cast<std::int64_t>(static_cast<std::size_t>(vector_bytes) / size_bytes(type));
    if (few > 2 * lanes || many < lanes) return false;
    const std::int64_t spared =
        many * plan::ceil_div(few, lanes) - plan::ceil_div(many, lanes) * few;
    const std::int64_t price = few < 4 ? 3 : few <= lanes ? 2 : 6;
    return 2 * k * spared > price * many * few;
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
    if (may_be_skinny && p.m > 1 && p.n > p.m && p.c_layout.row_stride == 1 &&
        p.b_layout.col_stride == 1 && leaves_lanes_idle(p.m, p.n, p.k, vector_bytes, p.a_type))
        return true;
    if (may_be_skinny && p.n > 1 && p.m > p.n && p.c_layout.col_stride == 1 &&
        p.a_layout.row_stride == 1 && leaves_lanes_idle(p.n, p.m, p.k, vector_bytes, p.a_type))
        return false;
    if (p.m == 1) return p.n > 1;
    if (p.n == 1 || p.c_layout.row_stride == 1) return false;
    return std::abs(p.c_layout.col_stride) < std::abs(p.c_layout.row_stride);
}

}  // namespace carat::cpu_engine
