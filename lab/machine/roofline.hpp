// The roofline of one product: no product can run faster than the units compute, or than the memory
// that holds its operands delivers them once (Williams, Waterman, Patterson 2009). That rate
// follows from the measured curve of bandwidth against working-set size. Pure functions of
// measurements; without them there is no roofline.
#pragma once

#include <optional>
#include <string>

#include "lab/machine/peaks.hpp"
#include "lab/rows/operation.hpp"

namespace carat::machine {

struct roof {
    double gflops = 0;                // the bound
    double arithmetic_intensity = 0;  // flop per byte
    std::string level;                // the memory that would hold it up first
    std::string bound;                // "compute", or that level when it is the lower of the two
};

// The bytes that any algorithm must move: A and B read once, C written once, and read unless beta
// is zero.
[[nodiscard]] double compulsory_bytes(const rows::operation& all);

// The bytes of C that beta reads; 0 if it is 0.
[[nodiscard]] double bytes_of_c_read(const rows::operation& all);

// 2 m n k of all products divided by the compulsory bytes; 0 if there are none.
[[nodiscard]] double arithmetic_intensity(const rows::operation& all);

// The best measured peak for data of `type` with units of at most `most`. Products of f16 and bf16
// may also use the f32 unit, since widening is exact. Between two measured thread counts the bound
// is the lower one's, scaled, but at most the upper one's. None if no such unit was measured.
[[nodiscard]] std::optional<double> peak_gflops(const peaks& limits, dtype type, int threads,
                                                core::isa most);

// The measured bandwidth of "L1", "L2", "L3" or "DRAM"; between thread counts as above.
[[nodiscard]] std::optional<double> bandwidth_gb_per_s(const peaks& limits,
                                                       const std::string& level, int threads);

// What `threads` cores can do of `all`, whose matrices are hot. `rotating_bytes` is the total of
// all sets that its runs take in turn, or 0 for a single set. However well caches keep data, the
// part of a set beyond those read at one rate comes at the next. Units are at most `most`. None for
// an empty product, or if the peak or bandwidth was not measured.
[[nodiscard]] std::optional<roof> roofline(const peaks& limits, const rows::operation& all,
                                           int threads, core::isa most,
                                           std::int64_t rotating_bytes = 0);

// A figure above this times the peak is not credible.
inline constexpr double impossible_slack = 1.02;

// The limit that a figure exceeds by more than 2 %, for any ISA in use: "compute", or a level of
// memory. The work or the time is then wrong. Empty if it exceeds none, or none was measured.
[[nodiscard]] std::string exceeded_limit(const peaks& limits, const rows::operation& all,
                                         int threads, std::int64_t rotating_bytes, double gflops);

}  // namespace carat::machine
