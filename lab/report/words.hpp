// Numbers as people read them: a fixed count of digits, the unit always there. The page's
// assets/format.js follows the same rules, so the two never disagree about a figure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/document.hpp"

namespace carat::report {

// Four significant digits and no exponent: 0.512, 14.20, 153.7, 2041.
[[nodiscard]] std::string digits(double value);

// The same of a time in milliseconds, for a column whose head has the unit.
[[nodiscard]] std::string milliseconds(double time_s);

// What throughputs of one table or sentence are given in: TFLOP/s where one of them has ten.
struct throughput_unit {
    double gflops;
    const char* name;
};
[[nodiscard]] throughput_unit unit_for(double largest_gflops);

// The figure with its unit: 142.1 GFLOP/s, 724.7 TFLOP/s.
[[nodiscard]] std::string throughput(double gflops);

// A ratio: 1.07×, 14.4×, 127×.
[[nodiscard]] std::string times(double ratio);

// An error in units of roundoff, without the unit: 6.65, 15.8, 1203, 1.2e+07.
[[nodiscard]] std::string roundoffs(double error);

// Free text as it may stand in a sentence: backticks, which set code there, become apostrophes.
[[nodiscard]] std::string unquoted(std::string text);

// Free text from a file as Markdown: it must not break a table or start markup of its own.
[[nodiscard]] std::string plain(const std::string& text);

// 12.3 ms, 4.56 s, 780 ns.
[[nodiscard]] std::string duration(double seconds);

// 2000 x 1000 x 64, with multiplication signs.
[[nodiscard]] std::string shape(std::int64_t m, std::int64_t n, std::int64_t k);

// "2 threads", "1 thread"; empty for 0, which is what a device other than a CPU says.
[[nodiscard]] std::string threads(std::int64_t count);

// "1 result", "3 results".
[[nodiscard]] std::string counted(std::size_t count, const std::string& noun);

// "a, b and c"; after `most` names, "a, b and 7 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t most = 4);

// Adds a capital and a full stop.
[[nodiscard]] std::string sentence(std::string_view words);

// What stands where a verdict would: "busy machine: no verdict; other work took ...".
[[nodiscard]] std::string no_verdict(const std::string& busy);

// What a case says if others disturbed some rows: "busy machine: ranks and verdicts that ...".
[[nodiscard]] std::string left_out(const std::string& busy);

// What disturbed a case: its one row `name`, or all of them alike.
[[nodiscard]] std::string disturbance_of(const std::string& name, const std::string& busy,
                                         bool all_alike);

// What verdicts without several processes behind them are worth; one_process is what a pair says
// its interval is over then.
inline constexpr std::string_view one_process = "one process";
inline constexpr std::string_view within_one_process =
    "these verdicts hold for this process only: another start may differ by more";
inline constexpr std::string_view too_few_for_an_interval =
    "no interval, and so no verdict: it takes 3 processes, or 6 rounds of one";

// "2 unclear against the best: about 4 more minutes would settle them (--settle)". `hopeless`: how
// many of them no effort within reach settles.
[[nodiscard]] std::string what_would_settle(std::size_t unclear, std::size_t hopeless,
                                            double more_s);

// "40 s", "4 minutes", "3 hours".
[[nodiscard]] std::string roughly(double seconds);

// The name of results::surroundings::gpu_in_use(), or "GPU".
[[nodiscard]] std::string gpu_name(const results::document& doc);

// Sentences as one paragraph.
[[nodiscard]] std::string joined(const std::vector<std::string>& sentences);

}  // namespace carat::report
