// Whole numbers through every small size, layout and block size of carat's own rows: the verifier's
// bound is far below 1 there, so that a term too many or too few shows. Operands begin or end at
// pages that nobody may touch. CTest runs these tests once for each instruction set, too.
#include <algorithm>

#include "entries.hpp"

namespace carat::test {

namespace {

using size = std::array<std::int64_t, 3>;

class Sweep : public Entry {
  protected:
    void run_at_an_end(product_case c) {
        for (placement& place : c.places)
            place.side = executed_ % 2 == 0 ? flush::back : flush::front;
        run(c);
    }

    // The same with all tunables set to `block`, or with none where the row refuses that.
    void run_with_blocks(product_case c, std::int64_t block) {
        for (const core::tunable& t : entry().tunables)
            c.how.tunables[std::string(t.name)] = std::clamp(block, t.least, t.most);
        if (!rows::reason_against(entry(), c.p, c.how).empty()) c.how.tunables.clear();
        run_at_an_end(c);
    }
    [[nodiscard]] int types() const { return static_cast<int>(offered().size()); }
};

TEST_P(Sweep, SmallSizesInAllCombinations) {
    constexpr std::array<std::int64_t, 8> sizes = {0, 1, 2, 3, 7, 8, 9, 17};
    for (const core::signature* types : offered())
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const auto k : sizes) run_with_blocks(plain_case(entry(), *types, m, n, k), 4);
    expect_executed(8 * 8 * 8 * types());
}

// One less, the same and one more than vectors, register tiles and tiles of the default size.
TEST_P(Sweep, SizesAroundVectorsAndTiles) {
    constexpr std::array<std::int64_t, 18> sizes = {7,  8,  9,  15, 16, 17, 23, 24, 25,
                                                    31, 32, 33, 47, 48, 49, 63, 64, 65};
    constexpr std::array<std::int64_t, 5> depths = {1, 4, 5, 16, 33};
    for (const core::signature* types : offered())
        for (const auto m : sizes)
            for (const auto n : sizes)
                run_at_an_end(
                    plain_case(entry(), *types, m, n,
                               depths[static_cast<std::size_t>(executed_) % depths.size()]));
    expect_executed(18 * 18 * types());
}

std::vector<core::layout> layouts_of_c(std::int64_t rows, std::int64_t cols) {
    return {core::row_major(cols), core::column_major(rows), {cols + 3, 1}, {2 * cols + 5, 2}};
}

// A and B may also repeat a row or an element.
std::vector<core::layout> layouts_of_inputs(std::int64_t rows, std::int64_t cols) {
    std::vector<core::layout> all = layouts_of_c(rows, cols);
    all.insert(all.end(), {{0, 1}, {0, 0}});
    return all;
}

TEST_P(Sweep, AllLayouts) {
    for (const core::signature* types : offered())
        for (const auto& [m, n, k] : {size{9, 25, 7}, {33, 19, 40}, {1, 50, 3}, {50, 1, 3}})
            for (const core::layout& a : layouts_of_inputs(m, k))
                for (const core::layout& b : layouts_of_inputs(k, n))
                    for (const core::layout& c : layouts_of_c(m, n)) {
                        product_case x = plain_case(entry(), *types, m, n, k);
                        x.p.a_layout = a;
                        x.p.b_layout = b;
                        x.p.c_layout = c;
                        x.p.beta = executed_ % 2;
                        executed_ % 3 == 0 ? run_at_an_end(x) : run_with_blocks(x, 16);
                    }
    expect_executed(4 * 6 * 6 * 4 * types());
}

// Block sizes that divide nothing, from one element to more than the matrix.
TEST_P(Sweep, AnyBlockSize) {
    for (const core::signature* types : offered())
        for (const std::int64_t block : {1, 2, 3, 5, 7, 13, 24, 31, 64, 1000})
            run_with_blocks(plain_case(entry(), *types, 45, 61, 37), block);
    expect_executed(10 * types());
}

TEST_P(Sweep, FactorsWithBlocks) {
    constexpr std::array factors = {0.0, 1.0, -1.0, 2.0, -3.0};
    for (const core::signature* types : offered())
        for (const auto& [m, n, k] :
             {size{1, 1, 1}, {3, 5, 2}, {9, 25, 7}, {17, 49, 33}, {25, 97, 10}})
            for (const double alpha : factors)
                for (const double beta : factors) {
                    product_case x = plain_case(entry(), *types, m, n, k);
                    x.p.alpha = alpha;
                    x.p.beta = beta;
                    run_with_blocks(x, 16);
                }
    expect_executed(5 * 5 * 5 * types());
}

// Sizes around the tiles and blocks of the ladder's steps for a matrix unit.
TEST_P(Sweep, TilesOfAMatrixUnit) {
    if (entry().name.find("ladder.amx") == std::string_view::npos)
        GTEST_SKIP() << "has no such tiles";
    constexpr size sizes[] = {size{1, 1, 1}, {16, 16, 32},     {31, 33, 31},   {32, 32, 32},
                              {33, 31, 33},  {64, 96, 512},    {65, 97, 513},  {300, 200, 1100},
                              {5, 4200, 70}, {150, 1100, 600}, {40, 80, 2100}, {1100, 1120, 40},
                              {4, 4, 0}};
    for (const core::signature* types : offered())
        for (const auto& [m, n, k] : sizes)
            for (const int layouts : {0, 1, 2, 3})
                for (const int threads : {1, 3}) {
                    product_case x = plain_case(entry(), *types, m, n, k);
                    if (layouts == 1) x.p.a_layout = core::column_major(m + 1);
                    if (layouts == 2) x.p.b_layout = core::column_major(k + 3);
                    if (layouts == 3) x.p.c_layout = core::column_major(m + 2);
                    x.p.alpha = executed_ % 3 == 0 ? 1 : 2;
                    x.p.beta = executed_ % 2 == 0 ? 0 : -1;
                    x.how.threads = threads;
                    run(x);
                }
    expect_executed(static_cast<int>(std::size(sizes)) * 4 * 2 * types());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Sweep, testing::ValuesIn(own_entries()), test::as_printed);

}  // namespace

}  // namespace carat::test
