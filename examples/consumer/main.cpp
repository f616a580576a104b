// C = A B with the library, the same with a bias and ReLU, and the error for a wrong size.
#include <array>
#include <cstdio>

#include <carat/carat.hpp>

int main() {
    carat::matrix<double> a(2, 3), b(3, 2), c(2, 2);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            a(i, j) = static_cast<double>(3 * i + j);
            b(j, i) = static_cast<double>(j + 1);
        }
    carat::matrix_product(a, b, c);
    std::printf("%g %g\n%g %g\n", c(0, 0), c(0, 1), c(1, 0), c(1, 1));

    const std::array<double, 2> of_columns = {-10, 0};
    carat::matrix_product(a, b, c, carat::bias(of_columns) | carat::relu);
    std::printf("%g %g\n%g %g\n", c(0, 0), c(0, 1), c(1, 0), c(1, 1));

    try {
        carat::matrix_product(a, a, c);
    } catch (const carat::error& refused) {
        std::printf("%s\n", refused.what());
    }
}
