// Every step x element type x tunable against an exact oracle, on a GPU. Without one every test
// here is skipped, which ctest counts and names; it never counts as passed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <limits>
#include <ostream>
#include <set>
#include <vector>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/families/fma/kernel_table.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"
#include "lab/rows/cuda/table.hpp"
#include "lab/vendor/cublas/table.hpp"
#include "ladder/cuda/table.hpp"
#include "tests/cuda/sweep.hpp"
#include "tests/parameters.hpp"

namespace {

using namespace carat;

struct subject {
    const rows::implementation* entry;
    core::signature types;
    core::settings settings;
};

void PrintTo(const subject& s, std::ostream* out) {
    *out << s.entry->name;
}

std::string label(const testing::TestParamInfo<subject>& info) {
    const subject& s = info.param;
    std::string text = std::string(s.entry->name) + "_" + std::string(name(s.types.a)) + "_" +
                       std::string(name(s.types.c)) + "_in_" + std::string(s.types.computes_in);
    for (const auto& [key, value] : s.settings.tunables)
        text += "_" + key + "_" + std::to_string(value);
    return test::test_name(text);
}

// Every tile that the fma kernels have for the type.
std::vector<subject> fma_subjects(const rows::implementation& entry, const core::signature& types) {
    std::vector<subject> all;
    for (const plan::fma_way& t : cuda::fma::tiles_of(types.a)) {
        const auto turned = static_cast<int>(t.arrives);
        for (const int split_k : {1, 2, 3, 4, 8})
            all.push_back(
                {&entry,
                 types,
                 {1,
                  {{"block_m", t.m}, {"block_n", t.n}, {"split_k", split_k}, {"turned", turned}}}});
    }
    return all;
}

// Every tile that the table has for the types, as the row sums them.
std::vector<subject> tensor_core_subjects(const rows::implementation& entry,
                                          const core::signature& types) {
    const auto how = static_cast<core::gpu_arithmetic>(
        std::ranges::find(rows::cuda::table(), &entry) - rows::cuda::table().begin());
    std::set<core::tunable_values> ways;
    for (const core::kernel_desc& k : cuda::wgmma::kernel_table) {
        if (k.a_type != types.a || k.b_type != types.b ||
            k.accumulate != core::accumulation_for(how, types.a))
            continue;
        for (const int split_k : {1, 2, 4, 8})
            if (split_k <= k.most_split_k)
                ways.insert({{"block_m", k.block_m},
                             {"block_n", k.block_n},
                             {"schedule", 1 + static_cast<int>(k.schedule)},
                             {"split_k", split_k}});
    }
    std::vector<subject> all;
    for (const core::tunable_values& way : ways) all.push_back({&entry, types, {1, way}});
    return all;
}

std::vector<subject> subjects() {
    std::vector<subject> all;
    const auto add = [&](const std::vector<subject>& more) {
        all.insert(all.end(), more.begin(), more.end());
    };
    for (const rows::table rows :
         {ladder::cuda::table(), rows::cuda::table(), vendor::cublas::table()})
        for (const rows::implementation* entry : rows)
            for (const core::signature& types : entry->signatures) {
                all.push_back({entry, types, {}});
                if (entry->name.starts_with("cuda.engine")) {
                    const bool is_fma = entry->name == "cuda.engine" && size_bytes(types.a) >= 4;
                    add(is_fma ? fma_subjects(*entry, types) : tensor_core_subjects(*entry, types));
                    continue;
                }
                for (const core::tunable& t : entry->tunables)
                    for (const std::int64_t value : {1, 8, 16, 32, 64, 128})
                        if (value >= t.least && value <= t.most && value != t.initial &&
                            !(t.name == "stages" && value == 1))  // refused
                            all.push_back({entry, types, {1, {{std::string(t.name), value}}}});
            }
    return all;
}

// Steps 11 to 20 take one type, in lines of a multiple of eight elements; line_steps_test.cpp tests
// them with such lines.
bool wants_whole_chunks(const subject& s) {
    return s.entry->name.starts_with("cuda.ladder.") && s.entry->signatures.size() == 1 &&
           s.types.a == dtype::bf16;
}

// Lines padded to such a multiple where the row wants them.
core::problem as_taken_by(const subject& s, core::problem p) {
    if (!wants_whole_chunks(s)) return p;
    p.a_layout = core::row_major((p.k + 7) / 8 * 8);
    p.b_layout = p.c_layout = core::row_major((p.n + 7) / 8 * 8);
    return p;
}

// Tiles narrower than whole lines of B lack kernels for some layouts, and split-K for some k; all
// else must be taken.
bool may_refuse(const subject& s) {
    return s.entry->name.find("cublas") != std::string_view::npos ||
           s.settings.tunables.contains("block_n") || wants_whole_chunks(s);
}

class on_gpu : public testing::TestWithParam<subject> {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        const subject& s = GetParam();
        if (s.entry->unavailable != nullptr)
            if (const std::string why = s.entry->unavailable(); !why.empty())
                GTEST_SKIP() << s.entry->name << ": " << why;
    }
};

