// The process of a Python target may import what it is given beforehand, but not the target.
#include "lab/judge/participant.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include <carat/carat_kernel.h>

#include "lab/judge/processes.hpp"

namespace carat::judge {
namespace {

class python_participant : public testing::Test {
  protected:
    void SetUp() override {
        for (const std::string python : {"python3", "/usr/bin/python3"})
            if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) == 0)
                python_ = python;
        if (python_.empty()) GTEST_SKIP() << "no NumPy here";
        std::string name = "/tmp/carat-participant-XXXXXX";
        folder_ = mkdtemp(name.data());
        write_target("def product(a, b):\n    return a @ b\n");
        asked_.timeout_s = 30;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write_target(const char* text) const { std::ofstream(folder_ / "target.py") << text; }

    [[nodiscard]] std::vector<std::string> arguments(const std::string& python) const {
        const std::string peers = CARAT_PEER_FOLDER;
        return {peers + "/judge_host", "--exec", python, "-u", peers + "/host.py",
                folder_ / "target.py", "product"};
    }

    static bool has_numpy(const participant& one) {
        return std::ranges::any_of(one.process().libraries(), [](const std::string& file) {
            return file.find("numpy") != file.npos;
        });
    }

    std::string python_;
    std::filesystem::path folder_;
    options asked_;
    hooks user_;
    shared_memory memory_{data_begins};
    table_of_rules rules_{memory_, asked_, user_};
};

TEST_F(python_participant, imports_before_its_turn_and_is_loaded_then) {
    const participant first("target.py", arguments(python_), rules_, true);
    std::vector<std::unique_ptr<participant>> later;
    for (int i = 0; i < 2; ++i) later.push_back(first.again());
    for (const auto& one : later) one->begin_imports();
    for (const auto& one : later) {
        one->wait_for_imports();
        EXPECT_TRUE(has_numpy(*one));
        EXPECT_EQ(one->description().version, 0);
    }
    for (const auto& one : later) {
        one->load();
        EXPECT_TRUE((one->description().types & CARAT_F64) != 0);
    }
    EXPECT_FALSE(has_numpy(first));
}

TEST_F(python_participant, is_not_loaded_by_imports) {
    write_target("raise ValueError('loaded')\n");
    participant one("target.py", arguments(python_), rules_, true);
    one.begin_imports();
    EXPECT_NO_THROW(one.wait_for_imports());
    EXPECT_THROW(one.load(), foul);
}

TEST_F(python_participant, loads_without_having_been_asked_to_import) {
    participant one("target.py", arguments(python_), rules_, true);
    one.begin_imports();
    one.load();  // waits for them
    participant other("target.py", arguments(python_), rules_, true);
    other.load();
    EXPECT_EQ(one.description().version, other.description().version);
}

TEST_F(python_participant, what_ends_while_it_imports_is_told) {
    participant one("target.py", arguments("false"), rules_, true);
    one.begin_imports();
    EXPECT_THROW(one.wait_for_imports(), foul);
}

}  // namespace
}  // namespace carat::judge
