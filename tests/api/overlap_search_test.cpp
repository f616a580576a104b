// Which batches are refused, compared with a search through all pairs; and that few pairs are
// compared.
#include "api/overlap_search.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>

#include "api/batch_checks.hpp"
#include "api/checks.hpp"

namespace {

using namespace carat;
using api::erased_batch;
using detail::erased_matrix;

// Addresses only; nothing is read.
erased_matrix at(std::ptrdiff_t element, std::size_t rows, std::size_t cols, std::ptrdiff_t row,
                 std::ptrdiff_t col) {
    return {reinterpret_cast<void*>((std::intptr_t{1} << 40) + 4 * element),
            rows,
            cols,
            row,
            col,
            dtype::f32,
            1};
}

erased_batch listed(const std::vector<erased_matrix>& all) {
    erased_batch b{};
    b.first.type = dtype::f32;
    b.first.factor = 1;
    b.count = all.size();
    b.list = all.data();
    b.at = [](const void* list, std::size_t i) {
        return static_cast<const erased_matrix*>(list)[i];
    };
    return b;
}

erased_batch strided(const erased_matrix& first, std::size_t count, std::ptrdiff_t stride) {
    return {first, count, stride, nullptr};
}

erased_batch for_all(const erased_matrix& one) {
    erased_batch b{one, 0, 0, nullptr};
    b.for_all = true;
    return b;
}

// Far from everything.
const erased_matrix elsewhere = at(std::ptrdiff_t{1} << 36, 4, 4, 4, 1);

constexpr std::size_t count = 66'000;
constexpr std::ptrdiff_t heads = count;
constexpr std::size_t few = 24;  // comparisons a product

void expect_few(const erased_batch& a, const erased_batch* e, const erased_batch& c,
                const char* what) {
    EXPECT_LE(api::check_places(a, for_all(elsewhere), e, c), few * c.count) << what;
}

// [tokens, heads, depth] and similar layouts, with 64 tokens and 8 numbers for each head.
TEST(matrices_side_by_side, are_told_apart_without_comparing_all_pairs) {
    const auto none = for_all(elsewhere);
    expect_few(none, nullptr, strided(at(0, 64, 8, heads * 8, 1), count, 8), "heads in lines");
    expect_few(none, nullptr, strided(at(0, 8, 64, 1, heads * 8), count, 8), "heads by columns");
    expect_few(none, nullptr, strided(at(0, 64, 8, heads * 8, heads), count, 1),
               "heads within each number");
    expect_few(none, nullptr, strided(at(0, 64, 8, 8, 1), count, 512), "one after the other");
    expect_few(none, nullptr, strided(at(0, 64, 8, 8, 1), count, 515), "with gaps");
    expect_few(none, nullptr, strided(at(heads * 8, 64, 8, heads * 8, 1), count, -8), "backward");
    expect_few(none, nullptr, strided(at(0, 64, 1, heads, 77), count, 1), "columns");
    expect_few(none, nullptr, strided(at(0, 1, 1, 5, 77), count, 3), "numbers");
}

TEST(matrices_side_by_side, may_be_operands_beside_results) {
    // Queries, keys and results in the same lines.
    const auto part = [](std::ptrdiff_t number) {
        return strided(at(number * heads * 8, 64, 8, 3 * heads * 8, 1), count, 8);
    };
    expect_few(part(0), nullptr, part(2), "A beside C");
    const erased_batch c = part(2);
    expect_few(part(0), &c, c, "E is C");
    const erased_batch shared = for_all(at(0, 64, 8, 3 * heads * 8, 1));
    expect_few(shared, nullptr, part(1), "one A for all");
}

TEST(matrices_side_by_side, may_be_of_different_sizes_and_in_any_order) {
    std::mt19937 engine(3);
    std::vector<erased_matrix> all;
    std::ptrdiff_t place = 0;
    constexpr std::ptrdiff_t line = 1 << 21;
    for (std::size_t i = 0; i < count; ++i) {
        const auto cols = static_cast<std::ptrdiff_t>(4 + engine() % 25);
        all.push_back(at(place, 1 + engine() % 64, static_cast<std::size_t>(cols), line, 1));
        place += cols;
    }
    expect_few(for_all(elsewhere), nullptr, listed(all), "ragged heads");
    std::shuffle(all.begin(), all.end(), engine);
    expect_few(for_all(elsewhere), nullptr, listed(all), "shuffled");
}

TEST(matrices_side_by_side, are_refused_where_the_last_one_overlaps) {
    std::vector<erased_matrix> all;
    for (std::ptrdiff_t i = 0; i < 5000; ++i) all.push_back(at(i * 8, 64, 8, 5000 * 8, 1));
    all.back() = at(4998 * 8 + 7, 64, 8, 5000 * 8, 1);
    try {
        (void)api::check_places(for_all(elsewhere), for_all(elsewhere), nullptr, listed(all));
        ADD_FAILURE() << "accepted";
    } catch (const error& why) {
        EXPECT_EQ(why.code(), error_code::aliasing);
        EXPECT_NE(std::string(why.what()).find("C of product 4999 overlaps C of product 4998"),
                  std::string::npos)
            << why.what();
    }
}

bool share(const erased_matrix& x, const erased_matrix& y) {
    const auto addresses = [](const erased_matrix& m) {
        std::set<std::intptr_t> all;
        for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(m.rows); ++i)
            for (std::ptrdiff_t j = 0; j < std::ptrdiff_t(m.cols); ++j)
                all.insert(reinterpret_cast<std::intptr_t>(m.data) +
                           4 * (i * m.row_stride + j * m.col_stride));
        return all;
    };
    const auto in_x = addresses(x);
    const auto in_y = addresses(y);
    return std::ranges::any_of(in_y, [&](std::intptr_t p) { return in_x.contains(p); });
}

