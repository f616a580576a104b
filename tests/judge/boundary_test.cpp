// The boundary of a target's process seen from outside, and figures that no machine reaches.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/judge/ceiling.hpp"
#include "lab/judge/freezer.hpp"
#include "lab/judge/participant.hpp"
#include "lab/judge/products.hpp"

namespace carat::judge {
namespace {

// judge_host without a target: it finds nothing to load, but the boundary exists.
std::vector<std::string> host() {
    return {CARAT_PEER_FOLDER "/judge_host", "/no/such/target.so"};
}

ino_t inode_of(const std::string& path) {
    struct stat found = {};
    return stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

TEST(Boundary, NoTwoProcessesShareOperands) {
    const options asked;
    const hooks user;
    const shared_memory of_peers(data_begins);
    table_of_rules rules{of_peers, asked, user};
    const participant one("t", host(), rules, true), later("t", host(), rules, true);
    struct stat peers = {};
    ASSERT_EQ(fstat(of_peers.file(), &peers), 0);
    const auto file = [](const participant& p) {
        return inode_of("/proc/" + std::to_string(p.process().id()) + "/fd/3");
    };
    EXPECT_NE(file(one), 0U);
    EXPECT_NE(file(one), peers.st_ino);
    EXPECT_NE(file(one), file(later));
}

// If the kernel provides namespaces, no other descriptor of the judge is open there.
TEST(Boundary, NothingElseIsOpen) {
    const options asked;
    const hooks user;
    const shared_memory of_peers(data_begins);
    table_of_rules rules{of_peers, asked, user};
    participant one("t", host(), rules, true);
    EXPECT_FALSE(one.wait_until_started().empty());
    int open = 0;
    for ([[maybe_unused]] const auto& file :
         std::filesystem::directory_iterator("/proc/" + std::to_string(one.process().id()) + "/fd"))
        ++open;
    EXPECT_LE(open, 7);  // 0 to 5, and a pipe's end
}

TEST(Boundary, WhatIsFrozenIsNotContinuedByASignal) {
    const freezer cold = freezer::make();
    const pid_t child = fork();
    if (child == 0)
        for (volatile unsigned i = 0;;) i = i + 1;
    const auto cpu_ticks = [child] {
        std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
        std::string field;
        double sum = 0;
        for (int i = 1; i <= 15 && stat >> field; ++i)
            if (i >= 14) sum += std::atof(field.c_str());
        return sum;
    };
    if (!cold.add(child)) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        GTEST_SKIP() << "this user may make no control groups here";
    }
    cold.freeze();
    kill(child, SIGCONT);
    const double before = cpu_ticks();
    usleep(100000);
    EXPECT_EQ(cpu_ticks(), before);
    cold.thaw();
    usleep(200000);
    EXPECT_GT(cpu_ticks(), before);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST(Ceiling, IsHeldAgainstTheTargetUnlessAPeerExceedsItToo) {
    EXPECT_EQ(ceiling_sentence(50.9, 40, 50).foul, "");  // within 2 %
    EXPECT_NE(ceiling_sentence(122, 40, 50).foul.find("122 GFLOP/s are above the limit"),
              std::string::npos);
    const ceiling_check both = ceiling_sentence(122, 60, 50);
    EXPECT_EQ(both.foul, "");
    EXPECT_NE(both.doubt.find("carat info --measure"), std::string::npos);
    EXPECT_EQ(ceiling_sentence(122, 60, 0).foul, "");  // nothing was measured
}

TEST(Products, OfTheUserAreAskedForPaddedFirst) {
    options asked;
    asked.sizes = {{7, 8, 9}};
    draws numbers("x");
    const auto all = products_to_time(asked, false, numbers.shapes);
    ASSERT_EQ(all.size(), 1U);
    ASSERT_EQ(all[0].size(), 2U);
    EXPECT_EQ(all[0][0].rows, row_layout::padded);
    EXPECT_EQ(all[0][1].rows, row_layout::contiguous);
    const core::problem p = problem_of(dtype::f32, {7, 8, 9}, row_layout::contiguous);
    EXPECT_EQ(p.a_layout.row_stride, 9);
    EXPECT_EQ(p.b_layout.row_stride, 8);
    EXPECT_EQ(p.c_layout.row_stride, 8);
}

TEST(Products, ThatAreDrawnGiveWayToCubesAndMultiples) {
    draws numbers("x");
    const auto all = products_to_time({}, false, numbers.shapes);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0][0].size, (request::shape{512, 512, 512}));
    const auto fits = [](const timed_product& p) {
        return p.size.m % 128 == 0 && p.size.n == p.size.m && p.size.k == p.size.m;
    };
    EXPECT_EQ(all[1][0].size.m % 2, 1);
    EXPECT_TRUE(std::ranges::any_of(all[1], fits));
}

}  // namespace
}  // namespace carat::judge