TEST_P(on_gpu, is_exact_on_whole_numbers_in_every_shape_and_layout) {
    const subject& s = GetParam();
    std::size_t ran = 0;
    std::size_t refused = 0;
    const auto all = test::trials(s.types);
    for (const test::trial& t : all) {
        const std::string why = reason_against(*s.entry, t.p, s.settings);
        if (!why.empty() || (wants_whole_chunks(s) && t.offset != 0)) {
            ++refused;
            EXPECT_TRUE(may_refuse(s)) << "it takes everything, but: " << why;
            continue;
        }
        const std::string wrong = test::check(*s.entry, s.settings, t);
        ASSERT_EQ(wrong, "") << "after " << ran << " right ones";
        ++ran;
    }
    EXPECT_EQ(ran + refused, all.size());
    // fp8 runs if A and B are K-major, and if there is nothing to multiply.
    const std::size_t part = wants_whole_chunks(s)                ? 50
                             : is_fp8(s.types.a) || may_refuse(s) ? 8
                                                                  : 5;
    EXPECT_GE(ran, all.size() / part);
    RecordProperty("trials", static_cast<int>(ran));
}

bool has_nan(dtype type) {
    return type != dtype::i32 && type != dtype::i8;
}

TEST_P(on_gpu, passes_on_what_is_not_a_number_to_its_row_and_column_alone) {
    const subject& s = GetParam();
    if (!has_nan(s.types.c)) GTEST_SKIP() << "integers are always numbers";
    int ran = 0;
    // Some steps refuse rows of C that don't end at multiples of 16 bytes: 29 makes 32 columns.
    for (const std::int64_t size : {29, 33, 130}) {
        test::trial t;
        t.p = core::row_major_problem(s.types.c, size, size + 3, size - 2);
        t.p.a_type = s.types.a;
        t.p.b_type = s.types.b;
        if (is_fp8(s.types.a)) t.p = test::along_k_problem(s.types, size / 16 * 16, 48, 144);
        t.p = as_taken_by(s, t.p);
        const auto& [m, n, k] = std::tuple(t.p.m, t.p.n, t.p.k);
        if (!reason_against(*s.entry, t.p, s.settings).empty()) continue;
        test::operand_set data(t.p, 0);
        data.a.fill('a');
        data.b.fill('b');
        // Puts NaN and infinity in the last row and column, next to the zeros that pad tiles.
        data.a.set(m - 1, k - 1, std::numeric_limits<double>::quiet_NaN());
        data.b.set(k - 1, n - 1, std::numeric_limits<double>::infinity());
        data.a.set(0, k - 1, 0);  // 0 x Inf is not a number
        test::run_on_device(*s.entry, t.p, s.settings, data);
        int wrong = 0;
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                const double c = data.c.get(i, j);
                if (i == m - 1 || (j == n - 1 && i == 0))
                    wrong += std::isnan(c) ? 0 : 1;
                else if (j != n - 1)
                    wrong += std::isfinite(c) ? 0 : 1;
            }
        EXPECT_EQ(wrong, 0) << "of " << m * n << " elements, in a product of " << describe(t.p);
        ++ran;
    }
    EXPECT_GE(ran, 1);
}

double unit_roundoff(std::string_view precision) {
    if (precision == "f64") return 0x1p-53;
    if (precision == "f32") return 0x1p-24;
    if (precision == "bf16") return 0x1p-8;
    if (precision.starts_with("fp8/")) return 0x1p-13;
    if (precision == "3xtf32") return 0x1p-23;
    return 0x1p-11;  // tf32, f16
}

// The error of splitting an operand, and the product of two small parts.
double lost_before(std::string_view precision) {
    return precision == "3xtf32" ? 0x1p-20 : 0;
}

double roundoff_of(dtype type) {
    if (type == dtype::f64) return 0x1p-53;
    if (type == dtype::f32) return 0x1p-24;
    return type == dtype::f16 ? 0x1p-11 : 0x1p-8;
}

