// Eigen's matrices, maps, blocks and transposes as operands; says "right" or returns 1.
#include <array>
#include <cstdio>
#include <vector>

#include <carat/carat.hpp>
#include <carat/eigen.hpp>

namespace {

using by_rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

bool doubles_are_right() {
    const Eigen::MatrixXd a = Eigen::MatrixXd::Random(30, 20);
    Eigen::MatrixXd b = Eigen::MatrixXd::Random(40, 20);
    Eigen::MatrixXd c(30, 40), part = Eigen::MatrixXd::Zero(8, 9);
    carat::matrix_product(a, b.transpose(), c);
    carat::matrix_product(a.topRows(3), b.block(1, 0, 4, 20).transpose(), part.block(2, 2, 3, 4));
    const Eigen::MatrixXd exact = a * b.transpose();
    Eigen::MatrixXd parts = Eigen::MatrixXd::Zero(8, 9);
    parts.block(2, 2, 3, 4) = exact.block(0, 1, 3, 4);
    return (c - exact).norm() < 1e-10 && (part - parts).norm() < 1e-10;
}

bool floats_are_right() {
    Eigen::Matrix3f a = Eigen::Matrix3f::Random();
    const by_rows b = by_rows::Random(3, 5);
    std::array<float, 15> values{};
    Eigen::Map<by_rows> c(values.data(), 3, 5);
    const std::vector<float> bias = {1, 2, 3, 4, 5};
    carat::matrix_product(carat::scaled(2, a), b, c, carat::bias(bias));
    const by_rows exact =
        (2 * a * b).rowwise() + Eigen::Map<const Eigen::RowVectorXf>(bias.data(), 5);
    return (c - exact).norm() < 1e-5F;
}

}  // namespace

int main() {
    if (!doubles_are_right() || !floats_are_right()) return 1;
    std::puts("right");
}
