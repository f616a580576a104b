// Prepared operands and batches on operands that touch pages nobody may read or write, before their
// first and after their last element: an access of one byte too many ends the process.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "tests/api/matrices.hpp"
#include "tests/support/guarded.hpp"

namespace {

using namespace carat;

using test::flush;
using test::guarded_block;
using test::types;

// `count` matrices of ones, one after the other.
template <class T>
class ones {
  public:
    ones(std::size_t rows, std::size_t cols, bool by_rows, flush side, std::size_t count = 1)
        : memory_(count * rows * cols * sizeof(T), side, 0), count_(count) {
        T* const data = reinterpret_cast<T*>(memory_.data());
        for (std::size_t i = 0; i < count * rows * cols; ++i) data[i] = T(1);
        view_ = by_rows ? matrix_view<T>(data, rows, cols)
                        : transposed(matrix_view<T>(data, cols, rows));
    }
    [[nodiscard]] matrix_view<T> view() const { return view_; }
    [[nodiscard]] batch_view<T> batch() const {
        return strided(view_, count_, static_cast<std::ptrdiff_t>(view_.rows() * view_.cols()));
    }
    void forbid() const { memory_.forbid(); }
    [[nodiscard]] bool are_all(double value) const {
        const T* const data = reinterpret_cast<const T*>(memory_.data());
        for (std::size_t i = 0; i < count_ * view_.rows() * view_.cols(); ++i)
            if (double(data[i]) != value) return false;
        return true;
    }

  private:
    guarded_block memory_;
    std::size_t count_;
    matrix_view<T> view_{nullptr, 0, 0};
};

template <class Pair>
class guarded : public testing::Test {};
using all_types =
    testing::Types<types<double, double>, types<float, float>, types<f16, f16>, types<bf16, float>,
                   types<std::int8_t, std::int32_t>, types<std::uint8_t, std::int32_t>>;
TYPED_TEST_SUITE(guarded, all_types);

struct shape {
    std::size_t m, n, k;
};
// Edges of register tiles, of tiles, and of few rows and columns that are read once.
constexpr shape shapes[] = {{1, 1, 1},     {7, 5, 3}, {1, 97, 65}, {97, 1, 65}, {33, 49, 70},
                            {3, 600, 301}, {4, 4, 4}, {6, 3, 5},   {130, 5, 9}};

// Calls f(shape, whether A, B, C are by rows, side, what) for all of them.
template <class F>
int for_each_case(const F& f) {
    int executed = 0;
    for (const flush side : {flush::front, flush::back})
        for (const shape& s : shapes)
            for (unsigned how = 0; how < 8; ++how, ++executed) {
                test::describe_for_crash(std::to_string(s.m) + " x " + std::to_string(s.n) + " x " +
                                         std::to_string(s.k) + " how " + std::to_string(how));
                f(s, how, side);
            }
    return executed;
}

// The matrix is not read again after it was prepared.
TYPED_TEST(guarded, prepared_operands) {
    using T = typename TypeParam::in;
    using Sum = typename TypeParam::out;
    const int executed = for_each_case([](const shape& s, unsigned how, flush side) {
        for (const carat::side place : {carat::side::left, carat::side::right}) {
            const ones<T> a(s.m, s.k, (how & 1u) == 0, side);
            const ones<T> b(s.k, s.n, (how & 2u) == 0, side);
            const ones<Sum> e(s.m, s.n, (how & 4u) != 0, side);
            const ones<Sum> c(s.m, s.n, (how & 4u) == 0, side);
            const bool left = place == carat::side::left;
            const prepared_matrix ready = prepare(left ? a.view() : b.view(), place);
            (left ? a : b).forbid();
            if (left)
                matrix_product(ready, b.view(), scaled(2, e.view()), c.view());
            else
                matrix_product(a.view(), ready, scaled(2, e.view()), c.view());
            ASSERT_TRUE(c.are_all(double(s.k) + 2))
                << s.m << " " << s.n << " " << s.k << " " << how;
        }
    });
    EXPECT_EQ(executed, 2 * 9 * 8);
}

TYPED_TEST(guarded, batches) {
    using T = typename TypeParam::in;
    using Sum = typename TypeParam::out;
    static constexpr std::size_t count = 3;
    const int executed = for_each_case([](const shape& s, unsigned how, flush side) {
        const ones<T> a(s.m, s.k, (how & 1u) == 0, side, count);
        const ones<T> b(s.k, s.n, (how & 2u) == 0, side, count);
        const ones<Sum> e(s.m, s.n, (how & 4u) != 0, side, count);
        const ones<Sum> c(s.m, s.n, (how & 4u) == 0, side, count);
        matrix_products(cpu{1 + static_cast<int>(how % 3)}, a.batch(), b.batch(),
                        scaled(2, e.batch()), c.batch());
        ASSERT_TRUE(c.are_all(double(s.k) + 2)) << s.m << " " << s.n << " " << s.k << " " << how;
    });
    EXPECT_EQ(executed, 2 * 9 * 8);
}

// Every matrix between pages of its own, one B for all.
TYPED_TEST(guarded, batches_at_pointers) {
    using T = typename TypeParam::in;
    using Sum = typename TypeParam::out;
    const int executed = for_each_case([](const shape& s, unsigned how, flush side) {
        std::vector<std::unique_ptr<ones<T>>> as;
        std::vector<std::unique_ptr<ones<Sum>>> cs;
        std::vector<T*> a;
        std::vector<Sum*> c;
        for (int i = 0; i < 3; ++i) {
            a.push_back(
                as.emplace_back(std::make_unique<ones<T>>(s.m, s.k, true, side))->view().data());
            c.push_back(
                cs.emplace_back(std::make_unique<ones<Sum>>(s.m, s.n, true, side))->view().data());
        }
        const ones<T> b(s.k, s.n, (how & 2u) == 0, side);
        matrix_products(pointers(a, s.m, s.k), b.view(), pointers(c, s.m, s.n));
        for (const auto& m : cs) ASSERT_TRUE(m->are_all(double(s.k))) << s.m << " " << s.n;
    });
    EXPECT_EQ(executed, 2 * 9 * 8);
}

}  // namespace