using all_matrices = std::vector<erased_matrix>;

// Whether two C share an element, or a C and an A, or a C and another product's E.
bool any_pair(const all_matrices& a, const all_matrices& e, const all_matrices& c) {
    for (std::size_t i = 0; i < c.size(); ++i)
        for (std::size_t j = 0; j < c.size(); ++j) {
            const bool own = i == j && api::same_elements(e[j], c[i]);
            if (share(a[j], c[i]) || (!own && share(e[j], c[i])) || (i != j && share(c[j], c[i])))
                return true;
        }
    return false;
}

// A few matrices at a time in a small place, of one kind of strides or of several.
TEST(matrices_side_by_side, are_refused_where_a_pair_overlaps_and_nowhere_else) {
    std::mt19937 engine(11);
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<std::ptrdiff_t>(low, high)(engine);
    };
    int refused = 0;
    int accepted = 0;
    for (int trial = 0; trial < 30000; ++trial) {
        const std::ptrdiff_t row = pick(-12, 12);
        const std::ptrdiff_t col = pick(-12, 12);
        const bool mixed = trial % 3 == 0;
        const int reach = trial % 2 == 0 ? 40 : 400;
        const auto any = [&] {
            return at(pick(0, reach), std::size_t(pick(0, 3)), std::size_t(pick(0, 3)),
                      mixed ? pick(-12, 12) : row, mixed ? pick(-12, 12) : col);
        };
        all_matrices c(std::size_t(pick(1, 4)));
        all_matrices a(c.size());
        all_matrices e(c.size());
        for (std::size_t i = 0; i < c.size(); ++i) {
            c[i] = any();
            a[i] = i > 0 && pick(0, 1) == 0 ? a[i - 1] : any();
            e[i] = pick(0, 1) == 0 ? c[i] : any();
        }
        const erased_batch with = listed(e);
        try {
            (void)api::check_places(listed(a), for_all(elsewhere), &with, listed(c));
            EXPECT_FALSE(any_pair(a, e, c)) << "missed in trial " << trial;
            ++accepted;
        } catch (const error& why) {
            EXPECT_TRUE(any_pair(a, e, c)) << trial << ": " << why.what();
            ++refused;
        }
    }
    EXPECT_GT(refused, 3000);
    EXPECT_GT(accepted, 3000);
}

}  // namespace
