// Batches have the bits of a loop of products for any layout, and errors name the product.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <string>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

using test::types;

template <class Pair>
class batches : public testing::Test {};
using all_types = testing::Types<types<double, double>, types<float, float>, types<f16, f16>,
                                 types<bf16, bf16>, types<bf16, float>>;
TYPED_TEST_SUITE(batches, all_types);

struct shape {
    std::size_t m, n, k, count;
};

// Small and many, few and large, a part of a tile, nothing.
constexpr shape shapes[] = {{8, 8, 8, 100}, {1, 1, 1, 3},      {33, 31, 40, 6}, {128, 128, 64, 12},
                            {5, 9, 300, 1}, {200, 150, 90, 3}, {0, 4, 3, 5},    {4, 5, 0, 5},
                            {4, 5, 6, 0},   {4, 4, 4, 100},    {3, 6, 5, 60},   {170, 5, 12, 10}};

enum class kind { strided, apart_by_more, pointed, one_for_all, prepared_for_all };

// `count` matrices in one block of memory, and all forms of a batch of them.
template <class T>
class block {
  public:
    block(std::size_t rows, std::size_t cols, std::size_t count, kind how, unsigned seed)
        : rows_(rows),
          cols_(cols),
          count_(how >= kind::one_for_all ? 1 : count),
          step_(rows * cols + (how == kind::apart_by_more ? 5 : 0)),
          memory_(test::random_matrix<T>(count_, step_, seed)) {
        // Pointers in an order without a stride.
        for (std::size_t i = 0; i < count_; ++i)
            where_.push_back(memory_.data() +
                             (i * 7 + 3) % std::max<std::size_t>(count_, 1) * step_);
        if (how != kind::pointed)
            for (std::size_t i = 0; i < count_; ++i) where_[i] = memory_.data() + i * step_;
    }
    [[nodiscard]] matrix_view<T> at(std::size_t i) {
        return {where_[count_ == 1 ? 0 : i], rows_, cols_};
    }
    [[nodiscard]] batch_view<T> strided() {
        return carat::strided(matrix_view<T>(memory_.data(), rows_, cols_), count_,
                              static_cast<std::ptrdiff_t>(step_));
    }
    [[nodiscard]] batch_view<T> pointed() { return pointers(where_, rows_, cols_); }
    [[nodiscard]] const matrix<T>& memory() const { return memory_; }

  private:
    std::size_t rows_;
    std::size_t cols_;
    std::size_t count_;
    std::size_t step_;
    matrix<T> memory_;
    std::vector<T*> where_;
};

// Calls f with the operand as `how` says.
template <class T, class F>
void with(block<T>& x, kind how, const F& f) {
    if (how == kind::pointed)
        f(x.pointed());
    else if (how == kind::one_for_all)
        f(x.at(0));
    else
        f(x.strided());
}

template <class In, class Out>
void check(const shape& s, kind of_a, kind of_b, kind of_c, unsigned variant, int threads) {
    ASSERT_TRUE(s.count == 0 || s.count % 7 != 0) << "7 i + 3 must be a permutation";
    block<In> a(s.m, s.k, s.count, of_a, 1);
    block<In> b(s.k, s.n, s.count, of_b, 2);
    block<Out> c(s.m, s.n, s.count, of_c, 3);
    block<Out> wanted(s.m, s.n, s.count, of_c, 3);
    for (std::size_t i = 0; i < s.count; ++i) {
        const auto out = wanted.at(i);
        if (variant == 0) matrix_product(cpu{1}, a.at(i), b.at(i), out);
        if (variant == 1)
            matrix_product(cpu{1}, scaled(-2, a.at(i)), b.at(i), scaled(0.7, out), out);
        if (variant == 2) matrix_product(cpu{1}, a.at(i), b.at(i), out, relu);
        if (variant == 3) matrix_product(cpu{1}, a.at(i), b.at(i), out, out, gelu);
    }
    const auto run = [&](const auto& x, const auto& y, const batch_view<Out>& out) {
        if (variant == 0) matrix_products(cpu{threads}, x, y, out);
        if (variant == 1) matrix_products(cpu{threads}, scaled(-2, x), y, scaled(0.7, out), out);
        if (variant == 2) matrix_products(cpu{threads}, x, y, out, relu);
        if (variant == 3) matrix_products(cpu{threads}, x, y, out, out, gelu);
    };
    const batch_view<Out> out = of_c == kind::pointed ? c.pointed() : c.strided();
    with(a, of_a, [&](const auto& x) {
        if (of_b == kind::prepared_for_all)
            run(x, prepare(b.at(0)), out);
        else
            with(b, of_b, [&](const auto& y) { run(x, y, out); });
    });
    EXPECT_TRUE(test::same_bits(c.memory(), wanted.memory()))
        << s.m << "x" << s.n << "x" << s.k << " times " << s.count << " kinds " << int(of_a)
        << int(of_b) << int(of_c) << " variant " << variant;
}

