// The instruction set that CARAT_FORCE_ISA names is the one the anatomy steps run on. The program
// is run once for each level (see CMakeLists.txt).
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

TEST(isa, the_level_in_use_is_the_one_asked_for) {
    const bool best = forced().empty() || forced() == name(core::isa::amx);  // tiles are no vectors
#if defined(__x86_64__)
    const std::string wanted =
        best ? std::string(name(core::vectors_of(core::best_isa()))) : forced();
#else
    (void)best;
    const std::string wanted = "baseline";  // the ladder has no other there
#endif
    EXPECT_EQ(ladder::cpu::level_in_use<double>().name, wanted);
    EXPECT_EQ(ladder::cpu::level_in_use<float>().name, wanted);
    const int vector_bytes = wanted == "avx512" ? 64 : wanted == "avx2" ? 32 : 16;
    EXPECT_EQ(ladder::cpu::level_in_use<double>().lanes * 8, vector_bytes);
    EXPECT_EQ(ladder::cpu::level_in_use<float>().lanes * 4, vector_bytes);
}

}  // namespace
