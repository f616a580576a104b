// Random shapes, strides, places, factors, data, threads and tunables for every entry.
#include <set>

#include "entries.hpp"

namespace carat::test {

namespace {

TEST_P(Entry, RandomProducts) {
    std::set<int> threads;
    std::set<special_value> specials;
    for (const core::signature* types : offered())
        for (int number = 0; number < random_cases() && !HasFailure(); ++number) {
            const product_case c = random_case(entry(), *types, static_cast<std::uint64_t>(number));
            run(c);
            threads.insert(c.how.threads);
            specials.insert(c.special);
        }
    if (HasFailure()) return;
    expect_executed(random_cases() * static_cast<int>(offered().size()));
    if (random_cases() < 100) return;
    EXPECT_EQ(static_cast<int>(threads.size()), most_threads(entry()));
    EXPECT_EQ(specials.size(), 7U);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Entry, testing::ValuesIn(all_entries()), test::as_printed);

// Rows that need no library and no particular CPU are always there, and the rest says why not.
TEST(Catalogue, OwnRowsAreAvailable) {
    int own = 0;
    for (const rows::implementation* entry : all_entries()) {
        const std::string why = entry->unavailable == nullptr ? "" : entry->unavailable();
        if (!why.empty()) std::cout << "NOT TESTED: " << entry->name << ": " << why << "\n";
        const bool needs_isa = entry->name.find(".avx") != std::string_view::npos ||
                               entry->name.find(".amx") != std::string_view::npos ||
                               entry->name.ends_with(".f16_sums");
        if (!entry->name.starts_with("cpu.") || needs_isa) continue;
        EXPECT_EQ(why, "") << entry->name;
        ++own;
    }
    EXPECT_GE(own, 9) << "the ladder's steps and the engine";
}

}  // namespace

}  // namespace carat::test
