// Compares every row of the engine's table with sums of small integers, which every type holds
// exactly, so that any wrong, missing or doubled term shows: sizes around the register tile and the
// blocks, all layouts, and the bytes around C. tests/catalogue asks more of them; this one also
// runs on emulated processors.
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "cpu/engine.hpp"
#include "lab/rows/cpu/table.hpp"

namespace {

using namespace carat;

// A rows x cols matrix inside a larger block of memory whose other elements are NaN (or a marker),
// row-major, column-major or with gaps in both directions.
enum class order { rows, columns, gaps };

template <class T>
T marker() {
    if constexpr (std::is_same_v<T, std::int8_t>) {
        return -77;
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
        return 177;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return -77'777'777;
    } else {
        return T(std::numeric_limits<double>::quiet_NaN());
    }
}

template <class T>
class padded {
  public:
    padded(std::int64_t rows, std::int64_t cols, order how)
        : rows_(rows), cols_(cols), where_(layout_for(rows, cols, how)) {
        const std::int64_t extent =
            std::max(rows, std::int64_t{1}) * std::max(cols, std::int64_t{1}) * 6 + 64;
        data_.assign(static_cast<std::size_t>(extent), marker<T>());
    }

    static core::layout layout_for(std::int64_t rows, std::int64_t cols, order how) {
        if (how == order::rows) return {cols + 3, 1};
        if (how == order::columns) return {1, rows + 2};
        return {2, 2 * rows + 1};
    }

    T& operator()(std::int64_t i, std::int64_t j) {
        return data_[static_cast<std::size_t>(offset + i * where_.row_stride +
                                              j * where_.col_stride)];
    }
    [[nodiscard]] T* first() { return data_.data() + offset; }
    [[nodiscard]] const core::layout& where() const { return where_; }
    [[nodiscard]] const std::vector<T>& memory() const { return data_; }

    // Small integers from a seed.
    void fill(unsigned seed) {
        for (std::int64_t i = 0; i < rows_; ++i)
            for (std::int64_t j = 0; j < cols_; ++j)
                (*this)(i, j) =
                    T(static_cast<double>((seed = seed * 1103515245u + 12345u) >> 16 & 7u) -
                      (std::is_unsigned_v<T> ? 0 : 3));
    }

  private:
    static constexpr std::int64_t offset = 5;
    std::int64_t rows_;
    std::int64_t cols_;
    core::layout where_;
    std::vector<T> data_;
};

// The same bits, or zeros of either sign, since the sign of a cancelled sum is not guaranteed.
template <class T>
bool same(const std::vector<T>& x, const std::vector<T>& y) {
    const auto equal = [](const T& p, const T& q) {
        return std::memcmp(&p, &q, sizeof(T)) == 0 || (double(p) == 0 && double(q) == 0);
    };
    return std::ranges::equal(x, y, equal);
}

struct shape {
    std::int64_t m, n, k;
};

// One product of `row` against the definition; the whole memory of C must be as it should.
template <class In, class Out, class InB = In>
void check(const rows::implementation& row, const shape& s, order of_a, order of_b, order of_c,
           double alpha, double beta, const core::settings& settings) {
    padded<In> a(s.m, s.k, of_a);
    padded<InB> b(s.k, s.n, of_b);
    padded<Out> c(s.m, s.n, of_c);
    a.fill(1);
    b.fill(2);
    if (beta != 0) c.fill(3);
    padded<Out> expected = c;
    for (std::int64_t i = 0; i < s.m; ++i) {
        for (std::int64_t j = 0; j < s.n; ++j) {
            double sum = 0;
            for (std::int64_t p = 0; p < s.k; ++p) sum += double(a(i, p)) * double(b(p, j));
            expected(i, j) = Out(alpha * sum + (beta == 0 ? 0 : beta * double(expected(i, j))));
        }
    }
    const core::problem p = {dtype_of_v<In>, dtype_of_v<InB>, dtype_of_v<Out>, s.m,   s.n, s.k,
                             a.where(),      b.where(),       c.where(),       alpha, beta};
    ASSERT_EQ(rows::reason_against(row, p, settings), "");
    row.prepare(p, settings)->run({a.first(), b.first(), c.first()});
    EXPECT_TRUE(same(c.memory(), expected.memory()))
        << row.name << " " << core::describe(p) << " layouts " << int(of_a) << int(of_b)
        << int(of_c) << " alpha " << alpha << " beta " << beta;
}

// The rows that take every type; sums in f16 have their own tests.
std::vector<const rows::implementation*> available_rows() {
    std::vector<const rows::implementation*> rows;
    for (const rows::implementation* row : rows::cpu::table())
        if (row->name != "cpu.engine.f16_sums" &&
            (row->unavailable == nullptr || row->unavailable().empty()))
            rows.push_back(row);
    return rows;
}

core::settings small_blocks(int threads) {
    return {threads, {{"mc", 48}, {"nc", 16}, {"kc", 12}}};
}

template <class Pair>
class exactness : public testing::Test {};

template <class I, class O, class B = I>
struct types {
    using in = I;
    using in_b = B;
    using out = O;
};
using all_types =
    testing::Types<types<double, double>, types<float, float>, types<std::int32_t, std::int32_t>,
                   types<f16, f16>, types<bf16, bf16>, types<f16, float>, types<bf16, float>,
                   types<std::int8_t, std::int32_t>,
                   types<std::uint8_t, std::int32_t, std::int8_t>>;
TYPED_TEST_SUITE(exactness, all_types);

TYPED_TEST(exactness, edges_of_the_register_tile) {
    using In = typename TypeParam::in;
    using InB = typename TypeParam::in_b;
    using Out = typename TypeParam::out;
    const std::int64_t some[] = {0, 1, 2, 5, 7, 8, 9, 15, 17, 23, 24, 25, 31, 47, 48, 49};
    const std::int64_t depths[] = {0, 1, 3, 16};
    constexpr order orders[] = {order::rows, order::columns, order::gaps};
    int executed = 0;
    for (const rows::implementation* row : available_rows())
        for (const std::int64_t m : some)
            for (const std::int64_t n : some)
                for (const std::int64_t k : depths) {
                    const auto pick = [&](int step) {
                        return orders[(executed / step + step) % 3];
                    };
                    const double beta = executed % 4 == 0 ? 0 : executed % 4 - 2;
                    check<In, Out, InB>(*row, {m, n, k}, pick(1), pick(3), pick(9), 2, beta,
                                        executed % 2 == 0 ? core::settings{} : small_blocks(1));
                    ++executed;
                }
    EXPECT_EQ(executed, static_cast<int>(available_rows().size()) * 16 * 16 * 4);
}

TEST(exactness, every_row_of_the_table_was_there_or_said_why_not) {
    for (const rows::implementation* row : rows::cpu::table())
        if (row->unavailable != nullptr && !row->unavailable().empty())
            std::printf("not tested: %s: %s\n", std::string(row->name).c_str(),
                        row->unavailable().c_str());
    EXPECT_GE(available_rows().size(), 2u);
}

}  // namespace
