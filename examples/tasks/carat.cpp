// Seven tasks with carat; see docs/choose.md.
#include <carat/carat.hpp>

#include "operands.hpp"

int main() {
    auto a_values = numbers<float>(m, k, 1), b_values = numbers<float>(k, n, 2);
    auto bt_values = numbers<float>(n, k, 3), e_values = numbers<float>(m, n, 4);
    const auto v = numbers<float>(1, n, 5);
    const carat::matrix_view a(a_values.data(), m, k), b(b_values.data(), k, n);
    const carat::matrix_view bt(bt_values.data(), n, k), e(e_values.data(), m, n);
    carat::matrix<float> c(m, n);

    // task product
    carat::matrix_product(a, b, c);
    // end
    print("product", c.data());

    // task scaled
    carat::matrix_product(carat::scaled(2.0f, a), carat::transposed(bt), e, c);
    // end
    print("scaled", c.data());

    // task layer
    carat::matrix_product(a, b, c, carat::bias(v) | carat::gelu);
    // end
    print("layer", c.data());

    auto a16_values = numbers<carat::bf16>(m, k, 1), b16_values = numbers<carat::bf16>(k, n, 2);
    const carat::matrix_view a16(a16_values.data(), m, k), b16(b16_values.data(), k, n);
    // task bf16
    carat::matrix_product(a16, b16, c);
    // end
    print("bf16", c.data());

    auto a8_values = numbers<std::int8_t>(m, k, 1), b8_values = numbers<std::int8_t>(k, n, 2);
    const carat::matrix_view a8(a8_values.data(), m, k), b8(b8_values.data(), k, n);
    carat::matrix<std::int32_t> c32(m, n);
    // task bytes
    carat::matrix_product(a8, b8, c32);
    // end
    print("bytes", c32.data());

    auto as = numbers<float>(m, k, 1, products), bs = numbers<float>(k, n, 2, products);
    std::vector<float> cs(products * m * n);
    // task batch
    carat::matrix_products(carat::strided(carat::matrix_view(as.data(), m, k), products, m * k),
                           carat::strided(carat::matrix_view(bs.data(), k, n), products, k * n),
                           carat::strided(carat::matrix_view(cs.data(), m, n), products, m * n));
    // end
    print("batch", cs.data(), cs.size());

    // task prepared
    const carat::prepared_matrix ready = carat::prepare(b);
    for (int use = 0; use < 2; ++use) carat::matrix_product(a, ready, c);
    // end
    print("prepared", c.data());
}
