// Working sets lie in the level they measure and in no smaller one.
#include "lab/machine/plan.hpp"

#include <gtest/gtest.h>

#include "tests/machine/sample_machine.hpp"

namespace carat::machine {
namespace {

std::int64_t bytes_of(const std::vector<read_task>& tasks, const std::string& level, int threads) {
    for (const read_task& task : tasks)
        if (task.level == level && task.threads == threads) return task.bytes;
    return -1;
}

TEST(plan, halves_each_level_and_goes_beyond_the_last) {
    const auto tasks = plan_reading(sample_machine());
    EXPECT_EQ(tasks.size(), 8u);
    EXPECT_EQ(bytes_of(tasks, "L1", 1), 16 << 10);
    EXPECT_EQ(bytes_of(tasks, "L2", 1), 256 << 10);
    EXPECT_EQ(bytes_of(tasks, "L3", 1), 4 << 20);
    EXPECT_EQ(bytes_of(tasks, "DRAM", 1), 128 << 20);
    EXPECT_EQ(bytes_of(tasks, "L1", 4), 16 << 10);
    // A quarter of L3 is 2 MiB, half of that still twice of L2.
    EXPECT_EQ(bytes_of(tasks, "L3", 4), 1 << 20);
    EXPECT_EQ(bytes_of(tasks, "DRAM", 4), 32 << 20);
}

TEST(plan, small_share_of_l3_still_leaves_l2) {
    description machine = sample_machine();
    machine.caches[2].size_bytes = 2 << 20;
    const auto tasks = plan_reading(machine);
    EXPECT_EQ(bytes_of(tasks, "L3", 1), 4 << 20);
    EXPECT_EQ(bytes_of(tasks, "L3", 4), (2 << 20) + (1 << 20));
}

TEST(plan, large_caches_need_more_dram_and_small_memory_leaves_it_out) {
    description machine = sample_machine();
    machine.caches[3].size_bytes = 256 << 20;
    EXPECT_EQ(bytes_of(plan_reading(machine), "DRAM", 1), std::int64_t{1} << 30);
    machine.memory_bytes = std::int64_t{6} << 30;  // an eighth is 768 MiB: three times L3
    EXPECT_EQ(bytes_of(plan_reading(machine), "DRAM", 1), std::int64_t{768} << 20);
    machine.memory_bytes = std::int64_t{2} << 30;
    EXPECT_EQ(bytes_of(plan_reading(machine), "DRAM", 1), -1);
}

TEST(plan, unknown_caches_are_not_measured) {
    description machine = sample_machine();
    machine.caches.clear();
    const auto tasks = plan_reading(machine);
    ASSERT_EQ(tasks.size(), 2u);
    EXPECT_EQ(tasks[0].level, "DRAM");
    EXPECT_EQ(tasks[0].bytes, 128 << 20);
}

// What is left out of a set that shall not fit a cache may make it fit.
TEST(plan, slices_make_up_the_working_set) {
    for (const std::int64_t bytes :
         {std::int64_t{4096}, std::int64_t{16} << 20, (std::int64_t{16} << 20) + 4096,
          std::int64_t{31} << 20, (std::int64_t{48} << 20) - 4096, std::int64_t{1} << 30}) {
        const std::int64_t slice = slice_bytes(bytes);
        EXPECT_EQ(slice % 4096, 0) << bytes;
        EXPECT_LE(slice, 16 << 20) << bytes;
        EXPECT_LE(bytes % slice, bytes / 64) << bytes;
    }
}

TEST(plan, one_core_is_measured_once) {
    description machine = sample_machine();
    machine.cores = 1;
    for (const read_task& task : plan_reading(machine)) EXPECT_EQ(task.threads, 1);
    for (const compute_task& task : plan_measurement(machine).compute) EXPECT_EQ(task.threads, 1);
    EXPECT_EQ(plan_reading(machine).size(), 4u);
}

TEST(plan, sharing_counts_cores_not_hardware_threads) {
    const description machine = sample_machine();
    EXPECT_EQ(sharing_cores(machine, machine.caches[0], 4), 1);
    EXPECT_EQ(sharing_cores(machine, machine.caches[3], 4), 4);
    EXPECT_EQ(sharing_cores(machine, machine.caches[3], 1), 1);
    const cache unknown = {3, "unified", 1 << 20, 0, 0, 0};
    EXPECT_EQ(sharing_cores(machine, unknown, 3), 3);
}

}  // namespace
}  // namespace carat::machine
