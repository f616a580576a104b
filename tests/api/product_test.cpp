// The public call on ordinary matrices.
#include <gtest/gtest.h>

#include <carat/carat.hpp>

namespace {

using namespace carat;

TEST(matrix_product, multiplies) {
    matrix<double> a(2, 3), b(3, 2), c(2, 2);
    for (std::size_t i = 0; i < 6; ++i) a.data()[i] = b.data()[i] = double(i);
    matrix_product(a, b, c);
    EXPECT_EQ(c(0, 0), 10);
    EXPECT_EQ(c(1, 1), 40);
}

}  // namespace
