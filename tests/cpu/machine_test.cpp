// The machine as it is read from a folder.
#include "cpu/machine.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using carat::cpu_engine::read_machine;
using carat::plan::machine;

class fake_cpu {
  public:
    fake_cpu() { std::filesystem::remove_all(root_); }
    ~fake_cpu() { std::filesystem::remove_all(root_); }

    void cache(int index, const char* level, const char* type, const char* size,
               const char* shared) {
        const auto folder = root_ / "cpu0/cache" / ("index" + std::to_string(index));
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "level") << level << '\n';
        std::ofstream(folder / "type") << type << '\n';
        std::ofstream(folder / "size") << size << '\n';
        std::ofstream(folder / "shared_cpu_list") << shared << '\n';
    }
    [[nodiscard]] std::string folder() const { return root_.string(); }

  private:
    std::filesystem::path root_ =
        std::filesystem::path(testing::TempDir()) / ("carat_fake_cpu_" + std::to_string(getpid()));
};

TEST(machine, caches_are_read_and_shared_ones_divided) {
    fake_cpu cpu;
    cpu.cache(0, "1", "Data", "48K", "0,8");
    cpu.cache(1, "1", "Instruction", "32K", "0,8");
    cpu.cache(2, "2", "Unified", "2048K", "0");
    cpu.cache(3, "3", "Unified", "32M", "0-3,8-11");
    const machine m = read_machine(cpu.folder());
    EXPECT_EQ(m.l1_bytes, 48 << 10);
    EXPECT_EQ(m.l2_bytes, 2 << 20);
    EXPECT_EQ(m.l3_bytes, 4 << 20);
}

TEST(machine, caches_are_found_in_any_order) {
    fake_cpu cpu;
    cpu.cache(0, "1", "Instruction", "64K", "0");
    cpu.cache(1, "1", "Data", "48K", "0");
    cpu.cache(2, "3", "Unified", "8M", "0-3");
    cpu.cache(3, "2", "Unified", "1M", "0-1");
    const machine m = read_machine(cpu.folder());
    EXPECT_EQ(m.l1_bytes, 48 << 10);
    EXPECT_EQ(m.l2_bytes, 512 << 10);
    EXPECT_EQ(m.l3_bytes, 2 << 20);
}

TEST(machine, without_an_l3_has_two_levels) {
    fake_cpu cpu;
    cpu.cache(0, "1", "Data", "32K", "0");
    cpu.cache(1, "1", "Instruction", "32K", "0");
    cpu.cache(2, "2", "Unified", "2M", "0-1");
    const machine m = read_machine(cpu.folder());
    EXPECT_EQ(m.l2_bytes, 1 << 20);
    EXPECT_EQ(m.l3_bytes, 1 << 20);
}

TEST(machine, what_is_missing_or_unreadable_keeps_a_safe_default) {
    const machine plain;
    EXPECT_EQ(read_machine("/nonexistent").l2_bytes, plain.l2_bytes);
    fake_cpu cpu;
    cpu.cache(0, "1", "Data", "lots", "0");
    cpu.cache(1, "2", "Unified", "4M", "0");
    const machine m = read_machine(cpu.folder());
    EXPECT_EQ(m.l1_bytes, plain.l1_bytes);
    EXPECT_EQ(m.l3_bytes, 4 << 20) << "no L3: L2 stands for it";
}

}  // namespace
