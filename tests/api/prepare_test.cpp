// Prepared operands give the bits of the matrix itself on every path, layout and side; what they
// report, and what they refuse.
#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "core/isa.hpp"
#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

using test::types;

template <class Pair>
class prepared : public testing::Test {};
using all_types = testing::Types<types<double, double>, types<float, float>, types<f16, f16>,
                                 types<bf16, bf16>, types<bf16, float>, types<float, bf16>>;
TYPED_TEST_SUITE(prepared, all_types);

struct shape {
    std::size_t m, n, k;
};

// Unpacked, skinny by rows and by columns, few rows, blocks; edges of tiles and micropanels; empty.
constexpr shape shapes[] = {{1, 1, 1},       {7, 5, 3},       {33, 31, 40},   {1, 700, 900},
                            {700, 1, 900},   {3, 900, 900},   {900, 3, 900},  {32, 300, 700},
                            {130, 129, 600}, {300, 70, 1100}, {0, 4, 3},      {4, 0, 3},
                            {4, 5, 0},       {700, 3, 150},   {6, 300, 2100}, {100, 2, 130},
                            {1400, 5, 200},  {600, 128, 500}};

// The same elements by rows or by columns.
template <class T>
struct stored {
    stored(std::size_t rows, std::size_t cols, bool by_rows, unsigned seed)
        : memory(test::random_matrix<T>(by_rows ? rows : cols, by_rows ? cols : rows, seed)),
          by_rows_(by_rows) {}
    [[nodiscard]] matrix_view<const T> view() const {
        return by_rows_ ? memory.view() : transposed(memory);
    }
    matrix<T> memory;

  private:
    bool by_rows_;
};

// A product's operands by rows and by columns, drawn once for all that is done with them.
template <class In, class Out>
struct operands {
    explicit operands(const shape& s)
        : a{{s.m, s.k, true, 1}, {s.m, s.k, false, 1}},
          b{{s.k, s.n, true, 2}, {s.k, s.n, false, 2}},
          e{test::random_matrix<Out>(s.m, s.n, 3), test::random_matrix<Out>(s.n, s.m, 3)} {}
    stored<In> a[2], b[2];
    matrix<Out> e[2];
};

// Bits of `how`: A, B and C column-major, and which operand is prepared.
template <class In, class Out>
void check(const shape& s, const operands<In, Out>& of, unsigned how, double alpha, double beta,
           int threads, bool finished) {
    const stored<In>& a = of.a[how & 1u];
    const stored<In>& b = of.b[how >> 1 & 1u];
    const matrix<Out>& e = of.e[how >> 2 & 1u];
    matrix<Out> c = e;
    matrix<Out> wanted = e;
    const auto target = [&](matrix<Out>& m) { return (how & 4u) == 0 ? m.view() : transposed(m); };
    const auto multiply = [&](const auto& x, const auto& y, matrix<Out>& into, int on) {
        const auto out = target(into);
        if (finished)
            matrix_product(cpu{on}, x, y, scaled(beta, out), out, silu);
        else
            matrix_product(cpu{on}, x, y, scaled(beta, out), out);
    };
    const auto x = scaled(alpha, a.view());
    const auto y = scaled(alpha, b.view());
    if ((how & 8u) == 0) {
        multiply(x, b.view(), wanted, 1);
        multiply(x, prepare(b.view()), c, threads);
    } else {
        multiply(a.view(), y, wanted, 1);
        multiply(prepare(a.view(), side::left), y, c, threads);
    }
    EXPECT_TRUE(test::same_bits(c, wanted))
        << s.m << "x" << s.n << "x" << s.k << " how " << how << " alpha " << alpha << " beta "
        << beta << " finished " << finished;
}

TYPED_TEST(prepared, gives_the_bits_of_the_product_without) {
    int executed = 0;
    for (const shape& s : shapes) {
        const operands<typename TypeParam::in, typename TypeParam::out> of(s);
        for (unsigned how = 0; how < 16; ++how) {
            const bool odd = executed % 2 != 0;
            check(s, of, how, odd ? -1.5 : 1, executed % 3 == 0 ? 0 : 0.7, 1 + executed % 4,
                  executed % 5 == 0);
            ++executed;
        }
    }
    EXPECT_EQ(executed, 18 * 16);
}

