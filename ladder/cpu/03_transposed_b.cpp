// Step 3: the other cure for the column walk of step 1. Keep its dot products, but copy B into its
// transpose first, so that a column of B lies in memory like a row:
//
//            k ->               k ->               j
//        +---------+        +---------+        +-------+
//      i |---------|      j |---------|      i |   o   |
//        |    A    |        |   B^T   |        |   C   |
//        +---------+        +---------+        +-------+
//
// The copy costs K x N moves and pays off M times. Against step 2 nothing is written in the inner
// loop, but the sum is one chain of dependent additions again, and a compiler that respects the
// order of floating-point additions can't make vectors of it.
// Reference: document 004, "transposed B".
#include "ladder/cpu/step.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
class transposed_b {
  public:
    transposed_b(const core::problem& p, const core::settings&) : copy_(workspace<T>(p.n, p.k)) {}

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        const matrix_view<T> bt(static_cast<T*>(copy_.data()), b.cols(), b.rows());
        for (size_t k = 0; k < b.rows(); ++k)
            for (size_t j = 0; j < b.cols(); ++j) bt(j, k) = b(k, j);

        for (size_t i = 0; i < c.rows(); ++i) {
            for (size_t j = 0; j < c.cols(); ++j) {
                T sum = 0;
                for (size_t k = 0; k < a.cols(); ++k) sum += a(i, k) * bt(j, k);
                c(i, j) += alpha * sum;
            }
        }
    }

  private:
    space::buffer copy_;
};

}  // namespace

extern const rows::implementation transposed_b_entry;
constexpr rows::implementation transposed_b_entry = {
    .name = "cpu.ladder.transposed_b",
    .summary = "B copied into its transpose, then dot products of rows (ijk)",
    .signatures = real_and_integer,
    .unsupported = unsupported,
    .prepare = prepare<transposed_b>,
};

}  // namespace carat::ladder::cpu
