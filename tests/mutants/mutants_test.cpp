// Verification against wrong kernels: every one must be caught, whatever it spoils, how and when.
// `carat_test_mutants --seed=7 --mutants=1000 --size=2000` draws others, more and larger ones.
#include <gtest/gtest.h>

#include "harness.hpp"

namespace carat::mutants {
namespace {

TEST(mutants, are_all_caught) {
    constexpr std::int64_t sizes[] = {300};
    expect_all_caught(
        rows::device::cpu,
        [](const core::problem& p, const core::settings& s) { return make_product(p, chosen(s)); },
        sizes);
}

}  // namespace
}  // namespace carat::mutants
