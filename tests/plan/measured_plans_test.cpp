// How the plans compare with the fastest that were measured, over all shapes that were.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/plan/gemm_case.hpp"

namespace {

using namespace carat;
using namespace carat::test;

// CTAs that the shared memory of a measured kernel left room for: the tunable was not always there.
int ctas_per_sm(const nlohmann::json& result) {
    constexpr int of_an_sm = 228 << 10;
    return of_an_sm / (result.at("kernels").back().at("shared_bytes").get<int>() + 1024);
}

// Whether a result was measured with tunables that mean just this plan, by the names they had then.
// CTAs multicast B in persistent tiles always; in split-K they didn't yet, and single tiles' never
// A.
bool is_result_of(const nlohmann::json& result, const gemm_plan& plan) {
    const core::kernel_desc& k = *plan.kernel;
    const nlohmann::json& t = result.at("tunables");
    if (t.at("tile") != k.block_n || t.at("rows") != k.block_m || t.at("parts") != plan.split_k ||
        t.at("apart") != static_cast<int>(is_pingpong(plan)))
        return false;
    if (k.is_persistent()) return t.at("even") == 1 + static_cast<int>(k.stream_k);
    const int sharing = t.value("sharing", 0);
    return ctas_per_sm(result) == plan.ctas_per_sm && plan.cluster_n == 1 &&
           (plan.split_k > 1 ? plan.cluster_m == 1 : sharing == 0 || sharing == plan.cluster_m);
}

using results_by_shape = std::map<std::array<std::int64_t, 3>, std::vector<nlohmann::json>>;

results_by_shape results_in(const char* name) {
    const auto project = std::filesystem::path(CARAT_TEST_DATA).parent_path() / "../..";
    std::ifstream file(project / "results/h200" / name);
    EXPECT_TRUE(file) << "results/h200/" << name << " can't be read";
    results_by_shape found;
    if (!file) return found;
    const nlohmann::json all = nlohmann::json::parse(file);
    for (const auto& result : all.at("results"))
        if (result.at("dtype") == "bf16" && result.at("tunables").contains("tile"))
            found[{result.at("m"), result.at("n"), result.at("k")}].push_back(result);
    return found;
}

// Shapes of up to 32 rows were measured again, in files of their own.
results_by_shape all_results() {
    results_by_shape all = results_in("engine.json");
    std::erase_if(all, [](const auto& shape) { return shape.first[0] <= 32; });
    all.merge(results_in("parts_of_few.json"));
    all.merge(results_in("engine_few.json"));
    return all;
}

gemm_plan plan_for(const std::array<std::int64_t, 3>& shape) {
    gemm_request r = row_major(shape[0], shape[1], shape[2]);
    r.a_on_sectors = shape[2] % 16 == 0;
    r.b_on_sectors = shape[1] % 16 == 0;
    return plan_of(r);
}

// The best time over the chosen plan's; nothing where that was not measured.
std::optional<double> share_of_best(const std::vector<nlohmann::json>& results,
                                    const gemm_plan& plan) {
    double best = std::numeric_limits<double>::infinity();
    std::optional<double> chosen;
    for (const auto& result : results) {
        const double taken = result.at("median_s");
        best = std::min(best, taken);
        if (is_result_of(result, plan)) chosen = taken;
    }
    if (!chosen) return std::nullopt;
    return best / *chosen;
}

TEST(plan_gemm, takes_what_was_fastest_on_an_h200) {
    std::vector<double> shares;
    std::string slow, not_measured;
    double logarithms = 0;
    for (const auto& [shape, results] : all_results()) {
        const gemm_plan plan = plan_for(shape);
        const std::optional<double> share = share_of_best(results, plan);
        const std::string told =
            testing::PrintToString(shape) + ": " + testing::PrintToString(plan) + "\n";
        if (!share) {
            not_measured += told;
            continue;
        }
        if (*share < 0.95) slow += std::to_string(*share) + " of the best's speed at " + told;
        shares.push_back(*share);
        logarithms += std::log(*share);
    }
    EXPECT_GE(shares.size(), 12U) << "nobody measured\n" << not_measured;
    ASSERT_FALSE(shares.empty());
    std::ranges::sort(shares);
    EXPECT_GE(std::exp(logarithms / static_cast<double>(shares.size())), 0.95) << slow;
    EXPECT_GE(shares[shares.size() / 20], 0.8) << slow;
}

}  // namespace
