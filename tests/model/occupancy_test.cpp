// Blocks on a multiprocessor, against what the driver said of every kernel in the results of an
// H200.
#include "lab/model/occupancy.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace carat::model {
namespace {

multiprocessor described(const nlohmann::json& gpu) {
    multiprocessor found;
    found.threads = gpu["threads_per_multiprocessor"];
    found.registers = gpu["registers_per_multiprocessor"];
    found.shared_bytes = gpu["shared_bytes_per_multiprocessor"];
    found.shared_bytes_per_block = gpu["shared_bytes_per_block"];
    return found;
}

TEST(Occupancy, IsTheDriversForEveryKernelMeasured) {
    std::set<std::string> seen;
    for (const auto& file : std::filesystem::directory_iterator(CARAT_RESULTS "/h200")) {
        std::ifstream in(file.path());
        const auto results = nlohmann::json::parse(in);
        if (!results.contains("results")) continue;
        const multiprocessor on = described(results["machine"]["gpus"][0]);
        for (const auto& result : results["results"]) {
            if (!result.contains("kernels")) continue;
            for (const auto& k : result["kernels"]) {
                const block_needs needs{k["threads"], k["registers"], k["shared_bytes"]};
                EXPECT_DOUBLE_EQ(residency_of(needs, on).occupancy, k["occupancy"]) << k.dump();
                seen.insert(k.dump());
            }
        }
    }
    EXPECT_GE(seen.size(), 30U);
}

TEST(Occupancy, NamesWhatEndsFirst) {
    const multiprocessor sm;
    EXPECT_EQ(residency_of({1024, 32, 8192}, sm).limit, "threads");
    EXPECT_EQ(residency_of({32, 16, 0}, sm).limit, "blocks");
    EXPECT_EQ(residency_of({256, 128, 8192}, sm).limit, "registers");
    EXPECT_EQ(residency_of({128, 32, 100000}, sm).limit, "shared memory");
    EXPECT_EQ(residency_of({128, 32, 300000}, sm).blocks, 0);
    EXPECT_EQ(residency_of({1024, 255, 0}, sm).blocks, 0);
}

TEST(GpuTile, IsTheLaddersKernels) {
    const gpu_tile small = gpu_tile_of(32, 4);
    EXPECT_EQ(small.needs.threads, 1024);
    EXPECT_EQ(small.needs.shared_bytes, 8192);
    EXPECT_EQ(residency_of(small.needs, {}).blocks, 2);
    const gpu_tile large = gpu_tile_of(128, 4);
    EXPECT_EQ(large.needs.threads, 256);
    EXPECT_EQ(large.needs.shared_bytes, 16448);
    EXPECT_EQ(large.shared_reads, 0.25);
    EXPECT_EQ(gpu_tile_of(128, 8).needs.shared_bytes, 32896);
    EXPECT_EQ(gpu_tile_of(64, 4).needs.shared_bytes, 8256);
}

}  // namespace
}  // namespace carat::model
