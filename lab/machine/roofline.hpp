// The roofline of one product: no product can run faster than the units compute, nor faster than
// the memory that holds its operands delivers them once (Williams, Waterman, Patterson 2009). How
// fast that is follows from the measured curve of bandwidth against working-set size.
// Pure functions of what was measured; where nothing was measured there is no roofline.
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

// Bytes that any algorithm must move: A and B read once, C written once, and read when beta is not
// zero.
[[nodiscard]] double compulsory_bytes(const rows::operation& all);

// Those of C that beta has read; 0 where it is 0.
[[nodiscard]] double bytes_of_c_read(const rows::operation& all);

// 2 m n k of all products over the compulsory bytes; 0 when there is nothing to move.
[[nodiscard]] double arithmetic_intensity(const rows::operation& all);

// The best measured peak for data of `type` with units of at most `most`. Products of f16 and bf16
// may also use the f32 unit, since widening is exact. Between two measured thread counts the bound
// is the lower's, scaled, but at most the upper's. None when no such unit was measured.
[[nodiscard]] std::optional<double> peak_gflops(const peaks& limits, dtype type, int threads,
                                                core::isa most);

// The measured bandwidth of "L1", "L2", "L3" or "DRAM", between thread counts as above.
[[nodiscard]] std::optional<double> bandwidth_gb_per_s(const peaks& limits,
                                                       const std::string& level, int threads);

// What `threads` cores can do of `all`, whose matrices are hot: `rotating_bytes` of them, of all
// sets that its runs take in turn, or 0 for one set. However well caches keep what comes again, of
// sets larger than those that were read at one rate the rest comes at the next. With units of at
// most `most`. None for an empty product, and where the peak or the bandwidth was not measured.
[[nodiscard]] std::optional<roof> roofline(const peaks& limits, const rows::operation& all,
                                           int threads, core::isa most,
                                           std::int64_t rotating_bytes = 0);

// A figure above this times the peak is not believed.
inline constexpr double impossible_slack = 1.02;

// Which limit a figure exceeds by more than 2 %, whatever ISA is in use: "compute", or a level of
// memory. Wrong work or wrong time. Empty where it exceeds none, or none was measured.
[[nodiscard]] std::string exceeded_limit(const peaks& limits, const rows::operation& all,
                                         int threads, std::int64_t rotating_bytes, double gflops);

}  // namespace carat::machine