TYPED_TEST(batches, are_a_loop_of_products_to_the_bit) {
    int executed = 0;
    for (const shape& s : shapes)
        for (const kind of_a :
             {kind::strided, kind::apart_by_more, kind::pointed, kind::one_for_all})
            for (const kind of_b : {kind::strided, kind::pointed, kind::prepared_for_all})
                for (const kind of_c : {kind::strided, kind::apart_by_more, kind::pointed}) {
                    ++executed;
                    check<typename TypeParam::in, typename TypeParam::out>(
                        s, of_a, of_b, of_c, static_cast<unsigned>(executed) % 4, 1 + executed % 3);
                }
    EXPECT_EQ(executed, 12 * 4 * 3 * 3);
}

// Attention heads: columns of three matrices, reached by strides, with results in columns of one.
// Whole numbers in row- or column-major matrices with two elements between lines, so that sums are
// exact.
template <class T>
class tiny {
  public:
    tiny(std::size_t rows, std::size_t cols, bool by_rows, int first)
        : rows_(rows), cols_(cols), lead_((by_rows ? cols : rows) + 2), by_rows_(by_rows) {
        memory_.resize(count * step());
        for (std::size_t i = 0; i < memory_.size(); ++i)
            memory_[i] = static_cast<T>((static_cast<int>(i) * 5 + first) % 11 - 5);
    }
    static constexpr std::size_t count = 3;
    [[nodiscard]] std::size_t step() const { return (by_rows_ ? rows_ : cols_) * lead_; }
    [[nodiscard]] matrix_view<T> at(std::size_t i) {
        const auto lead = static_cast<std::ptrdiff_t>(lead_);
        return {memory_.data() + i * step(), rows_, cols_, by_rows_ ? lead : 1,
                by_rows_ ? 1 : lead};
    }
    [[nodiscard]] batch_view<T> all() {
        return strided(at(0), count, static_cast<std::ptrdiff_t>(step()));
    }
    [[nodiscard]] std::vector<T>& memory() { return memory_; }

  private:
    std::size_t rows_, cols_, lead_;
    bool by_rows_;
    std::vector<T> memory_;
};

template <class T>
void check_tiny(std::size_t m, std::size_t n, std::size_t k, unsigned lies, double beta) {
    tiny<T> a(m, k, (lies & 1u) != 0, 1), b(k, n, (lies & 2u) != 0, 2),
        c(m, n, (lies & 4u) != 0, 3);
    tiny<T> expected = c;
    for (std::size_t of = 0; of < tiny<T>::count; ++of) {
        const test::sums product(a.at(of), b.at(of));
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
                expected.at(of)(i, j) = T(2 * product(i, j) + beta * double(expected.at(of)(i, j)));
    }
    tiny<T> alone = c;
    matrix_products(cpu{1}, scaled(2.0, a.all()), b.all(), scaled(beta, c.all()), c.all());
    ASSERT_EQ(c.memory(), expected.memory()) << m << " " << n << " " << k << " " << lies;
    for (std::size_t of = 0; of < tiny<T>::count; ++of)
        matrix_product(cpu{1}, scaled(2.0, a.at(of)), b.at(of), scaled(beta, alone.at(of)),
                       alone.at(of));
    ASSERT_EQ(alone.memory(), expected.memory()) << m << " " << n << " " << k << " " << lies;
}

