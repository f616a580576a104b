// Epilogues of products over ranks: the same as of one product of the whole matrices, whatever the
// layouts are, whether K is split or not, and what is refused.
#include <array>
#include <gtest/gtest.h>
#include <span>

#include <carat/error.hpp>

#include "tests/distributed/epilogue_trial.hpp"

namespace carat::test {
namespace {

template <class T>
std::string wrong_with(const trial& t) {
    epilogue_trial<T> all(t, gelu);
    std::mutex collecting;
    ranks::with_threads(t.size, [&](ranks::communicator& comm) {
        rank_parts own = all.parts(comm.rank());
        const std::vector<T> columns = taken(all.columns, own.c.of.cols),
                             rows = taken(all.rows, own.c.of.rows);
        const auto last = chain<T>(columns, rows, gelu);
        product_of(comm, t, all.layouts, own.a, own.b, own.c, &last)();
        const std::lock_guard hold(collecting);
        own.c.give(all.result);
    });
    return all.wrong();
}

std::string wrong_with_epilogue(trial t, std::optional<ranks::dimension> along = {}) {
    t.along = along;
    return t.types.in == dtype::f64 ? wrong_with<double>(t) : wrong_with<float>(t);
}

class epilogues : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(all, epilogues, testing::Values(1, 2, 3, 4, 7, 12),
                         testing::PrintToStringParamName());

TEST_P(epilogues, every_layout_of_c_has_the_bits_of_one_product) {
    unsigned seed = 1;
    for (const kind c : all_kinds)
        for (const element_types& types : std::span(all_types).first(6))
            for (const double beta : {0.0, 2.0}) {
                trial t{.m = 37, .n = 29, .k = 31, .size = GetParam(), .types = types, .c = c};
                t.a = all_kinds[seed % std::size(all_kinds)];
                t.b = all_kinds[seed / 2 % std::size(all_kinds)];
                t.alpha = seed % 3 == 0 ? -2 : 1;
                t.beta = beta;
                t.seed = ++seed;
                EXPECT_EQ(wrong_with_epilogue(t), "");
            }
}

TEST_P(epilogues, they_come_after_the_sums_of_all_ranks) {
    for (const kind c : all_kinds)
        for (const element_types& types : std::span(all_types).first(3)) {
            trial t{.m = 12, .n = 9, .k = 400, .size = GetParam(), .types = types, .c = c};
            t.beta = 2;
            EXPECT_EQ(wrong_with_epilogue(t, ranks::dimension::k), "");
        }
}

TEST_P(epilogues, they_come_after_the_last_piece_of_k) {
    trial t{.m = 60, .n = 60, .k = 600, .size = GetParam()};
    t.a = t.b = t.c = kind::best;
    // Enough for the parts and thin pieces of K alone.
    t.memory_bytes =
        static_cast<std::size_t>(8 * (2 * 60 * 600 / GetParam() + 60 * 60 * 3) + 65536);
    EXPECT_EQ(wrong_with_epilogue(t), "");
}

// Its own columns of B are multiplied before those that arrive.
TEST(epilogue, a_functor_is_given_positions_in_the_local_part) {
    const std::int64_t size = 24;
    std::atomic<int> right{0};
    ranks::with_threads(4, [&](ranks::communicator& comm) {
        const auto by_rows = ranks::distribution::by_rows(size, size, 4);
        const auto by_columns = ranks::distribution::by_columns(size, size, 4);
        matrix<double> a(6, 24), b(24, 6), c(6, 24);
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 24; ++j) a(i, j) = b(j, i) = 1;
        const auto positions = each([](auto x, std::size_t row, std::size_t col) {
            return x + static_cast<decltype(x)>(1000 * row + col);
        });
        matrix_product(comm, ranks::view(a, by_rows), ranks::view(b, by_columns),
                       ranks::view(c, by_rows), positions);
        bool all = true;
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 24; ++j)
                all = all && c(i, j) == static_cast<double>(size) + double(1000 * i + j);
        right += all ? 1 : 0;
    });
    EXPECT_EQ(right, 4);
}

void expect_refusal(const std::string& words, error_code code,
                    const std::function<void(ranks::communicator&)>& call) {
    std::atomic<int> caught{0};
    ranks::with_threads(3, [&](ranks::communicator& comm) {
        try {
            call(comm);
        } catch (const error& why) {
            EXPECT_EQ(why.code(), code) << why.what();
            EXPECT_NE(std::string(why.what()).find(words), std::string::npos) << why.what();
            caught += 1;
        }
    });
    EXPECT_EQ(caught, 3);
}

TEST(epilogue, what_one_rank_was_given_wrongly_is_refused_on_all) {
    const auto rows = ranks::distribution::by_rows(9, 9, 3);
    const auto multiply = [&](ranks::communicator& comm, const auto& last) {
        matrix<double> a(3, 9), c(3, 9);
        matrix_product(comm, ranks::view(a, rows), ranks::view(a, rows), ranks::view(c, rows),
                       last);
    };
    expect_refusal(
        "rank 1: distributed product: bias has 8 values, but the local matrix of C has 9 "
        "columns",
        error_code::size_mismatch, [&](ranks::communicator& comm) {
            const std::vector<double> v(comm.rank() == 1 ? 8 : 9);
            multiply(comm, bias(v));
        });
    expect_refusal("scale has 9 values, but the local matrix of C has 3 rows",
                   error_code::size_mismatch, [&](ranks::communicator& comm) {
                       const std::vector<double> v(9);
                       multiply(comm, scale(v, by::row));
                   });
    expect_refusal(
        "rank 2 was given another epilogue than rank 0", error_code::size_mismatch,
        [&](ranks::communicator& comm) { multiply(comm, comm.rank() == 2 ? relu : gelu); });
    expect_refusal("gates of an epilogue", error_code::unsupported,
                   [&](ranks::communicator& comm) { multiply(comm, swiglu); });
}

TEST(epilogue, integers_have_none) {
    const auto rows = ranks::distribution::by_rows(9, 9, 3);
    expect_refusal("C is of integers", error_code::invalid_argument,
                   [&](ranks::communicator& comm) {
                       matrix<std::int8_t> a(3, 9);
                       matrix<std::int32_t> c(3, 9);
                       matrix_product(comm, ranks::view(a, rows), ranks::view(a, rows),
                                      ranks::view(c, rows), relu);
                   });
}

}  // namespace
}  // namespace carat::test
