// Limits of control groups, version 1 and 2, from sample files.
#include "core/control_group.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "lab/machine/sources.hpp"
#include "tests/machine/sample_machine.hpp"

namespace carat::machine {
namespace {

TEST(control_group, version_2_takes_the_tightest_of_all_ancestors) {
    const scratch_folder root;
    root.write("proc/self/cgroup", "0::/pod/job\n");
    root.write("sys/fs/cgroup/pod/job/cpu.max", "max 100000\n");
    root.write("sys/fs/cgroup/pod/cpu.max", "250000 100000\n");
    root.write("sys/fs/cgroup/cpu.max", "800000 100000\n");
    root.write("sys/fs/cgroup/pod/job/memory.max", "max\n");
    root.write("sys/fs/cgroup/pod/memory.max", "1073741824\n");
    const group_limits limits = read_group_limits(root.path());
    EXPECT_DOUBLE_EQ(limits.cpus, 2.5);
    EXPECT_EQ(limits.memory_bytes, 1 << 30);
    EXPECT_EQ(limits.memory_left_bytes, 1 << 30);  // nobody tells what is used
}

// Idle pages of files are no loss; a group beyond its limit has nothing left, which is not "all".
TEST(control_group, memory_left_is_the_least_of_all_ancestors) {
    const scratch_folder root;
    const std::string pod = "sys/fs/cgroup/pod/";
    root.write("proc/self/cgroup", "0::/pod/job\n");
    root.write(pod + "memory.max", "1000000\n");
    root.write(pod + "memory.current", "900000\n");
    root.write(pod + "memory.stat", "anon 500000\nfile 400000\ninactive_file 300000\n");
    root.write(pod + "job/memory.max", "800000\n");
    root.write(pod + "job/memory.current", "100000\n");
    EXPECT_EQ(read_group_limits(root.path()).memory_bytes, 800000);
    EXPECT_EQ(read_group_limits(root.path()).memory_left_bytes, 400000);
    root.write(pod + "job/memory.current", "900000\n");
    EXPECT_EQ(read_group_limits(root.path()).memory_left_bytes, 1);
}

// The path in a container is the host's, while the mount begins at the container's own group.
TEST(control_group, path_that_is_not_mounted_falls_back_to_the_mount) {
    const scratch_folder root;
    root.write("proc/self/cgroup", "0::/../../system.slice/docker-1.scope\n");
    root.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
    EXPECT_DOUBLE_EQ(read_group_limits(root.path()).cpus, 0.5);
}

TEST(control_group, version_1) {
    const scratch_folder root;
    root.write("proc/self/cgroup", "4:memory:/a\n2:cpu,cpuacct:/a\n1:name=systemd:/\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "50000\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    root.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    const group_limits limits = read_group_limits(root.path());
    EXPECT_DOUBLE_EQ(limits.cpus, 3);
    EXPECT_EQ(limits.memory_bytes, 0);
    EXPECT_EQ(limits.memory_left_bytes, 0);
    root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000\n");
    root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "3000000\n");
    root.write("sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 500000\n");
    EXPECT_EQ(read_group_limits(root.path()).memory_left_bytes, 1500000);
}

// Named as by some kernels; the folder's name has the other order.
TEST(control_group, controllers_mounted_together_are_found_by_their_links) {
    const scratch_folder root;
    root.write("proc/self/cgroup", "4:cpuacct,cpu:/a\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "200000\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    std::filesystem::create_directory_symlink("cpu,cpuacct", root.path() / "sys/fs/cgroup/cpu");
    EXPECT_DOUBLE_EQ(read_group_limits(root.path()).cpus, 2);
}

TEST(control_group, damaged_or_missing_files_mean_no_limit) {
    const scratch_folder root;
    EXPECT_EQ(read_group_limits(root.path()).cpus, 0);
    root.write("proc/self/cgroup", "nonsense\n0::/\n");
    root.write("sys/fs/cgroup/cpu.max", "abc 0\n");
    root.write("sys/fs/cgroup/memory.max", "-5\n");
    EXPECT_EQ(read_group_limits(root.path()).cpus, 0);
    EXPECT_EQ(read_group_limits(root.path()).memory_bytes, 0);
}

// A call uses as many threads by default. Version 2, then version 1.
TEST(control_group, threads_are_the_quota_rounded_up) {
    const scratch_folder root;
    const auto threads_in = [&](const std::string& cpu_max) {
        root.write("sys/fs/cgroup/pod/cpu.max", cpu_max);
        return core::threads_in_quota(root.path());
    };
    constexpr int unlimited = std::numeric_limits<int>::max();
    EXPECT_EQ(threads_in("100000 100000\n"), unlimited) << "of no group of this process";
    root.write("proc/self/cgroup", "0::/pod\n");
    EXPECT_EQ(threads_in("max 100000\n"), unlimited);
    EXPECT_EQ(threads_in("1000 100000\n"), 1);
    EXPECT_EQ(threads_in("100000 100000\n"), 1);
    EXPECT_EQ(threads_in("150000 100000\n"), 2);
    EXPECT_EQ(threads_in("800000 100000\n"), 8);
    EXPECT_EQ(threads_in("800001 100000\n"), 9);

    const scratch_folder older;
    older.write("proc/self/cgroup", "3:cpu,cpuacct:/pod\n");
    older.write("sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_period_us", "100000\n");
    older.write("sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(core::threads_in_quota(older.path()), unlimited);
    older.write("sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_quota_us", "350000\n");
    EXPECT_EQ(core::threads_in_quota(older.path()), 4);
}

TEST(control_group, limits_what_the_process_may_use) {
    description machine = sample_machine();
    apply(machine, {2.5, 1 << 30});
    EXPECT_EQ(machine.cores, 2);
    EXPECT_EQ(machine.core_cpus, (std::vector{0, 2}));
    EXPECT_EQ(machine.hardware_threads, 8);
    EXPECT_DOUBLE_EQ(machine.cpu_quota, 2.5);
    EXPECT_EQ(machine.memory_bytes, 1 << 30);

    description starved = sample_machine();
    apply(starved, {0.5, std::int64_t{1} << 50});
    EXPECT_EQ(starved.cores, 1);
    EXPECT_EQ(starved.memory_bytes, sample_machine().memory_bytes);

    description free = sample_machine();
    apply(free, {});
    EXPECT_EQ(free.cores, 4);
    EXPECT_EQ(free.cpu_quota, 0);
}

}  // namespace
}  // namespace carat::machine
