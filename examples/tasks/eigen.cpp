// Seven tasks with Eigen; see docs/choose.md.
#include <Eigen/Core>
#include <cmath>
#include <cstdint>

#include "operands.hpp"

template <class T>
using rows_of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using view = Eigen::Map<rows_of<T>>;

int main() {
    auto a_values = numbers<float>(m, k, 1), b_values = numbers<float>(k, n, 2);
    auto bt_values = numbers<float>(n, k, 3), e_values = numbers<float>(m, n, 4);
    auto v_values = numbers<float>(1, n, 5);
    const view<float> a(a_values.data(), m, k), b(b_values.data(), k, n);
    const view<float> bt(bt_values.data(), n, k), e(e_values.data(), m, n);
    const Eigen::Map<Eigen::RowVectorXf> v(v_values.data(), n);
    rows_of<float> c(m, n);

    // task product
    c.noalias() = a * b;
    // end
    print("product", c.data());

    // task scaled
    c = e;
    c.noalias() += 2.0f * a * bt.transpose();
    // end
    print("scaled", c.data());

    // task layer
    c.noalias() = a * b;
    c.rowwise() += v;
    const auto x = c.array();
    c = x / 2 * (1 + (std::sqrt(2 / float(EIGEN_PI)) * (x + 0.044715f * x.cube())).tanh());
    // end
    print("layer", c.data());

    auto a16_values = numbers<Eigen::bfloat16>(m, k, 1),
         b16_values = numbers<Eigen::bfloat16>(k, n, 2);
    const view<Eigen::bfloat16> a16(a16_values.data(), m, k), b16(b16_values.data(), k, n);
    // task bf16
    c.noalias() = a16.cast<float>() * b16.cast<float>();
    // end
    print("bf16", c.data());

    auto a8_values = numbers<std::int8_t>(m, k, 1), b8_values = numbers<std::int8_t>(k, n, 2);
    const view<std::int8_t> a8(a8_values.data(), m, k), b8(b8_values.data(), k, n);
    rows_of<std::int32_t> c32(m, n);
    // task bytes
    c32.noalias() = a8.cast<std::int32_t>() * b8.cast<std::int32_t>();
    // end
    print("bytes", c32.data());

    auto as = numbers<float>(m, k, 1, products), bs = numbers<float>(k, n, 2, products);
    std::vector<float> cs(products * m * n);
    // task batch
    for (std::size_t i = 0; i < products; ++i)
        view<float>(&cs[i * m * n], m, n).noalias() =
            view<float>(&as[i * m * k], m, k) * view<float>(&bs[i * k * n], k, n);
    // end
    print("batch", cs.data(), cs.size());
}
