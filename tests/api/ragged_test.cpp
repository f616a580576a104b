// Products that divide one matrix: on a CPU they have the bits of a list of its parts; ends that
// are refused, before a GPU is looked for.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/api/matrices.hpp"

namespace {

template <class M>
concept can_be_strided = requires(const M& m) {
    carat::strided(m, 2, 1);
};
template <class M>
concept can_be_ragged = requires(const M& m) {
    carat::ragged(m, nullptr, 2);
};
static_assert(can_be_strided<carat::matrix_view<carat::e4m3>>);
static_assert(can_be_ragged<carat::matrix_view<carat::e4m3>>);
// Scales would be lost.
static_assert(!can_be_strided<carat::block_scaled_view<carat::e4m3>>);
static_assert(!can_be_ragged<carat::block_scaled_view<carat::e4m3>>);

using namespace carat;

using test::types;

const std::vector<std::int32_t> ends = {5, 5, 42, 43, 90, 90};  // of 96
constexpr std::size_t total = 96, k = 24, n = 40;

struct part {
    std::size_t first, count;
};
std::vector<part> parts() {
    std::vector<part> all;
    std::size_t first = 0;
    for (const std::int32_t end : ends) {
        all.push_back({first, static_cast<std::size_t>(end) - first});
        first = static_cast<std::size_t>(end);
    }
    return all;
}

template <class Pair>
class ragged_on_cpu : public testing::Test {};
using all_types =
    testing::Types<types<double, double>, types<float, float>, types<f16, f16>, types<bf16, float>,
                   types<std::int8_t, std::int32_t>, types<std::int32_t, std::int32_t>>;
TYPED_TEST_SUITE(ragged_on_cpu, all_types);

TYPED_TEST(ragged_on_cpu, rows_and_columns_are_those_of_a_list) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    const auto x = test::whole_matrix<in>(total, k, 3, 1);
    const auto w = test::whole_matrix<in>(ends.size() * k, n, 3, 2);
    const auto e = test::whole_matrix<out>(total, n, 3, 3);
    auto listed_c = test::whole_matrix<out>(total, n, 3, 4);
    auto c = listed_c;
    auto turned_c = listed_c;
    const auto weights = strided(w.view().block(0, 0, k, n), ends.size(), k * n);
    std::vector<matrix_view<const in>> xs;
    std::vector<matrix_view<const out>> es;
    std::vector<matrix_view<out>> cs;
    for (const part& p : parts()) {
        xs.push_back(x.view().block(p.first, 0, p.count, k));
        es.push_back(e.view().block(p.first, 0, p.count, n));
        cs.push_back(listed_c.view().block(p.first, 0, p.count, n));
    }
    matrix_products(scaled(2, listed(xs)), weights, listed(es), listed(cs));
    const auto of = [](auto&& m) { return ragged(m, ends.data(), ends.size()); };
    matrix_products(scaled(2, of(x.view())), weights, of(e.view()), of(c.view()));
    EXPECT_TRUE(test::same_bits(listed_c, c));  // rows behind the last end included
    matrix_products(transposed(weights), transposed(of(scaled(2, x.view()))),
                    transposed(of(e.view())), transposed(of(turned_c.view())));
    EXPECT_TRUE(test::same_bits(listed_c, turned_c));
}

TYPED_TEST(ragged_on_cpu, depths_are_those_of_a_list) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    const auto x = test::whole_matrix<in>(total, k, 3, 1);
    const auto dy = test::whole_matrix<in>(total, n, 3, 2);
    auto listed_c = test::whole_matrix<out>(ends.size() * k, n, 3, 4);
    auto c = listed_c;
    const auto batch = [](auto& m) {
        return strided(m.view().block(0, 0, k, n), ends.size(), k * n);
    };
    std::vector<matrix_view<const in>> xs, dys;
    for (const part& p : parts()) {
        xs.push_back(x.view().block(p.first, 0, p.count, k));
        dys.push_back(dy.view().block(p.first, 0, p.count, n));
    }
    matrix_products(transposed(listed(xs)), listed(dys), batch(listed_c));
    const auto of = [](auto&& m) { return ragged(m, ends.data(), ends.size()); };
    matrix_products(transposed(of(x.view())), of(dy.view()), batch(c));
    EXPECT_TRUE(test::same_bits(listed_c, c));
}

// The same message wherever the products would run.
template <class Call>
void expect_refusal_on_both(const Call& call, error_code code,
                            const std::vector<std::string>& words) {
    test::expect_refusal([&] { call(cpu{}); }, code, words);
    test::expect_refusal([&] { call(cuda{.device = 99}); }, code, words);
}

