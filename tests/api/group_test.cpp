// Products of different sizes in one call: the bits of a loop, and which product is at fault.
#include <gtest/gtest.h>
#include <numeric>
#include <string>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

using test::types;

struct shape {
    std::size_t m, n, k;
};

// One that has all threads to itself, many that have one each, and nothing.
const std::vector<shape> ragged = {{8, 8, 8},     {300, 260, 200}, {1, 40, 3},  {0, 8, 8},
                                   {33, 31, 0},   {64, 0, 5},      {7, 120, 9}, {90, 100, 110},
                                   {400, 16, 16}, {16, 16, 300},   {1, 1, 1},   {240, 250, 130}};

template <class T>
std::vector<matrix<T>> operands(const std::vector<shape>& of, unsigned seed,
                                shape (*size)(const shape&)) {
    std::vector<matrix<T>> all;
    for (const shape& s : of) {
        const shape x = size(s);
        all.push_back(test::whole_matrix<T>(x.m, x.n, 3, seed++));
    }
    return all;
}
template <class T>
std::vector<matrix<T>> as_of(const std::vector<shape>& s) {
    return operands<T>(s, 100, [](const shape& x) { return shape{x.m, x.k, 0}; });
}
template <class T>
std::vector<matrix<T>> bs_of(const std::vector<shape>& s) {
    return operands<T>(s, 200, [](const shape& x) { return shape{x.k, x.n, 0}; });
}
template <class T>
std::vector<matrix<T>> cs_of(const std::vector<shape>& s) {
    return operands<T>(s, 300, [](const shape& x) { return shape{x.m, x.n, 0}; });
}

template <class T>
void expect_same(const std::vector<matrix<T>>& x, const std::vector<matrix<T>>& y,
                 const std::string& what) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_TRUE(test::same_bits(x[i], y[i])) << what << " product " << i;
}

template <class Pair>
class groups : public testing::Test {};
using all_types =
    testing::Types<types<double, double>, types<float, float>, types<f16, f16>, types<bf16, float>,
                   types<std::int8_t, std::int32_t>, types<std::int32_t, std::int32_t>>;
TYPED_TEST_SUITE(groups, all_types);

TYPED_TEST(groups, are_a_loop_of_products_to_the_bit) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    const auto a = as_of<in>(ragged);
    const auto b = bs_of<in>(ragged);
    const auto e = cs_of<out>(ragged);
    int executed = 0;
    for (const int threads : {1, 2, 5}) {
        auto c = cs_of<out>(ragged);
        auto wanted = cs_of<out>(ragged);
        const auto check = [&](const char* what, const auto& group, const auto& one) {
            group(cpu{threads});
            for (std::size_t i = 0; i < ragged.size(); ++i) one(i);
            expect_same(c, wanted, what);
            ++executed;
        };
        check(
            "C = A B",
            [&](const cpu& where) { matrix_products(where, listed(a), listed(b), listed(c)); },
            [&](std::size_t i) { matrix_product(a[i], b[i], wanted[i]); });
        check(
            "C = E - 2 A B",
            [&](const cpu& where) {
                matrix_products(where, scaled(-2, listed(a)), listed(b), listed(e), listed(c));
            },
            [&](std::size_t i) { matrix_product(scaled(-2, a[i]), b[i], e[i], wanted[i]); });
        check(
            "C = 2 C + A B",
            [&](const cpu& where) {
                matrix_products(where, listed(a), listed(b), scaled(2, listed(c)), listed(c));
            },
            [&](std::size_t i) { matrix_product(a[i], b[i], scaled(2, wanted[i]), wanted[i]); });
        std::vector<matrix_view<out>> turned;
        for (auto& m : c) turned.push_back(transposed(m));
        check(
            "transposed",
            [&](const cpu& where) {
                matrix_products(where, transposed(listed(b)), transposed(listed(a)),
                                listed(turned));
            },
            [&](std::size_t i) {
                matrix_product(transposed(b[i]), transposed(a[i]), transposed(wanted[i]));
            });
        if constexpr (!std::is_integral_v<out>)
            check(
                "finished",
                [&](const cpu& where) {
                    matrix_products(where, listed(a), listed(b), listed(e), listed(c), relu);
                },
                [&](std::size_t i) { matrix_product(a[i], b[i], e[i], wanted[i], relu); });
    }
    EXPECT_EQ(executed, (std::is_integral_v<out> ? 12 : 15));
}

