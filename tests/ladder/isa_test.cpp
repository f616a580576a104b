// The instruction set that CARAT_FORCE_ISA names is the one the anatomy steps run on. The program
// is run once for each level (see CMakeLists.txt); a level this machine lacks skips all tests.
#include "core/isa.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "ladder/cpu/anatomy/dispatch.hpp"

namespace {

using namespace carat;

std::string forced() {
    const char* value = std::getenv("CARAT_FORCE_ISA");
    return value == nullptr ? "" : value;
}

bool missing_here() {
    for (const core::isa level : core::all_isas)
        if (forced() == name(level)) return level > core::best_isa();
    return false;
}

class needs_the_forced_level : public testing::Environment {
    void SetUp() override {
        if (missing_here()) GTEST_SKIP() << "this machine has no " << forced();
    }
};
const auto* const registered = testing::AddGlobalTestEnvironment(new needs_the_forced_level);

TEST(isa, the_level_in_use_is_the_one_asked_for) {
    const bool best = forced().empty() || forced() == name(core::isa::amx);  // tiles are no vectors
    const std::string wanted =
        best ? std::string(name(core::vectors_of(core::best_isa()))) : forced();
    EXPECT_EQ(ladder::cpu::level_in_use<double>().name, wanted);
    EXPECT_EQ(ladder::cpu::level_in_use<float>().name, wanted);
    const int vector_bytes = wanted == "avx512" ? 64 : wanted == "avx2" ? 32 : 16;
    EXPECT_EQ(ladder::cpu::level_in_use<double>().lanes * 8, vector_bytes);
    EXPECT_EQ(ladder::cpu::level_in_use<float>().lanes * 4, vector_bytes);
}

}  // namespace
