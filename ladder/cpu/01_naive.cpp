// Step 1: the definition. Each element of C is the dot product of a row of A and a column of B.
//
//            k ->               j                  j
//        +---------+        +---|---+          +-------+
//      i |---------|      k |   |   |        i |   o   |
//        |    A    |        | B v   |          |   C   |
//        +---------+        +-------+          +-------+
//
// The inner loop walks A along a row, 8 bytes a step, but B down a column, a whole row of bytes a
// step: every element of B comes from another cache line, and for large N every line has left the
// cache before its next element is wanted. One sum, too, is one chain of additions, each of which
// waits for the one before.
// Reference: document 002, "naive"; Golub and Van Loan, Matrix Computations, 1.1 (ijk).
#include "ladder/cpu/step.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
struct naive {
    naive(const core::problem&, const core::settings&) {}

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        for (size_t i = 0; i < c.rows(); ++i) {
            for (size_t j = 0; j < c.cols(); ++j) {
                T sum = 0;
                for (size_t k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
                c(i, j) += alpha * sum;
            }
        }
    }
};

}  // namespace

extern const rows::implementation naive_entry;
constexpr rows::implementation naive_entry = {
    .name = "cpu.ladder.naive",
    .summary = "three loops in the order of the definition (ijk)",
    .signatures = real_and_integer,
    .unsupported = unsupported,
    .prepare = prepare<naive>,
};

}  // namespace carat::ladder::cpu
