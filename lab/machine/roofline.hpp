// The roofline of one product: no product can run faster than the units compute, nor faster than
// the memory that holds its operands delivers them once (Williams, Waterman, Patterson 2009).
// Pure functions of what was measured; where nothing was measured there is no roofline.
#pragma once

#include <optional>
#include <string>

#include "core/operation.hpp"
#include "lab/machine/peaks.hpp"

namespace carat::machine {

struct roof {
    double gflops = 0;                // the bound
    double arithmetic_intensity = 0;  // flop per byte
    std::string level;                // the memory whose bandwidth was used
    std::string bound;                // "compute", or that level when it is the lower of the two
};

// Bytes that any algorithm must move: A and B read once, C written once, and read when beta is not
// zero.
[[nodiscard]] double compulsory_bytes(const core::operation& all);

// Those of C that beta has read; 0 where it is 0.
[[nodiscard]] double bytes_of_c_read(const core::operation& all);

// 2 m n k of all products over the compulsory bytes; 0 when there is nothing to move.
[[nodiscard]] double arithmetic_intensity(const core::operation& all);

// The best measured peak for data of `type` with units of at most `most`. Products of f16 and bf16
// may also use the f32 unit, since widening is exact. Between the measured thread counts the bound
// is threads x one thread, but at most all cores. None when no such unit was measured.
[[nodiscard]] std::optional<double> peak_gflops(const peaks& limits, dtype type, int threads,
                                                core::isa most);

// The measured bandwidth of "L1", "L2", "L3" or "DRAM", between thread counts as above.
[[nodiscard]] std::optional<double> bandwidth_gb_per_s(const peaks& limits,
                                                       const std::string& level, int threads);

// The roofline of `all` on `threads` cores with data hot in the smallest level that holds all its
// matrices, the private caches of the threads counted together. None for an empty product, and
// where the peak or the bandwidth was not measured.
[[nodiscard]] std::optional<roof> roofline(const description& machine, const peaks& limits,
                                           const core::operation& all, int threads);

// A figure above this times the peak is not believed.
inline constexpr double impossible_slack = 1.02;

// Whether a figure for data of `type` exceeds the peak of the best unit of the machine, whatever
// ISA is in use, by more than 2 %: wrong work or wrong time. False where no peak was measured.
[[nodiscard]] bool above_peak(const peaks& limits, dtype type, int threads, double gflops);

}  // namespace carat::machine
