// The measuring kernels do the work they are credited with, on every level this machine has.
#include "lab/machine/kernels.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>
#include <string>

namespace carat::machine {
namespace {

struct alignas(64) aligned_memory {
    std::byte bytes[16384];
};

TEST(kernels, compute_what_their_form_says) {
    int checked = 0;
    for (const auto& [level, kernel] : compute_kernels())
        for (const std::int64_t steps : {0, 1, 2, 6}) {
            EXPECT_TRUE(computes_right(*kernel, steps))
                << kernel->unit << " " << name(kernel->operand) << ", " << steps << " steps";
            ++checked;
        }
    EXPECT_EQ(checked, 4 * static_cast<int>(compute_kernels().size()));
}

// A kernel that skips a step or a chain must not pass.
TEST(kernels, check_notices_missing_work) {
    static const compute_kernel honest = *compute_kernels().front().kernel;
    compute_kernel lazy = honest;
    lazy.run = [](std::int64_t steps, void* state) { honest.run(steps - 1, state); };
    EXPECT_FALSE(computes_right(lazy, 6));

    compute_kernel forgetful = honest;
    forgetful.run = [](std::int64_t steps, void* state) {
        std::byte kept[16];
        auto* last = static_cast<std::byte*>(state) + state_bytes(honest) - sizeof kept;
        std::memcpy(kept, last, sizeof kept);
        honest.run(steps, state);
        std::memcpy(last, kept, sizeof kept);
    };
    EXPECT_FALSE(computes_right(forgetful, 6));
}

// c x + y with c x = 1 - u^2: rounded twice it is 0, fused it is -u^2.
template <class T>
T one_rounding(const compute_kernel& kernel) {
    aligned_memory state{};
    auto* values = reinterpret_cast<T*>(state.bytes);
    const T u = std::numeric_limits<T>::epsilon();
    std::fill_n(values, kernel.lanes, 1 + u);
    std::fill_n(values + kernel.lanes, kernel.lanes, T{-1});
    std::fill_n(values + 2 * kernel.lanes, kernel.lanes * kernel.chains, 1 - u);
    kernel.run(1, state.bytes);
    return values[2 * kernel.lanes];
}

TEST(kernels, called_fma_round_once) {
    int fused = 0;
    for (const auto& [level, kernel] : compute_kernels()) {
        const std::string unit = kernel->unit;
        if (kernel->operand == dtype::f64) {
            EXPECT_EQ(one_rounding<double>(*kernel) != 0, unit.ends_with("fma")) << unit;
            fused += unit.ends_with("fma");
        } else if (kernel->operand == dtype::f32) {
            EXPECT_EQ(one_rounding<float>(*kernel) != 0, unit.ends_with("fma")) << unit;
            fused += unit.ends_with("fma");
        }
    }
#if defined(__x86_64__)
    EXPECT_EQ(fused, 2 * static_cast<int>(core::vectors_of(core::best_isa())));
#else
    EXPECT_GE(fused, 2);
#endif
}

TEST(kernels, every_level_has_f64_and_f32) {
    std::set<std::pair<core::isa, dtype>> seen;
    for (const auto& [level, kernel] : compute_kernels()) seen.insert({level, kernel->operand});
    for (const core::isa level : core::all_isas) {
        if (!core::has(level) || core::vectors_of(level) != level) continue;
        EXPECT_TRUE(seen.contains({level, dtype::f64})) << core::name(level);
        EXPECT_TRUE(seen.contains({level, dtype::f32})) << core::name(level);
    }
}

// 24 chains of 8 lanes, each one multiplication and one addition; 6 tiles of 16 x 16 x (16 x 4).
TEST(kernels, count_their_operations) {
    compute_kernel kernel{};
    kernel.lanes = 8;
    kernel.chains = 24;
    kernel.depth = 1;
    EXPECT_EQ(operations_per_step(kernel), 384);
    kernel.form = arithmetic::tile;
    kernel.lanes = 256;
    kernel.chains = 6;
    kernel.depth = 4;
    EXPECT_EQ(operations_per_step(kernel), 2 * 16 * 16 * 64 * 6);
}

TEST(kernels, read_every_word_on_every_pass) {
    alignas(64) static std::uint64_t words[1024];
    std::iota(std::begin(words), std::end(words), std::uint64_t{1} << 60);
    const auto sum = std::accumulate(std::begin(words), std::end(words), std::uint64_t{0});
    int levels = 0;
    for (const core::isa level : core::all_isas) {
        if (!core::has(level)) continue;
        EXPECT_EQ(reader(level)(words, sizeof words, 1), sum) << core::name(level);
        EXPECT_EQ(reader(level)(words, sizeof words, 3), 3 * sum) << core::name(level);
        EXPECT_EQ(reader(level)(words, 1024, 1),
                  std::accumulate(words, words + 128, std::uint64_t{0}));
        ++levels;
    }
    EXPECT_EQ(levels, std::ranges::count_if(core::all_isas, core::has));
}

}  // namespace
}  // namespace carat::machine
