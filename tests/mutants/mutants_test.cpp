// Verification against wrong kernels: every one must be caught, whatever it spoils, how and when.
// `carat_test_mutants --seed=7 --mutants=1000 --size=2000` draws others, more and larger ones.
#include <array>
#include <gtest/gtest.h>

#include "harness.hpp"

namespace carat::mutants {
namespace {

constexpr core::signature types[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"},
                                     {dtype::f32, dtype::f32, dtype::f32, "f32"},
                                     {dtype::f16, dtype::f16, dtype::f32, "f32"},
                                     {dtype::bf16, dtype::bf16, dtype::f32, "f32"},
                                     {dtype::e4m3, dtype::e4m3, dtype::f32, "fp8/f32"},
                                     {dtype::e5m2, dtype::e4m3, dtype::f32, "fp8/14-bit"},
                                     {dtype::i32, dtype::i32, dtype::i32, "i32"},
                                     {dtype::i8, dtype::i8, dtype::i32, "i32"}};

std::unique_ptr<core::runnable> prepare(const core::problem& p, const core::settings& s) {
    return make_product(p, chosen(s));
}

TEST(mutants, are_all_caught) {
    const core::implementation kernel{.name = "test.kernel",
                                      .summary = "",
                                      .signatures = types,
                                      .tunables = tunables(),
                                      .prepare = prepare};
    const auto [seed, wanted, size] = asked();
    std::mt19937_64 random(seed);
    score all;
    const auto cases = static_cast<std::int64_t>(std::size(types));
    for (std::int64_t i = 0; i < cases; ++i) {
        const auto side = [&, least = size] {
            return least + static_cast<std::int64_t>(random() % 64);
        };
        const session::shape shape{side(), side(), side()};
        const std::int64_t count = wanted * (i + 1) / cases - wanted * i / cases;
        all.add(run(kernel, types[i].a, shape, count, random));
    }
    tell(all, "at sizes from " + std::to_string(size));
    EXPECT_EQ(all.mutants, wanted);
    EXPECT_EQ(all.caught, all.mutants);
}

}  // namespace
}  // namespace carat::mutants
