// The text for people: within 80 columns, with units, and honest about what is not known.
#include "lab/machine/render.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "tests/machine/sample_machine.hpp"

namespace carat::machine {
namespace {

void expect_narrow(const std::string& text) {
    std::istringstream lines(text);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        EXPECT_LE(line.size(), 80u) << line;
        EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
    }
    EXPECT_GE(count, 8);
}

TEST(render, fits_80_columns) {
    description machine = sample_machine();
    machine.cpu_model = std::string(100, 'x') + " with a rather long name that goes on and on";
    for (int i = 0; i < 30; ++i) machine.isa.push_back("avx512_vp2intersect");
    machine.cores = 1024;
    machine.cpu_quota = 1024.25;
    peaks limits = sample_peaks();
    limits.compute[0].gflops = 123456789.1;
    limits.compute[2].unit = std::string(60, 'u');
    limits.reading[3].gb_per_s = 123456.7;
    expect_narrow(render(machine, limits));
    expect_narrow(render(describe()));
    expect_narrow(render(description{}));
}

TEST(render, names_figures_and_units) {
    const std::string text = render(sample_machine(), sample_peaks());
    for (const char* part : {"Sample 4000", "32 KiB", "512 KiB", "8 MiB", "16 GiB",
                             "in use: avx512", "GFLOP/s", "GB/s", "avx512 fma", "100.0", "360.0",
                             "1 thread", "4 threads", "DRAM", "25.0", "4 cores",
                             // The curve: a set in L2, the largest of one thread and none of four.
                             "256 KiB      200.0 #", "\n  128 MiB       10.0 #\n"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(render, says_unknown_and_how_old) {
    EXPECT_NE(render(description{}).find("unknown"), std::string::npos);
    peaks limits = sample_peaks();
    limits.age_s = 3 * 86400;
    EXPECT_NE(render(sample_machine(), limits).find("3 days ago"), std::string::npos);
}

}  // namespace
}  // namespace carat::machine