// Products of one tile and slightly more, in every layout; padding must stay as it is.
TEST(batch, tiny_products_are_exact_however_they_lie) {
    constexpr std::size_t rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 25, 33, 131};
    constexpr std::size_t columns[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 13};
    constexpr std::size_t depths[] = {1, 2, 3, 4, 5, 6, 7, 9, 17, 40};
    for (const std::size_t m : rows)
        for (const std::size_t n : columns)
            for (const std::size_t k : depths)
                for (const unsigned lies : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u})
                    for (const double beta : {0.0, 0.5, 1.0}) {
                        check_tiny<double>(m, n, k, lies, beta);
                        check_tiny<float>(m, n, k, lies, beta);
                    }
}

TEST(batch, heads_lie_between_each_other) {
    constexpr std::size_t length = 20, heads = 6, depth = 16, width = heads * depth;
    const auto q = test::random_matrix<float>(length, width, 1);
    const auto k = test::random_matrix<float>(length, width, 2);
    matrix<float> scores(heads * length, length), out(length, width), wanted(length, width);
    const auto of_head = [&](const matrix<float>& m) {
        return strided(m.view().block(0, 0, length, depth), heads, depth);
    };
    const auto all = strided(scores.view().block(0, 0, length, length), heads, length * length);
    matrix_products(of_head(q), transposed(of_head(k)), all);
    matrix_products(all, of_head(k), strided(out.view().block(0, 0, length, depth), heads, depth));
    for (std::size_t h = 0; h < heads; ++h) {
        matrix<float> one(length, length);
        const auto block = [&](const auto& m) {
            return m.view().block(0, h * depth, length, depth);
        };
        matrix_product(block(q), transposed(block(k)), one);
        EXPECT_TRUE(std::ranges::equal(std::span(one.data(), length * length),
                                       std::span(&scores(h * length, 0), length * length)));
        matrix_product(one, block(k), wanted.view().block(0, h * depth, length, depth));
    }
    EXPECT_TRUE(test::same_bits(out, wanted));
}

TEST(batch, one_e_may_be_added_to_all) {
    const auto a = test::whole_matrix<double>(12, 5, 3, 1);
    const auto b = test::whole_matrix<double>(5, 7, 3, 2);
    const auto e = test::whole_matrix<double>(4, 7, 9, 3);
    matrix<double> c(12, 7), wanted(12, 7);
    const auto each = [](auto& m, std::size_t i) { return m.view().block(4 * i, 0, 4, m.cols()); };
    for (const bool finished : {false, true}) {
        for (std::size_t i = 0; i < 3; ++i) {
            if (finished)
                matrix_product(each(a, i), b, e, each(wanted, i), relu);
            else
                matrix_product(each(a, i), b, e, each(wanted, i));
        }
        test::poison(c);
        const auto cs = strided(each(c, 0), 3, 28);
        if (finished)
            matrix_products(cpu{}, strided(each(a, 0), 3, 20), b, e, cs, relu);
        else
            matrix_products(cpu{}, strided(each(a, 0), 3, 20), b, e, cs);
        EXPECT_TRUE(test::same_bits(c, wanted));
    }
}

// The other products' E do not overlap any C.
TEST(batch, only_the_first_e_may_be_its_c) {
    const auto a = test::whole_matrix<double>(12, 5, 3, 1);
    const auto b = test::whole_matrix<double>(5, 7, 3, 2);
    const auto before = test::whole_matrix<double>(40, 7, 9, 3);
    const auto a_of = [&](std::size_t i) { return a.view().block(4 * i, 0, 4, 5); };
    const auto of = [](auto& m, std::size_t row) { return m.view().block(row, 0, 4, 7); };
    for (const bool finished : {false, true}) {
        matrix<double> all = before, wanted = before;
        for (std::size_t i = 0; i < 3; ++i) {
            if (finished)
                matrix_product(a_of(i), b, of(wanted, 16 * i), of(wanted, 4 * i), relu);
            else
                matrix_product(a_of(i), b, of(wanted, 16 * i), of(wanted, 4 * i));
        }
        const auto e = strided(of(all, 0), 3, 16 * 7), c = strided(of(all, 0), 3, 4 * 7);
        if (finished)
            matrix_products(cpu{}, strided(a_of(0), 3, 20), b, e, c, relu);
        else
            matrix_products(cpu{}, strided(a_of(0), 3, 20), b, e, c);
        EXPECT_TRUE(test::same_bits(all, wanted));
    }
}

