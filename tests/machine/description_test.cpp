// This machine described, and others: from files of another root, from hwloc's synthetic
// topologies, from registers of CPUID as the manuals give them.
#include "lab/machine/description.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/machine/affinity.hpp"
#include "lab/machine/isa_features.hpp"
#include "lab/machine/sources.hpp"
#include "tests/machine/sample_machine.hpp"

namespace carat::machine {
namespace {

TEST(description, of_this_machine_is_complete) {
    const description machine = describe();
    EXPECT_FALSE(machine.kernel.empty());
    EXPECT_GE(machine.cores, 1);
    EXPECT_GE(machine.hardware_threads, machine.cores);
    EXPECT_GE(machine.threads_per_core, 1);
    EXPECT_GT(machine.memory_bytes, 0);
    EXPECT_EQ(machine.core_cpus.size(), static_cast<std::size_t>(machine.cores));
    const std::vector<int> allowed = allowed_cpus();
    for (const int cpu : machine.core_cpus)
        EXPECT_TRUE(std::binary_search(allowed.begin(), allowed.end(), cpu)) << cpu;
    EXPECT_EQ(machine.isa_in_use, core::isa_in_use());
    EXPECT_LE(machine.isa.size(), 1 + machine::isa_features().size() + 2);
}

void expect_types(const nlohmann::json& object,
                  std::initializer_list<std::pair<const char*, nlohmann::json::value_t>> fields) {
    for (const auto& [field, type] : fields) {
        ASSERT_TRUE(object.contains(field)) << field;
        const auto met = object[field].type();
        const bool integer = type == nlohmann::json::value_t::number_integer &&
                             met == nlohmann::json::value_t::number_unsigned;
        EXPECT_TRUE(met == type || integer) << field << ": " << object[field].type_name();
    }
}

TEST(description, json_has_every_field_of_the_schema) {
    using type = nlohmann::json::value_t;
    for (const description& machine : {describe(), description{}, sample_machine()}) {
        const nlohmann::json object = to_json(machine);
        expect_types(object, {{"cpu_model", type::string},
                              {"vendor", type::string},
                              {"hypervisor", type::string},
                              {"os", type::string},
                              {"kernel", type::string},
                              {"cores", type::number_integer},
                              {"hardware_threads", type::number_integer},
                              {"numa_nodes", type::number_integer},
                              {"memory_bytes", type::number_integer},
                              {"isa", type::array},
                              {"isa_in_use", type::string},
                              {"frequency_mhz", type::object},
                              {"caches", type::array}});
        expect_types(object["frequency_mhz"],
                     {{"current", type::number_float}, {"max", type::number_float}});
        for (const auto& c : object["caches"])
            expect_types(c, {{"level", type::number_integer},
                             {"kind", type::string},
                             {"size_bytes", type::number_integer},
                             {"line_bytes", type::number_integer},
                             {"ways", type::number_integer},
                             {"shared_by", type::number_integer}});
        EXPECT_FALSE(object.contains("peaks"));
    }
    EXPECT_EQ(to_json(sample_machine())["caches"].size(), 4u);
    EXPECT_EQ(to_json(sample_machine())["isa_in_use"], "avx512");
}

TEST(description, data_cache_is_never_the_instruction_cache) {
    description machine = sample_machine();
    std::swap(machine.caches[0], machine.caches[1]);
    ASSERT_NE(data_cache(machine, 1), nullptr);
    EXPECT_EQ(data_cache(machine, 1)->kind, "data");
    EXPECT_EQ(data_cache(machine, 4), nullptr);
}

// Two cores with two threads each, of which three threads are allowed.
void write_machine(const scratch_folder& root) {
    root.write("proc/cpuinfo",
               "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 143\n"
               "model name\t: Intel(R) Xeon(R) Platinum 8481C\ncpu MHz\t\t: 2700.123\n");
    root.write("proc/meminfo", "MemTotal:       16384000 kB\nMemFree:  1 kB\n");
    root.write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
    root.write("sys/devices/system/node/online", "0-1\n");
    const std::string cpus = "sys/devices/system/cpu/cpu";
    for (int cpu = 0; cpu < 4; ++cpu)
        root.write(cpus + std::to_string(cpu) + "/topology/core_cpus_list",
                   cpu % 2 == 0 ? "0,2\n" : "1,3\n");
    root.write(cpus + "0/cpufreq/cpuinfo_max_freq", "3800000\n");
    root.write(cpus + "0/cache/index0/level", "1\n");
    root.write(cpus + "0/cache/index0/type", "Data\n");
    root.write(cpus + "0/cache/index0/size", "48K\n");
    root.write(cpus + "0/cache/index0/coherency_line_size", "64\n");
    root.write(cpus + "0/cache/index0/ways_of_associativity", "12\n");
    root.write(cpus + "0/cache/index0/shared_cpu_list", "0,2\n");
    root.write(cpus + "0/cache/index1/level", "3\n");
    root.write(cpus + "0/cache/index1/type", "Unified\n");
    root.write(cpus + "0/cache/index1/size", "105M\n");
}

TEST(files, describe_another_machine) {
    const scratch_folder root;
    write_machine(root);
    const description machine = from_files(root.path(), {0, 2, 3});
    EXPECT_EQ(machine.cpu_model, "Intel(R) Xeon(R) Platinum 8481C");
    EXPECT_EQ(machine.vendor, "GenuineIntel");
    EXPECT_EQ(machine.os, "Debian GNU/Linux 12");
    EXPECT_EQ(machine.memory_bytes, std::int64_t{16384000} * 1024);
    EXPECT_EQ(machine.numa_nodes, 2);
    EXPECT_EQ(machine.cores, 2);
    EXPECT_EQ(machine.hardware_threads, 3);
    EXPECT_EQ(machine.threads_per_core, 2);
    EXPECT_EQ(machine.core_cpus, (std::vector{0, 3}));
    EXPECT_DOUBLE_EQ(machine.frequency_current_mhz, 2700.123);
    EXPECT_DOUBLE_EQ(machine.frequency_max_mhz, 3800);
    const std::vector<cache> expected = {{1, "data", 48 << 10, 64, 12, 2},
                                         {3, "unified", std::int64_t{105} << 20, 0, 0, 0}};
    EXPECT_EQ(machine.caches, expected);
}

// A core that one thread may run on sets its limit, whatever its number: P and E cores, "favoured"
// ones that clock higher, big and little ones.
TEST(files, tell_the_fastest_cores) {
    const scratch_folder root;
    const std::string cpus = "sys/devices/system/cpu/cpu";
    const char* const most_khz[] = {"4300000", "5500000", "5800000", "5500000"};
    for (int cpu = 0; cpu < 4; ++cpu)
        root.write(cpus + std::to_string(cpu) + "/cpufreq/cpuinfo_max_freq", most_khz[cpu]);
    EXPECT_EQ(fastest_first({0, 1, 2, 3}, root.path()), (cpu_list{2, 1, 3, 0}));
    EXPECT_TRUE(of_several_kinds({0, 1, 2, 3}, root.path()));
    EXPECT_FALSE(of_several_kinds({1, 2, 3}, root.path()));  // one of them is but favoured
    // What a core does at its clock counts first: 1024 is that of the best.
    const char* const capacities[] = {"1024", "446", "446", "1024"};
    for (int cpu = 0; cpu < 4; ++cpu)
        root.write(cpus + std::to_string(cpu) + "/cpu_capacity", capacities[cpu]);
    EXPECT_EQ(fastest_first({0, 1, 2, 3}, root.path()), (cpu_list{3, 0, 2, 1}));
    EXPECT_FALSE(of_several_kinds({0, 3}, root.path().string() + "/none"));
    EXPECT_TRUE(of_several_kinds({1, 3}, root.path()));
    EXPECT_EQ(fastest_first({7, 5, 6}, root.path()), (cpu_list{7, 5, 6}));  // nobody tells
    EXPECT_FALSE(of_several_kinds({7, 5, 6}, root.path()));
    EXPECT_FALSE(of_several_kinds({}, root.path()));

    root.write(cpus + "0/cache/index0/level", "2\n");
    root.write(cpus + "0/cache/index0/size", "512K\n");
    root.write(cpus + "3/cache/index0/level", "2\n");
    root.write(cpus + "3/cache/index0/size", "2048K\n");
    const description machine = from_files(root.path(), {3, 0});
    EXPECT_EQ(machine.core_cpus, (std::vector{3, 0}));
    EXPECT_EQ(machine.caches.front().size_bytes, 2 << 20);
    EXPECT_EQ(machine.frequency_max_mhz, 5500);
}

TEST(files, of_an_empty_root_say_nothing_and_do_not_fail) {
    const scratch_folder root;
    const description machine = from_files(root.path(), {5});
    EXPECT_EQ(machine.cpu_model, "");
    EXPECT_EQ(machine.memory_bytes, 0);
    EXPECT_EQ(machine.numa_nodes, 0);
    EXPECT_TRUE(machine.caches.empty());
    EXPECT_EQ(machine.core_cpus, (std::vector{5}));
    EXPECT_EQ(from_files(root.path(), {}).cores, 0);
}

TEST(files, cpu_lists) {
    EXPECT_EQ(parse_cpu_list("0-3,8"), (cpu_list{0, 1, 2, 3, 8}));
    EXPECT_EQ(parse_cpu_list("7\n"), (cpu_list{7}));
    EXPECT_EQ(parse_cpu_list(""), (cpu_list{}));
    EXPECT_EQ(parse_cpu_list("x,-,3-1,2"), (cpu_list{2}));
}

TEST(hwloc, sees_cores_threads_and_caches_of_a_synthetic_machine) {
    const description machine = from_hwloc(
        {1, 2, 3, 8}, "numa:2 l3:1(size=8388608) l2:4(size=524288) l1d:1(size=32768) core:1 pu:2");
    EXPECT_EQ(machine.numa_nodes, 2);
    EXPECT_EQ(machine.cores, 3);
    EXPECT_EQ(machine.core_cpus, (std::vector{1, 2, 8}));
    EXPECT_EQ(machine.hardware_threads, 4);
    EXPECT_EQ(machine.threads_per_core, 2);
    ASSERT_EQ(machine.caches.size(), 3u);
    EXPECT_EQ(machine.caches[0].size_bytes, 32768);
    EXPECT_EQ(machine.caches[0].shared_by, 2);
    EXPECT_EQ(machine.caches[2].level, 3);
    EXPECT_EQ(machine.caches[2].shared_by, 8);
}

TEST(hwloc, of_nonsense_says_nothing) {
    EXPECT_EQ(from_hwloc({0}, "no such machine").cores, 0);
}

TEST(gaps, are_filled_and_nothing_else) {
    description known;
    known.vendor = "A";
    known.cores = 2;
    known.core_cpus = {0, 1};
    known.caches = {{2, "unified", 0, 64, 0, 1}};
    description more = sample_machine();
    fill_gaps(known, more);
    EXPECT_EQ(known.vendor, "A");
    EXPECT_EQ(known.cpu_model, "Sample 4000");
    EXPECT_EQ(known.core_cpus, (std::vector{0, 1}));
    ASSERT_EQ(known.caches.size(), 4u);
    const cache filled = {2, "unified", 512 << 10, 64, 8, 1};
    EXPECT_EQ(known.caches[2], filled);
}

// Leaf 4 of a Core with 48 KiB, 12 ways: eax 0xfc004121 (data, level 1, shared by 2), 64 sets.
TEST(cpuid, decodes_caches) {
    const cache l1 = {1, "data", 48 << 10, 64, 12, 2};
    EXPECT_EQ(decode_cache_leaf({0xfc004121, 0x02c0003f, 63, 0}), l1);
    const cache l3 = {3, "unified", 32 << 20, 64, 16, 16};
    EXPECT_EQ(decode_cache_leaf({0x0003c163, 0x03c0003f, 32767, 1}), l3);
    EXPECT_EQ(decode_cache_leaf({0, 0, 0, 0}).level, 0);
}

TEST(cpuid, names_hypervisors) {
    EXPECT_EQ(hypervisor_name("KVMKVMKVM"), "KVM");
    EXPECT_EQ(hypervisor_name("Microsoft Hv"), "Hyper-V");
    EXPECT_EQ(hypervisor_name("SomethingNew"), "SomethingNew");
}

}  // namespace
}  // namespace carat::machine
