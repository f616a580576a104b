// Step 2: the same three loops in another order. With j innermost, one element of A is multiplied
// with a whole row of B and added to a whole row of C:
//
//          k                    j ->               j ->
//        +-|-------+        +-------+          +-------+
//      i | o       |      k |-------|        i |+++++++|
//        |    A    |        |   B   |          |   C   |
//        +---------+        +-------+          +-------+
//
// Both inner walks now run along rows, so each cache line is used whole, the hardware sees the
// stream coming, and the additions are independent: the compiler may use vectors. What is left is
// traffic: for each row of C all of B is read, and once B outgrows the cache it comes from memory
// N times. Reference: document 004, "loop interchange"; Golub and Van Loan, 1.1 (ikj).
#include "ladder/cpu/step.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
struct reordered {
    reordered(const core::problem&, const core::settings&) {}

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        for (size_t i = 0; i < c.rows(); ++i) {
            for (size_t k = 0; k < a.cols(); ++k) {
                const T a_ik = alpha * a(i, k);
                for (size_t j = 0; j < c.cols(); ++j) c(i, j) += a_ik * b(k, j);
            }
        }
    }
};

}  // namespace

extern const rows::implementation reordered_entry;
constexpr rows::implementation reordered_entry = {
    .name = "cpu.ladder.reordered",
    .summary = "the inner two loops exchanged (ikj): rows of B and C instead of columns",
    .signatures = real_and_integer,
    .unsupported = unsupported,
    .prepare = prepare<reordered>,
};

}  // namespace carat::ladder::cpu
