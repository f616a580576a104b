// Bad arguments: the code, one line naming argument, values and remedy, and C to the bit as it was.
#include <gtest/gtest.h>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

constexpr auto far = std::ptrdiff_t{1} << 62;

matrix_view<double> at(double* p, std::size_t rows, std::size_t cols) {
    return {p, rows, cols};
}

class refusals : public test::refusals {};

TEST_F(refusals, name_the_argument_and_leave_c_alone) {
    using enum error_code;
    double* const null = nullptr;
    refuse(size_mismatch, {"matrix_product: ", "A is 3 x 4", "B is 5 x 6"},
           [](double* p) { matrix_product(at(p, 3, 4), at(p + 100, 5, 6), at(p + 200, 3, 6)); });
    refuse(size_mismatch, {"C is 2 x 6", "3 x 6"},
           [](double* p) { matrix_product(at(p, 3, 4), at(p + 100, 4, 6), at(p + 200, 2, 6)); });
    refuse(size_mismatch, {"C is 3 x 7", "3 x 6"},
           [](double* p) { matrix_product(at(p, 3, 4), at(p + 100, 4, 6), at(p + 200, 3, 7)); });
    refuse(size_mismatch, {"E is 3 x 1", "C is 3 x 6"}, [](double* p) {
        matrix_product(at(p, 3, 4), at(p + 100, 4, 6), at(p + 300, 3, 1), at(p + 200, 3, 6));
    });
    refuse(size_mismatch, {"C is 0 x 5", "0 x 6"},
           [](double* p) { matrix_product(at(p, 0, 4), at(p, 4, 6), at(p, 0, 5)); });
    refuse(invalid_argument, {"A is 3 x 4", "null"},
           [=](double* p) { matrix_product(at(null, 3, 4), at(p, 4, 6), at(p + 200, 3, 6)); });
    refuse(invalid_argument, {"C is 3 x 6", "null"},
           [=](double* p) { matrix_product(at(p, 3, 4), at(p, 4, 6), at(null, 3, 6)); });
    refuse(invalid_argument, {"-1", "0 for all"},
           [](double* p) { matrix_product(cpu{-1}, at(p, 1, 1), at(p, 1, 1), at(p + 200, 1, 1)); });
    refuse(aliasing, {"C overlaps A"},
           [](double* p) { matrix_product(at(p, 4, 4), at(p + 200, 4, 4), at(p, 4, 4)); });
    refuse(aliasing, {"C overlaps B"},
           [](double* p) { matrix_product(at(p, 4, 4), at(p + 100, 4, 4), at(p + 115, 4, 4)); });
    refuse(aliasing, {"C overlaps E"}, [](double* p) {
        matrix_product(at(p, 4, 4), at(p + 100, 4, 4), at(p + 200, 4, 4), at(p + 215, 4, 4));
    });
    refuse(aliasing, {"C overlaps E"}, [](double* p) {
        const auto c = at(p + 200, 4, 4);
        matrix_product(at(p, 4, 4), at(p + 100, 4, 4), transposed(c), c);
    });
    refuse(invalid_argument, {"strides 0 and 1", "one place"}, [](double* p) {
        matrix_product(at(p, 4, 4), at(p + 100, 4, 4), matrix_view(p + 200, 4, 4, 0, 1));
    });
    refuse(invalid_argument, {"strides 3 and 1"}, [](double* p) {
        matrix_product(at(p, 4, 4), at(p + 100, 4, 4), matrix_view(p + 200, 4, 4, 3, 1));
    });
    refuse(overflow, {"A, 3 x 4", "64-bit"}, [](double* p) {
        matrix_product(matrix_view(p, 3, 4, far, 1), at(p + 100, 4, 6), at(p + 200, 3, 6));
    });
    refuse(overflow, {"below 2^63"}, [](double* p) {
        const std::size_t huge = std::size_t{1} << 63;
        matrix_product(at(p, 1, huge), at(p, huge, 1), at(p + 200, 1, 1));
    });
    EXPECT_EQ(refused_, 16);
}

TEST_F(refusals, empty_matrices_need_no_data) {
    const matrix_view<double> none(nullptr, 0, 0);
    matrix_product(none, none, none);
    double c[4] = {1, 2, 3, 4};
    matrix_product(matrix_view<double>(nullptr, 2, 0), matrix_view<double>(nullptr, 0, 2),
                   at(c, 2, 2));
    for (const double x : c) EXPECT_EQ(x, 0);
}

TEST_F(refusals, an_extent_of_a_matrix_with_no_elements_may_be_anything) {
    const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
    const matrix_view<double> tall(nullptr, most, 0, far, far);
    matrix_product(tall, matrix_view<double>(nullptr, 0, 0), tall);
}

}  // namespace
