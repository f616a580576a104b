// Working sets of all relevant sizes, and how much of them is read at once.
#include "lab/machine/plan.hpp"

#include <gtest/gtest.h>
#include <set>

#include "tests/machine/sample_machine.hpp"

namespace carat::machine {
namespace {

std::vector<read_task> of_threads(const description& machine, int threads) {
    std::vector<read_task> own;
    for (const read_task& task : plan_reading(machine, {threads}))
        if (task.threads == threads) own.push_back(task);
    return own;
}

TEST(plan, sizes_go_from_half_of_l1_to_several_times_the_last_cache) {
    for (const int threads : {1, 2, 4}) {
        const auto tasks = of_threads(sample_machine(), threads);
        EXPECT_EQ(tasks.front().bytes, 16 << 10);
        EXPECT_EQ(tasks.back().bytes, (128 << 20) / threads);  // of 8 MiB for all
        for (std::size_t i = 1; i < tasks.size(); ++i) {
            EXPECT_GT(tasks[i].bytes, tasks[i - 1].bytes);
            EXPECT_LE(tasks[i].bytes, 2 * tasks[i - 1].bytes + 4096);
        }
    }
}

TEST(plan, large_caches_need_larger_sets_and_small_memory_bounds_them) {
    description machine = sample_machine();
    machine.caches[3].size_bytes = 256 << 20;
    EXPECT_EQ(of_threads(machine, 1).back().bytes, std::int64_t{1} << 30);
    EXPECT_EQ(of_threads(machine, 4).back().bytes, std::int64_t{1} << 28);
    machine.memory_bytes = std::int64_t{2} << 30;
    EXPECT_EQ(of_threads(machine, 1).back().bytes, std::int64_t{256} << 20);
}

// A set that a cache might hold is read whole, so that it is there when it is read again.
TEST(plan, only_what_no_cache_holds_is_read_in_slices) {
    for (const read_task& task : plan_reading(sample_machine()))
        EXPECT_EQ(task.in_slices, task.bytes > (64 << 20) / task.threads) << task.bytes;
}

TEST(plan, unknown_caches_have_a_curve_too) {
    description machine = sample_machine();
    machine.caches.clear();
    const auto tasks = of_threads(machine, 1);
    EXPECT_EQ(tasks.front().bytes, 16 << 10);
    EXPECT_EQ(tasks.back().bytes, 128 << 20);
}

// Omitting a part of a set that must not fit a cache may make it fit.
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
}

TEST(plan, other_numbers_of_threads_are_measured_on_request) {
    const description machine = sample_machine();
    const auto counts = [&](const std::vector<int>& others) {
        std::set<int> found;
        for (const compute_task& task : plan_measurement(machine, others).compute)
            found.insert(task.threads);
        return found;
    };
    EXPECT_EQ(counts({}), (std::set{1, 4}));
    EXPECT_EQ(counts({3, 1, 3}), (std::set{1, 3, 4}));
    EXPECT_EQ(counts({64}), (std::set{1, 4}));  // no more than there are cores
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