class ragged_refusals : public testing::Test {
  protected:
    matrix<float> x{total, k}, w{ends.size() * k, n}, c{total, n};

    [[nodiscard]] auto weights(std::size_t count = ends.size()) {
        return strided(w.view().block(0, 0, k, n), count, k * n);
    }
    template <class M>
    [[nodiscard]] auto of(M& m, std::size_t count = ends.size()) {
        return ragged(m.view(), ends.data(), count);
    }
};

TEST_F(ragged_refusals, what_is_shared_out_must_go_together) {
    using enum error_code;
    const char* const together = "products divide the rows of A and C (and E), the columns of B";
    expect_refusal_on_both(
        [&](const auto& where) { matrix_products(where, of(x), weights(), weights()); },
        invalid_argument, {"matrix_products: ", together});
    expect_refusal_on_both([&](const auto& where) { matrix_products(where, of(x), of(w), of(c)); },
                           invalid_argument, {together});
    expect_refusal_on_both(
        [&](const auto& where) { matrix_products(where, transposed(of(x)), weights(), of(c)); },
        invalid_argument, {together});
    expect_refusal_on_both(
        [&](const auto& where) { matrix_products(where, of(x, 5), weights(5), of(c)); },
        size_mismatch, {"the rows of A and C are divided by 5 and by 6 products"});
    const std::vector<std::int32_t> others = ends;
    expect_refusal_on_both(
        [&](const auto& where) {
            matrix_products(where, of(x), weights(),
                            ragged(c.view(), others.data(), others.size()));
        },
        invalid_argument, {"by two arrays of ends"});
    expect_refusal_on_both(
        [&](const auto& where) {
            matrix_products(where, ragged(x.view(), nullptr, 6), weights(),
                            ragged(c.view(), nullptr, 6));
        },
        invalid_argument, {"among 6 products by ends that are null"});
    matrix<float> more(total + 1, n);
    expect_refusal_on_both(
        [&](const auto& where) { matrix_products(where, of(x), weights(), of(more)); },
        size_mismatch, {"the rows of A and C are divided, but these are 96 and 97"});
    expect_refusal_on_both(
        [&](const auto& where) {
            matrix_products(where, transposed(of(x)), of(more),
                            strided(w.view().block(0, 0, k, n), ends.size(), k * n));
        },
        size_mismatch, {"the columns of A and the rows of B are divided, but these are 96 and"});
}

TEST_F(ragged_refusals, sizes_and_places_are_checked_before_a_gpu_is_looked_for) {
    using enum error_code;
    const cuda gpu{.device = 99};
    test::expect_refusal([&] { matrix_products(gpu, of(x), weights(5), of(c)); }, size_mismatch,
                         {"matrix_products: B has 5 matrices and 6 products divide"});
    matrix<float> narrow(total, n - 1);
    test::expect_refusal([&] { matrix_products(gpu, of(x), weights(), of(narrow)); }, size_mismatch,
                         {"C is 96 x 39"});
    test::expect_refusal(
        [&] {
            matrix_products(gpu, of(x), weights(),
                            ragged(matrix_view(w.data(), total, n), ends.data(), ends.size()));
        },
        aliasing, {"overlaps B"});
    std::vector<float*> at(ends.size(), w.data());
    test::expect_refusal([&] { matrix_products(gpu, of(x), pointers(at, k, n), of(c)); },
                         unsupported, {"B can't be at pointers or in a list", "carat::strided"});
    std::vector<float> values(total);
    test::expect_refusal(
        [&] { matrix_products(gpu, of(x), weights(), of(c), bias(values, by::row)); },
        invalid_argument, {"a value for each of the rows that products divide"});
}

TEST_F(ragged_refusals, ends_that_cant_be_are_refused_where_they_can_be_read) {
    const auto refuse = [&](const std::vector<std::int32_t>& bad, std::vector<std::string> words) {
        const auto kept = test::whole_matrix<float>(total, n, 3, 4);
        c = kept;
        test::expect_refusal(
            [&] {
                matrix_products(ragged(x.view(), bad.data(), bad.size()), weights(bad.size()),
                                ragged(c.view(), bad.data(), bad.size()));
            },
            error_code::invalid_argument, words);
        EXPECT_TRUE(test::same_bits(kept, c));
    };
    refuse({5, 4, 9}, {"product 1 gets of A the end is 4", "from 5"});
    refuse({-1, 4, 9}, {"product 0 gets of A the end is -1", "from 0"});
    refuse({5, 40, 97}, {"product 2 gets of A the end is 97", "to 96"});
}

TEST_F(ragged_refusals, no_products_are_no_work) {
    matrix_products(ragged(x.view(), nullptr, 0), weights(0), ragged(c.view(), nullptr, 0));
}

}  // namespace