// Rows of x by the weights of their expert, at a stride; and by one matrix for all, prepared.
TEST(group, experts_take_their_rows) {
    constexpr std::size_t n = 24, k = 16;
    const std::vector<std::size_t> counts = {5, 0, 64, 1, 17};
    const std::size_t rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    const auto x = test::random_matrix<float>(rows, k, 1);
    const auto w = test::random_matrix<float>(counts.size() * k, n, 2);
    matrix<float> y(rows, n), wanted(rows, n);
    std::vector<matrix_view<const float>> from;
    std::vector<matrix_view<float>> to;
    std::size_t first = 0;
    const auto each = [&](const auto& use) {
        first = 0;
        for (std::size_t i = 0; i < counts.size(); first += counts[i++]) use(i);
    };
    each([&](std::size_t i) {
        from.push_back(x.view().block(first, 0, counts[i], k));
        to.push_back(y.view().block(first, 0, counts[i], n));
    });
    const auto expert = [&](std::size_t i) { return w.view().block(i * k, 0, k, n); };
    matrix_products(listed(from), strided(expert(0), counts.size(), k * n), listed(to));
    each([&](std::size_t i) {
        matrix_product(from[i], expert(i), wanted.view().block(first, 0, counts[i], n));
    });
    EXPECT_TRUE(test::same_bits(y, wanted));
    const auto ready = prepare(expert(1));
    matrix_products(cpu{3}, listed(from), ready, listed(to));
    each([&](std::size_t i) {
        matrix_product(from[i], expert(1), wanted.view().block(first, 0, counts[i], n));
    });
    EXPECT_TRUE(test::same_bits(y, wanted));
}

class refused_groups : public test::refusals {};

TEST_F(refused_groups, name_the_product_and_leave_c_alone) {
    using enum error_code;
    using view = matrix_view<double>;
    using views = std::vector<view>;
    const auto at = [](double* p, std::size_t rows, std::size_t cols) {
        return view(p, rows, cols);
    };
    const auto three = [&](double* p) {
        return views{at(p, 4, 4), at(p + 16, 2, 4), at(p + 24, 3, 4)};
    };
    refuse(
        size_mismatch, {"matrix_products: A has 2 matrices and C has 3", "one matrix for all"},
        [&](double* p) {
            const auto c = three(p + 200);
            matrix_products(listed(views{at(p, 4, 4), at(p, 2, 4)}), at(p + 100, 4, 4), listed(c));
        });
    refuse(size_mismatch, {"matrix_products: B has 0 matrices and C has 3"}, [&](double* p) {
        const auto c = three(p + 200);
        matrix_products(listed(three(p)), listed(views{}), listed(c));
    });
    refuse(size_mismatch, {"product 1: C is 2 x 4 but A B is 3 x 4"}, [&](double* p) {
        const auto a = views{at(p, 4, 4), at(p, 3, 4), at(p, 3, 4)};
        const auto c = three(p + 200);
        matrix_products(listed(a), at(p + 100, 4, 4), listed(c));
    });
    refuse(size_mismatch, {"product 2: A is 3 x 4 and B is 5 x 4"}, [&](double* p) {
        const auto a = three(p);
        const auto b = views{at(p + 100, 4, 4), at(p + 100, 4, 4), at(p + 100, 5, 4)};
        const auto c = three(p + 200);
        matrix_products(listed(a), listed(b), listed(c));
    });
    refuse(invalid_argument, {"product 2: A is 3 x 4", "null"}, [&](double* p) {
        const auto a = views{at(p, 4, 4), at(p, 2, 4), at(nullptr, 3, 4)};
        const auto c = three(p + 200);
        matrix_products(listed(a), at(p + 100, 4, 4), listed(c));
    });
    refuse(aliasing, {"C of product 2 overlaps C of product 0"}, [&](double* p) {
        const auto a = three(p);
        const auto c = views{at(p + 200, 4, 4), at(p + 300, 2, 4), at(p + 215, 3, 4)};
        matrix_products(listed(a), at(p + 100, 4, 4), listed(c));
    });
    refuse(aliasing, {"C of product 1 overlaps A of product 0"}, [&](double* p) {
        const auto a = views{at(p + 223, 4, 4), at(p, 2, 4), at(p, 3, 4)};
        const auto c = three(p + 200);
        matrix_products(listed(a), at(p + 100, 4, 4), listed(c));
    });
    refuse(size_mismatch, {"product 1: the bias has 4 values but C is 2 x 5"}, [&](double* p) {
        const auto a = three(p);
        const auto b = views{at(p + 100, 4, 4), at(p + 100, 4, 5), at(p + 100, 4, 4)};
        const auto c = views{at(p + 200, 4, 4), at(p + 216, 2, 5), at(p + 226, 3, 4)};
        matrix_products(listed(a), listed(b), listed(c), bias(std::span(p + 50, 4)));
    });
    EXPECT_EQ(refused_, 8);
}

TEST_F(refused_groups, integers_are_true_or_refused_whole) {
    std::vector<matrix<std::int32_t>> a, b, c;
    for (const std::size_t size : {3u, 5u, 4u}) {
        a.emplace_back(size, size), b.emplace_back(size, size), c.emplace_back(size, size);
        for (std::size_t i = 0; i < size * size; ++i) c.back().data()[i] = 7;
    }
    a[1](4, 0) = 1 << 20;
    b[1](0, 4) = 1 << 20;
    test::expect_refusal([&] { matrix_products(listed(a), listed(b), listed(c)); },
                         error_code::overflow, {"matrix_products: product 1"});
    for (const auto& m : c)
        for (std::size_t i = 0; i < m.rows() * m.cols(); ++i) EXPECT_EQ(m.data()[i], 7);
}

TEST(group, of_no_products_is_nothing) {
    std::vector<matrix<float>> none;
    matrix_products(listed(none), listed(none), listed(none));
}

}  // namespace
