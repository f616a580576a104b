// Seven tasks with std::linalg of C++26, or kokkos/stdBLAS, its proposers' implementation; see
// docs/choose.md.
#include <cmath>
#include <version>
#if __has_include(<linalg>)
#include <linalg>
#include <mdspan>
namespace linalg = std::linalg;
using std::dims;
using std::mdspan;
#else
// clang-format off
#include <mdspan/mdspan.hpp>  // first: the other one doesn't include it everywhere
// clang-format on
#include <experimental/linalg>
namespace linalg = Kokkos::Experimental::linalg;
using Kokkos::mdspan;
template <std::size_t rank>
using dims = Kokkos::dextents<std::size_t, rank>;
#endif
#if __has_include(<stdfloat>)
#include <stdfloat>
#endif

#include "operands.hpp"

template <class T>
using view = mdspan<T, dims<2>>;

int main() {
    auto a_values = numbers<float>(m, k, 1), b_values = numbers<float>(k, n, 2);
    auto bt_values = numbers<float>(n, k, 3), e_values = numbers<float>(m, n, 4);
    const auto v = numbers<float>(1, n, 5);
    const view<float> a(a_values.data(), m, k), b(b_values.data(), k, n);
    const view<float> bt(bt_values.data(), n, k), e(e_values.data(), m, n);
    std::vector<float> c_values(m * n);
    const view<float> c(c_values.data(), m, n);

    // task product
    linalg::matrix_product(a, b, c);
    // end
    print("product", c_values.data());

    // task scaled
    linalg::matrix_product(linalg::scaled(2.0f, a), linalg::transposed(bt), e, c);
    // end
    print("scaled", c_values.data());

    // task layer
    linalg::matrix_product(a, b, c);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const float x = c[std::array{i, j}] + v[j];
            c[std::array{i, j}] = x / 2 * (1 + std::tanh(0.7978846f * (x + 0.044715f * x * x * x)));
        }
    // end
    print("layer", c_values.data());

#ifdef __STDCPP_BFLOAT16_T__
    auto a16_values = numbers<std::bfloat16_t>(m, k, 1);
    auto b16_values = numbers<std::bfloat16_t>(k, n, 2);
    const view<std::bfloat16_t> a16(a16_values.data(), m, k), b16(b16_values.data(), k, n);
    // task bf16
    linalg::matrix_product(a16, b16, c);
    // end
    print("bf16", c_values.data());
#endif

    auto a8_values = numbers<std::int8_t>(m, k, 1), b8_values = numbers<std::int8_t>(k, n, 2);
    const view<std::int8_t> a8(a8_values.data(), m, k), b8(b8_values.data(), k, n);
    std::vector<std::int32_t> c32_values(m * n);
    const view<std::int32_t> c32(c32_values.data(), m, n);
    // task bytes
    linalg::matrix_product(a8, b8, c32);
    // end
    print("bytes", c32_values.data());

    auto as = numbers<float>(m, k, 1, products), bs = numbers<float>(k, n, 2, products);
    std::vector<float> cs(products * m * n);
    // task batch
    for (std::size_t i = 0; i < products; ++i)
        linalg::matrix_product(view<float>(&as[i * m * k], m, k), view<float>(&bs[i * k * n], k, n),
                               view<float>(&cs[i * m * n], m, n));
    // end
    print("batch", cs.data(), cs.size());
}