TEST(batch, values_of_an_epilogue_are_for_all) {
    const auto a = test::whole_matrix<double>(12, 5, 3, 1);
    const auto b = test::whole_matrix<double>(5, 7, 3, 2);
    std::vector<double> add(7);
    std::iota(add.begin(), add.end(), 1);
    matrix<double> c(12, 7), wanted(12, 7);
    matrix_product(a, b, wanted, bias(add) | relu);
    matrix_products(cpu{2}, strided(a.view().block(0, 0, 4, 5), 3, 20), b,
                    strided(c.view().block(0, 0, 4, 7), 3, 28), bias(add) | relu);
    EXPECT_TRUE(test::same_bits(c, wanted));
}

class refused_batches : public test::refusals {};

TEST_F(refused_batches, name_the_product_and_leave_c_alone) {
    using enum error_code;
    constexpr auto far = std::ptrdiff_t{1} << 61;
    const auto at = [](double* p) { return matrix_view<double>(p, 4, 4); };
    const auto three = [&](double* p, std::ptrdiff_t stride) { return strided(at(p), 3, stride); };
    static std::array<double*, 3> where{};
    const auto pointed = [](double* x, double* y, double* z) {
        where = {x, y, z};
        return pointers(where, 4, 4);
    };
    refuse(size_mismatch, {"A has 2 matrices and C has 3", "one matrix for all"}, [&](double* p) {
        matrix_products(strided(at(p), 2, 16), at(p + 100), three(p + 200, 16));
    });
    refuse(size_mismatch, {"A has 0 matrices and C has 3"}, [&](double* p) {
        matrix_products(strided(at(p), 0, 16), at(p + 100), three(p + 200, 16));
    });
    refuse(size_mismatch, {"B has 0 matrices and C has 3"}, [&](double* p) {
        const std::span<double* const> none(where.data(), 0);
        matrix_products(at(p), pointers(none, 4, 4), three(p + 200, 16));
    });
    refuse(size_mismatch, {"product 0: A is 4 x 4 and B is 3 x 4"}, [&](double* p) {
        matrix_products(three(p, 16), matrix_view<double>(p, 3, 4), three(p + 200, 16));
    });
    refuse(invalid_argument, {"product 2: A is 4 x 4", "null"}, [&](double* p) {
        matrix_products(pointed(p, p, nullptr), at(p + 100), three(p + 200, 16));
    });
    refuse(invalid_argument, {"B is a batch whose data is null"},
           [&](double* p) { matrix_products(at(p), three(nullptr, 16), three(p + 200, 16)); });
    refuse(overflow, {"B has 3 matrices", "64-bit"},
           [&](double* p) { matrix_products(at(p), three(p + 100, far), three(p + 200, 16)); });
    refuse(aliasing, {"C of product 1 overlaps C of product 0"},
           [&](double* p) { matrix_products(at(p), at(p + 100), three(p + 200, 15)); });
    refuse(aliasing, {"C of product 1 overlaps C of product 0"},
           [&](double* p) { matrix_products(at(p), at(p + 100), three(p + 200, 0)); });
    refuse(aliasing, {"C of product 2 overlaps A of product 0"}, [&](double* p) {
        matrix_products(pointed(p + 247, p, p), at(p + 100), three(p + 200, 16));
    });
    refuse(aliasing, {"C of product 1 overlaps B of all"},
           [&](double* p) { matrix_products(at(p), at(p + 220), three(p + 200, 16)); });
    refuse(aliasing, {"C of product 0 overlaps E of product 1"}, [&](double* p) {
        matrix_products(at(p), at(p + 100), pointed(p + 300, p + 200, p + 400), three(p + 200, 16));
    });
    refuse(aliasing, {"product 2", "C overlaps the bias"}, [&](double* p) {
        matrix_products(at(p), at(p + 100), three(p + 200, 16), bias(std::span(p + 247, 4)));
    });
    refuse(invalid_argument, {"-1", "0 for all"},
           [&](double* p) { matrix_products(cpu{-1}, at(p), at(p + 100), three(p + 200, 16)); });
    EXPECT_EQ(refused_, 14);
}

}  // namespace