// Where there is one row (or column), the stride to the next one may be anything.
TEST(prepared_matrix, bits_depend_on_no_stride_that_leads_nowhere) {
    constexpr std::size_t k = 256;
    const auto memory = test::random_matrix<double>(1, k, 1);
    const auto others = test::random_matrix<double>(1, 5 * k, 2);
    for (const std::ptrdiff_t step : {1, 5}) {
        double first = 0;
        for (const std::ptrdiff_t to_nowhere : {256, 1, 0, -1, 7}) {
            const matrix_view<const double> a(memory.data(), 1, k, to_nowhere, 1);
            const matrix_view<const double> b(others.data(), k, 1, step, to_nowhere);
            const auto check = [&](const auto& x, const auto& y, const char* what) {
                double c = 0;
                matrix_product(cpu{1}, x, y, matrix_view<double>(&c, 1, 1, to_nowhere, 1));
                if (first == 0) first = c;
                EXPECT_EQ(c, first) << what << ", stride " << to_nowhere << ", B's " << step;
            };
            check(a, b, "neither");
            check(prepare(a, side::left), b, "A");
            check(a, prepare(b), "B");
        }
    }
}

TEST(prepared_matrix, remembers_and_is_independent_of_what_it_was_made_from) {
    auto b = test::whole_matrix<float>(50, 70, 3, 2);
    const auto a = test::whole_matrix<float>(20, 50, 3, 1);
    matrix<float> wanted(20, 70), c(20, 70);
    matrix_product(a, scaled(2, b), wanted);
    prepared_matrix made = prepare(scaled(2, b));
    test::poison(b);
    EXPECT_EQ(made.rows(), 50u);
    EXPECT_EQ(made.cols(), 70u);
    EXPECT_EQ(made.type(), dtype::f32);
    EXPECT_EQ(made.place(), side::right);
    EXPECT_GE(made.size_bytes(), 50 * 70 * sizeof(float));
    EXPECT_EQ(made.instruction_set(), core::name(core::isa_in_use()));
    matrix_product(a, made, c);
    EXPECT_TRUE(test::same_values(c, wanted));
    prepared_matrix moved = std::move(made);
    made = prepared_matrix();
    test::poison(c);
    matrix_product(a, moved, c);
    EXPECT_TRUE(test::same_values(c, wanted));
    EXPECT_EQ(made.rows(), 0u);
    matrix_product(scaled(0.5, a), scaled(2, moved), c);
    EXPECT_TRUE(test::same_values(c, wanted));
    matrix<float> nothing(20, 0);
    matrix_product(matrix<float>(20, 0), prepared_matrix(prepare(matrix<float>(0, 0))), nothing);
}

TEST(prepared_matrix, serves_many_threads_at_once) {
    const auto b = test::random_matrix<double>(200, 210, 2);
    const auto made = prepare(b);
    std::atomic<int> same = 0;
    std::vector<std::thread> callers;
    for (unsigned caller = 0; caller < 8; ++caller) {
        callers.emplace_back([&, caller] {
            const auto a = test::random_matrix<double>(5 + 40 * caller, 200, caller);
            matrix<double> c(a.rows(), 210), wanted(a.rows(), 210);
            matrix_product(cpu{1 + static_cast<int>(caller % 2)}, a, made, c);
            matrix_product(cpu{1}, a, b, wanted);
            same += test::same_bits(c, wanted) ? 1 : 0;
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(same, 8);
}

TEST(prepared_matrix, scaled_by_zero_is_not_read) {
    matrix<double> b(30, 20), a(10, 30), c(10, 20);
    test::poison(b);
    test::poison(a);
    test::poison(c);
    matrix_product(scaled(0, a), prepare(b), c);
    EXPECT_TRUE(test::same_values(c, matrix<double>(10, 20)));
}

class refused_matrix : public test::refusals {};

TEST_F(refused_matrix, does_not_fit) {
    using enum error_code;
    const auto a = test::whole_matrix<double>(3, 5, 3, 1);
    const auto b = test::whole_matrix<double>(5, 4, 3, 2);
    constexpr auto far = std::ptrdiff_t{1} << 62;
    double* const null = nullptr;
    const auto at = [](double* p) { return matrix_view<double>(p, 3, 4); };
    refuse(size_mismatch, {"matrix_product: ", "A is 3 x 5", "B is 3 x 5"},
           [&](double* p) { matrix_product(a, prepare(a), at(p)); });
    refuse(invalid_argument, {"matrix_product: B was prepared as f32", "f64"},
           [&](double* p) { matrix_product(a, prepare(matrix<float>(5, 4)), at(p)); });
    refuse(invalid_argument,
           {"matrix_product: B was prepared for the other side", "carat::side::right"},
           [&](double* p) { matrix_product(a, prepare(b, side::left), at(p)); });
    refuse(invalid_argument,
           {"matrix_product: A was prepared for the other side", "carat::side::left"},
           [&](double* p) { matrix_product(prepare(a), b, at(p)); });
    refuse(invalid_argument, {"prepare: the matrix is 5 x 4 f64", "null"},
           [&](double*) { (void)prepare(matrix_view<double>(null, 5, 4)); });
    refuse(overflow, {"prepare: the matrix is 5 x 4 f64", "64-bit"},
           [&](double* p) { (void)prepare(matrix_view<double>(p, 5, 4, far, 1)); });
    EXPECT_EQ(refused_, 6);
}

}  // namespace
