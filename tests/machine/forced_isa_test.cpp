// Run once for each value of CARAT_FORCE_ISA, see CMakeLists.txt: the level took, or was refused
// because the machine lacks it.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <carat/error.hpp>

#include "lab/machine/description.hpp"

namespace carat::machine {
namespace {

TEST(forced_isa, is_the_one_in_use_or_refused) {
    const char* forced = std::getenv("CARAT_FORCE_ISA");
    if (forced == nullptr) {
        EXPECT_EQ(describe().isa_in_use, core::best_isa());
        return;
    }
    const auto wanted = std::find_if(core::all_isas.begin(), core::all_isas.end(),
                                     [&](core::isa level) { return core::name(level) == forced; });
    ASSERT_NE(wanted, core::all_isas.end());
    if (!core::has(*wanted)) {
        EXPECT_THROW((void)describe(), error);
        return;
    }
    EXPECT_EQ(to_json(describe())["isa_in_use"], forced);
    EXPECT_EQ(core::name(core::isa_in_use()), forced);
}

}  // namespace
}  // namespace carat::machine
