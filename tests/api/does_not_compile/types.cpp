// One wrong call per CASE; the CMake list beside this folder says what the compiler must answer.
#include <vector>

#include <carat/carat.hpp>

void call() {
    carat::matrix<double> a, b, c;
    [[maybe_unused]] const carat::matrix<double> fixed;
    [[maybe_unused]] carat::matrix<float> f;
    [[maybe_unused]] carat::matrix<long> l;
    [[maybe_unused]] std::vector<double> v;
#if CASE == 0
    carat::matrix_product(a, fixed, c);
    carat::matrix_product(carat::cpu{1}, carat::scaled(2, a), carat::transposed(b), c, c);
#elif CASE == 1
    carat::matrix_product(l, l, l);
#elif CASE == 2
    carat::matrix_product(a, f, c);
#elif CASE == 3
    carat::matrix_product(a, b, f);
#elif CASE == 4
    carat::matrix_product(a, b, fixed);
#elif CASE == 5
    carat::matrix_product(a, b, f, c);
#elif CASE == 6
    carat::matrix_product(v, b, c);
#elif CASE == 7
    carat::matrix_product(a, b, carat::scaled(2, c));
#endif
}
