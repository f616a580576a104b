// What happens when one rank is given something else, has too little memory or leaves: every rank
// must get the same error, and C must be as it was.
#include <atomic>
#include <gtest/gtest.h>

#include <carat/distributed_gpu.hpp>
#include <carat/error.hpp>

#include "tests/distributed/trial.hpp"

namespace carat::test {
namespace {

struct fault {
    const char* what;
    int rank;
    error_code code;
    std::vector<std::string> words;
    std::function<void(int rank, trial&)> change;
};

void expect_same_error(int size, const fault& f) {
    std::atomic<int> caught{0}, untouched{0};
    ranks::with_threads(size, [&](ranks::communicator& comm) {
        trial t{.m = 40, .n = 30, .k = 20, .size = size};
        t.beta = 2;
        f.change(comm.rank(), t);
        const trial_layouts l(t);
        local_part a(l.a, comm.rank(), t.types.in, false), b(l.b, comm.rank(), t.types.in, false),
            c(l.c, comm.rank(), t.types.out, false);
        const std::vector<std::byte> before = c.data;
        try {
            product_of(comm, t, l, a, b, c)();
        } catch (const error& why) {
            const std::string message = why.what();
            bool all = why.code() == f.code && message.find('\n') == std::string::npos;
            for (const std::string& word : f.words)
                all = all && message.find(word) != std::string::npos;
            EXPECT_TRUE(all) << f.what << ": " << message;
            caught += 1;
        }
        untouched += before == c.data ? 1 : 0;
    });
    EXPECT_EQ(caught, size) << f.what;
    EXPECT_EQ(untouched, size) << f.what;
}

TEST(faults, one_rank_with_something_else_is_named_on_every_rank) {
    const std::vector<fault> faults = {
        {"another size",
         2,
         error_code::size_mismatch,
         {"rank 2", "40 x 30 x 21", "40 x 30 x 20"},
         [](int rank, trial& t) { t.k = rank == 2 ? 21 : t.k; }},
        {"another type",
         1,
         error_code::size_mismatch,
         {"rank 1", "f32", "f64"},
         [](int rank, trial& t) { t.types = all_types[rank == 1 ? 1 : 0]; }},
        {"another factor",
         3,
         error_code::size_mismatch,
         {"rank 3", "factors"},
         [](int rank, trial& t) { t.alpha = rank == 3 ? 2 : 1; }},
        {"another layout",
         1,
         error_code::size_mismatch,
         {"rank 1", "layout of B"},
         [](int rank, trial& t) { t.b = rank == 1 ? kind::columns : kind::rows; }},
        {"little memory",
         3,
         error_code::out_of_memory,
         {"rank 3", "use more ranks"},
         [](int rank, trial& t) { t.memory_bytes = rank == 3 ? 5000 : 0; }},
        {"memory for the parts, but not for what the workspace takes",
         3,
         error_code::out_of_memory,
         {"rank 3", "memory_bytes is 7000"},
         [](int rank, trial& t) {
             t.c = kind::cyclic;
             t.memory_bytes = rank == 3 ? 7000 : 0;
         }},
        {"too little memory",
         2,
         error_code::out_of_memory,
         {"rank 2", "least memory"},
         [](int rank, trial& t) { t.memory_bytes = rank == 2 ? 100 : 1000000; }}};
    for (const fault& f : faults) expect_same_error(4, f);
}

TEST(faults, a_local_matrix_of_another_size_is_refused_on_every_rank) {
    std::atomic<int> caught{0};
    ranks::with_threads(3, [&](ranks::communicator& comm) {
        const auto rows = ranks::distribution::by_rows(9, 9, 3);
        const std::size_t mine = comm.rank() == 1 ? 2 : 3;
        matrix<double> a(mine, 9), c(3, 9);
        try {
            matrix_product(comm, ranks::view(a, rows), ranks::view(c, rows), ranks::view(c, rows));
        } catch (const error& why) {
            const std::string message = why.what();
            EXPECT_NE(message.find("rank 1: "), std::string::npos) << message;
            EXPECT_NE(message.find("A is 2 x 9"), std::string::npos) << message;
            EXPECT_EQ(why.code(), error_code::size_mismatch);
            caught += 1;
        }
    });
    EXPECT_EQ(caught, 3);
}

TEST(faults, integers_that_overflow_on_one_rank_leave_c_alone) {
    std::atomic<int> caught{0}, untouched{0};
    ranks::with_threads(4, [&](ranks::communicator& comm) {
        const auto rows = ranks::distribution::by_rows(4, 4, 4);
        matrix<std::int8_t> a(1, 4), b(1, 4);
        matrix<std::int32_t> c(1, 4);
        for (std::size_t j = 0; j < 4; ++j) {
            a(0, j) = comm.rank() == 2 ? 100 : 1;
            b(0, j) = 1;
            c(0, j) = 7;
        }
        try {
            matrix_product(comm, scaled(0x1p24, ranks::view(a, rows)), ranks::view(b, rows),
                           ranks::view(c, rows));
        } catch (const error& why) {
            EXPECT_EQ(why.code(), error_code::overflow);
            EXPECT_NE(std::string(why.what()).find("rank 2"), std::string::npos) << why.what();
            caught += 1;
        }
        untouched += c(0, 0) == 7 && c(0, 3) == 7 ? 1 : 0;
    });
    EXPECT_EQ(caught, 4);
    EXPECT_EQ(untouched, 4);
}

TEST(faults, a_rank_that_leaves_wakes_the_others) {
    try {
        ranks::with_threads(4, [](ranks::communicator& comm) {
            if (comm.rank() == 2) throw error(error_code::unsupported, "rank 2 has gone");
            matrix<double> a(3, 3), c(3, 3);
            const auto whole = ranks::distribution::replicated(3, 3);
            matrix_product(comm, ranks::view(a, whole), ranks::view(a, whole),
                           ranks::view(c, whole));
        });
        FAIL() << "nothing was thrown";
    } catch (const error& why) {
        EXPECT_STREQ(why.what(), "rank 2 has gone");
    }
}

TEST(faults, numbers_of_ctas_that_nccl_has_not_are_refused) {
    for (const int ctas : {-1, 65}) try {
            static_cast<void>(ranks::over_nccl(nullptr, cuda{nullptr, 0}, ctas));
            ADD_FAILURE() << ctas << " CTAs were taken";
        } catch (const error& why) {
            const std::string said = why.what();
            EXPECT_NE(said.find("CTAs is " + std::to_string(ctas)), said.npos) << said;
            EXPECT_NE(said.find("at most 64"), said.npos) << said;
        }
}

}  // namespace
}  // namespace carat::test
