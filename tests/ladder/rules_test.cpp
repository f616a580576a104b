// Which types the steps take, what they refuse and what they need. tests/catalogue asks whether
// their results are right.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "ladder/cpu/table.hpp"
#include "tests/ladder/multiplication.hpp"

namespace {

using namespace carat;

template <class T>
int entries_taking() {
    return static_cast<int>(std::ranges::count_if(
        ladder::cpu::table(), [](const auto* entry) { return test::takes<T>(*entry); }));
}

TEST(types, fifteen_steps_take_reals_and_seven_of_them_integers) {
    EXPECT_EQ(entries_taking<double>(), 15);
    EXPECT_EQ(entries_taking<float>(), 15);
    EXPECT_EQ(entries_taking<std::int32_t>(), 7);
}

core::settings with_tiles(std::int64_t size) {
    return {1, {{"tile-size", size}}};
}

TEST(reasons, say_what_can_not_be_and_what_to_do) {
    int asked = 0;
    for (const rows::implementation* entry : ladder::cpu::table()) {
        auto p = core::row_major_problem(dtype::i32, 100, 50, 70);
        p.alpha = 0.5;
        if (test::takes<std::int32_t>(*entry)) {
            EXPECT_NE(rows::reason_against(*entry, p, {}).find("alpha 0.5"), std::string::npos);
            p.alpha = 1;
            p.beta = 1e10;
            EXPECT_NE(rows::reason_against(*entry, p, {}).find("not an int32"), std::string::npos);
            p.beta = -2147483648.0;
            EXPECT_EQ(rows::reason_against(*entry, p, {}), "");
        }
        p = core::row_major_problem(dtype::f64, 100, 50, 70);
        for (const core::tunable& t : entry->tunables)
            if (t.name == "tile-size") {
                EXPECT_EQ(rows::reason_against(*entry, p, with_tiles(100)), "");
                EXPECT_NE(rows::reason_against(*entry, p, with_tiles(101))
                              .find("tile-size 101 is larger than the matrix (100x50x70 f64)"),
                          std::string::npos);
                ++asked;
            }
    }
    EXPECT_EQ(asked, 8);
}

TEST(reasons, name_the_tile_registers_that_a_machine_lacks) {
    int asked = 0;
    for (const rows::implementation* entry : ladder::cpu::table()) {
        if (entry->name.find(".amx") == std::string_view::npos) continue;
        ++asked;
        const std::string why = entry->unavailable();
        EXPECT_TRUE(why.empty() || why.find("AMX tile registers") != std::string::npos) << why;
    }
    EXPECT_EQ(asked, 3);
}

}  // namespace
