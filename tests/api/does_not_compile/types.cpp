// One wrong call per CASE; the CMake list beside this folder says what the compiler must answer.
#include <vector>

#include <carat/carat.hpp>

// Resembles std::linalg::scaled of a std::mdspan.
struct multiplied_on_the_way {
    using element_type = const double;
    using reference = double;
    using rank_type = unsigned;
    static constexpr rank_type rank() { return 2; }
    [[nodiscard]] int extent(rank_type) const { return 2; }
    [[nodiscard]] int stride(rank_type) const { return 1; }
    [[nodiscard]] const double* data_handle() const { return nullptr; }
};

void call() {
    carat::matrix<double> a, b, c;
    [[maybe_unused]] const carat::matrix<double> fixed;
    [[maybe_unused]] carat::matrix<float> f;
    [[maybe_unused]] carat::matrix<long> l;
    [[maybe_unused]] carat::matrix<std::int32_t> i;
    [[maybe_unused]] carat::matrix<std::int8_t> bytes;
    [[maybe_unused]] std::vector<double> v;
#if CASE == 0
    carat::matrix_product(a, fixed, c);
    carat::matrix_product(carat::cpu{1}, carat::scaled(2, a), carat::transposed(b), c, c);
    carat::matrix_product(a, b, c, c, carat::bias(v) | carat::relu);
    carat::matrix_product(carat::prepare(a), f, f, f, carat::relu);
    carat::matrix_products(carat::cpu{}, carat::strided(a, 3, 9), carat::prepare(b),
                           carat::strided(c, 3, 9), carat::strided(c, 3, 9), carat::relu);
    carat::matrix_product(carat::cuda{.stream = nullptr}, a, carat::transposed(b), c, c);
    carat::matrix_product(bytes, bytes, f);
    carat::matrix_product(bytes, bytes, bytes, carat::scale(0.5));
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
#elif CASE == 8
    carat::matrix_product(f, f, f, carat::bias(v));
#elif CASE == 9
    carat::matrix_product(i, i, i, carat::relu);
#elif CASE == 10
    carat::matrix_product(a, b, c, carat::each([v](double x) { return x + v[0]; }));
#elif CASE == 11
    carat::matrix_product(carat::prepare(a), carat::prepare(b), c);
#elif CASE == 12
    carat::matrix_product(a, carat::prepare(b), f);
#elif CASE == 13
    (void)carat::prepare(i);
#elif CASE == 14
    carat::matrix_products(a, b, c);
#elif CASE == 15
    carat::matrix_products(i, i, carat::strided(i, 1, 1), carat::relu);
#elif CASE == 16
    carat::matrix_products(a, b, carat::strided(fixed, 1, 1));
#elif CASE == 17
    carat::matrix_product(carat::cuda{}, a, carat::prepare(b), c);
#elif CASE == 18
    carat::matrix<carat::e4m3> e;
    carat::matrix_product(e, e, f);
#elif CASE == 19
    carat::matrix_product(bytes, bytes, bytes);
#elif CASE == 20
    carat::matrix_product(carat::cuda{}, bytes, bytes, f);
#elif CASE == 21
    struct alignas(32) wide {
        double operator()(double x) const { return x; }
    };
    carat::matrix_product(a, b, c, carat::each(wide{}));
#elif CASE == 22
    carat::matrix_product(multiplied_on_the_way(), b, c);
#elif CASE == 23
    carat::matrix_product(f, f, f, carat::bias(1.0f));
#elif CASE == 24
    carat::matrix_product(a, b, c, carat::scale("half"));
#elif CASE == 25
    carat::matrix_product(a, b, c, carat::each(2.0));
#endif
}
