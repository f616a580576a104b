// Rules that hold at the edges: no rows, columns or steps; alpha and beta of 0; NaN and Inf.
#include "entries.hpp"

namespace carat::test {

namespace {

class Rules : public Entry {};

constexpr std::array factors = {0.0, 1.0, -1.0, 2.0};

TEST_P(Rules, ZeroDimensions) {
    for (const core::signature* types : offered())
        for (const std::int64_t m : {0, 1, 2})
            for (const std::int64_t n : {0, 1, 2})
                for (const std::int64_t k : {0, 1, 2})
                    for (const double alpha : factors)
                        for (const double beta : factors) {
                            product_case c = plain_case(entry(), *types, m, n, k);
                            c.p.alpha = alpha;
                            c.p.beta = beta;
                            c.places[0].side = c.places[1].side = c.places[2].side = flush::back;
                            run(c);
                        }
    expect_executed(27 * 16 * static_cast<int>(offered().size()));
}

// Sizes beyond every register tile, so that alpha = 0 and beta = 0 take the usual path too.
TEST_P(Rules, FactorsOfZeroDoNotRead) {
    for (const core::signature* types : offered())
        for (const double alpha : factors)
            for (const double beta : factors) {
                product_case c = plain_case(entry(), *types, 67, 71, 59);
                c.p.alpha = alpha;
                c.p.beta = beta;
                run(c);
            }
    expect_executed(16 * static_cast<int>(offered().size()));
}

// Each kind of special value at several places; the verifier asks for it in exactly the row, the
// column or the entry where it must be and nowhere else.
TEST_P(Rules, SpecialValuesStayInTheirRowsAndColumns) {
    int wanted = 0;
    for (const core::signature* types : offered()) {
        if (types->c == dtype::i32) continue;
        for (int special = 1; special <= 6; ++special)
            for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1},
                                          {7, 9, 5},
                                          {33, 31, 67},
                                          {65, 2, 130},
                                          {3, 64, 33}})
                for (const std::uint64_t seed : {0x123456789abcdefULL, 0xfedcba987654321ULL}) {
                    product_case c = plain_case(entry(), *types, m, n, k);
                    c.special = static_cast<special_value>(special);
                    c.data = workload::uniform(1, 2);
                    c.p.beta = c.special == special_value::nan_in_c ? 1 : 0;
                    c.seed = seed;
                    run(c);
                    ++wanted;
                }
    }
    expect_executed(wanted);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Rules, testing::ValuesIn(all_entries()), test::as_printed);

}  // namespace

}  // namespace carat::test
