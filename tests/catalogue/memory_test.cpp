// Every alignment that an element can have in a cache line, and no access before or after an
// operand, for sizes around every tile.

#include "entries.hpp"

namespace carat::test {

namespace {

class Memory : public Entry {};

TEST_P(Memory, EveryOffsetWithinACacheLine) {
    int wanted = 0;
    for (const core::signature* types : offered()) {
        const auto offsets = static_cast<std::int64_t>(64 / size_bytes(types->a));
        for (std::int64_t offset = 0; offset < offsets; ++offset)
            for (int which = 0; which < 4; ++which, ++wanted) {
                product_case c = plain_case(entry(), *types, 37, 43, 41);
                c.p.beta = 1;
                for (int operand = 0; operand < 3; ++operand)
                    if (which == operand || which == 3)
                        c.places[static_cast<std::size_t>(operand)].offset = offset;
                run(c);
            }
    }
    expect_executed(wanted);
}

TEST_P(Memory, NothingOutsideIsTouched) {
    constexpr std::array<std::int64_t, 9> sizes = {1, 3, 8, 13, 16, 17, 31, 33, 64};
    int wanted = 0;
    for (const core::signature* types : offered())
        for (const std::int64_t m : sizes)
            for (const std::int64_t n : sizes)
                for (const flush side : {flush::front, flush::back})
                    for (const bool by_rows : {true, false}) {
                        const std::int64_t k = sizes[static_cast<std::size_t>((m + n) % 9)];
                        product_case c = plain_case(entry(), *types, m, n, k);
                        if (!by_rows) {
                            c.p.a_layout = core::column_major(m);
                            c.p.b_layout = core::column_major(k);
                            c.p.c_layout = core::column_major(m);
                        }
                        for (placement& place : c.places) place.side = side;
                        run(c);
                        ++wanted;
                    }
    expect_executed(wanted);
}

class Threads : public Entry {};

// The engine and the ladder give the same bits for any number of threads. Vendors promise no such
// thing.
TEST_P(Threads, DoNotChangeTheBits) {
    for (const core::signature* types : offered()) {
        std::vector<std::vector<std::byte>> results;
        const std::int64_t m = 131;
        const std::int64_t n = 97;
        const std::int64_t k = 150;
        for (const int threads : {1, 2, 3, 7}) {
            product_case c = plain_case(entry(), *types, m, n, k);
            c.how.threads = threads;
            c.data = types->c == dtype::i32 ? workload::integers(types->a == dtype::u8 ? 0 : -9, 9)
                                            : workload::normal(0, 1);
            run(c);
            results.push_back(result_of(c));
        }
        for (const auto& result : results) EXPECT_EQ(result, results.front());
    }
    expect_executed(4 * static_cast<int>(offered().size()));
}

// Fewer tiles than threads, one tile, and nothing at all.
TEST_P(Threads, SmallAndEmptyProducts) {
    for (const core::signature* types : offered())
        for (const std::int64_t size : {0, 1, 5, 144, 145}) {
            product_case c = plain_case(entry(), *types, size, size, 7);
            c.how.threads = 3;
            run(c);
        }
    expect_executed(5 * static_cast<int>(offered().size()));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Memory, testing::ValuesIn(all_entries()), test::as_printed);
INSTANTIATE_TEST_SUITE_P(Catalogue, Threads, testing::ValuesIn(own_threaded_entries()),
                         test::as_printed);

}  // namespace

}  // namespace carat::test
