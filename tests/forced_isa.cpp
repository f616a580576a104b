// Linked into programs that run once for each value of CARAT_FORCE_ISA (carat_add_isa_levels in
// CMakeLists.txt): skips all tests on a machine that lacks the level. Otherwise the first product
// would end the program, and CTest counts a killed program as failed. The machine's best level is
// that of the same tests without the variable, so they are not repeated.
#include <cstdlib>
#include <gtest/gtest.h>

#include "core/isa.hpp"

namespace {

using namespace carat;

class needs_the_forced_level : public testing::Environment {
    void SetUp() override {
        const char* forced = std::getenv("CARAT_FORCE_ISA");
        if (forced == nullptr) return;
        for (const core::isa level : core::all_isas)
            if (forced == name(level) && !core::has(level))
                GTEST_SKIP() << "this machine has no " << forced;
        if (forced == name(core::best_isa()))
            GTEST_SKIP() << "the tests without CARAT_FORCE_ISA run with " << forced;
    }
};
const auto* const registered = testing::AddGlobalTestEnvironment(new needs_the_forced_level);

}  // namespace