// |C - Cref| <= (k + 2) u |A||B| + one rounding to C's type for random reals, with u of the
// precision that the row states; tf32 and f16 must exceed f32's bound.
TEST_P(on_gpu, keeps_the_bound_of_the_precision_it_names) {
    const subject& s = GetParam();
    if (!has_nan(s.types.c)) GTEST_SKIP() << "integers are exact, and tested so";
    core::problem p = core::row_major_problem(s.types.c, 70, 85, 300);
    p.a_type = s.types.a;
    p.b_type = s.types.b;
    if (is_fp8(s.types.a)) p = test::along_k_problem(s.types, 64, 96, 1024);
    p = as_taken_by(s, p);
    p.alpha = 1.5;
    p.beta = -0.75;
    if (const auto why = reason_against(*s.entry, p, s.settings); !why.empty()) GTEST_SKIP() << why;
    test::operand_set data(p, 0);
    const workload::distribution reals = workload::uniform(-1, 1);
    data.a.draw(reals, workload::operand::a);
    data.b.draw(reals, workload::operand::b);
    data.c.draw(reals, workload::operand::c);
    const test::operand_set before = data;
    test::run_on_device(*s.entry, p, s.settings, data);

    const double u = unit_roundoff(s.types.computes_in);
    const test::sums product(before.a.source(), before.b.source());
    double worst = 0;         // error over bound
    double worst_as_f32 = 0;  // error over the bound f32 would keep
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j) {
            const double c = p.beta * before.c.get(i, j);
            const double expected = p.alpha * product(i, j) + c;
            const double scale = p.alpha * product.magnitude(i, j) + std::fabs(c);
            const double error = std::fabs(data.c.get(i, j) - expected);
            const double narrowing = roundoff_of(s.types.c) * std::fabs(expected);
            const bool promoted = s.types.computes_in.starts_with("fp8/f32");
            const auto terms = static_cast<double>(promoted ? 128 + 2 : p.k + 2);
            const double allowed = terms * u + lost_before(s.types.computes_in) + 1e-13;
            worst = std::max(worst, error / (allowed * scale + narrowing));
            worst_as_f32 = std::max(worst_as_f32, error / (0x1p-24 * 20 * scale));
        }
    EXPECT_LE(worst, 1);
    // The fastest of a vendor's kernels may be a more precise one.
    const bool may_be_better = s.entry->name.ends_with("_best");
    if (s.types.c == dtype::f32 && u > 0x1p-23 && !may_be_better) {
        EXPECT_GT(worst_as_f32, 1) << "better than it says";
    }
}

// Sums of positive numbers, all of whose truncations go the same way.
double worst_relative_error(const rows::implementation& entry, const core::problem& p,
                            const test::sums& exact, test::operand_set& data) {
    test::run_on_device(entry, p, {}, data);
    double worst = 0;
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j)
            worst = std::max(worst, std::fabs(data.c.get(i, j) - exact(i, j)) / exact(i, j));
    return worst;
}

TEST(three_products_of_halves, err_no_more_than_cublas_does_in_f32) {
    const auto named = [](const rows::table& rows, std::string_view name) {
        for (const rows::implementation* entry : rows)
            if (entry->name == name) return entry;
        return static_cast<const rows::implementation*>(nullptr);
    };
    const auto* const own = named(rows::cuda::table(), "cuda.engine.3xtf32");
    const auto* const theirs = named(vendor::cublas::table(), "vendor.cublas");
    if (own == nullptr || theirs == nullptr) GTEST_SKIP() << "built without CUDA";
    for (const std::int64_t k : {64, 1024, 4096}) {
        const core::problem p = core::row_major_problem(dtype::f32, 96, 128, k);
        for (const auto* const entry : {own, theirs})
            if (const auto why = reason_against(*entry, p, {}); !why.empty()) GTEST_SKIP() << why;
        test::operand_set data(p, 0);
        data.a.draw(workload::uniform(0, 1), workload::operand::a);
        data.b.draw(workload::uniform(0, 1), workload::operand::b);
        const test::sums exact(data.a.source(), data.b.source());
        const double f32 = worst_relative_error(*theirs, p, exact, data);
        const double halves = worst_relative_error(*own, p, exact, data);
        std::printf("K = %d: worst relative error %.3g in f32, %.3g in halves\n",
                    static_cast<int>(k), f32, halves);
        EXPECT_LE(halves, std::max(f32, 0x1p-21)) << k;
    }
}

TEST_P(on_gpu, says_what_its_kernels_take) {
    const subject& s = GetParam();
    core::problem p = core::row_major_problem(s.types.c, 64, 64, 64);
    p.a_type = s.types.a;
    p.b_type = s.types.b;
    if (s.entry->name.find("cublas") != std::string_view::npos) GTEST_SKIP() << "not our kernels";
    const auto kernels = s.entry->prepare(p, s.settings)->kernels();
    ASSERT_FALSE(kernels.empty());
    for (const core::kernel_facts& k : kernels) {
        EXPECT_GT(k.registers, 0) << k.name;
        EXPECT_EQ(k.local_bytes, 0) << k.name << " spills";
        EXPECT_GT(k.occupancy, 0) << k.name;
        EXPECT_LE(k.occupancy, 1) << k.name;
    }
}

INSTANTIATE_TEST_SUITE_P(cuda, on_gpu, testing::ValuesIn(subjects()), label);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(on_gpu);

}  // namespace
