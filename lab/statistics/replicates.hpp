// What an interval is about: the spread between processes, not between trials.
//
// Addresses, page colours, a library's choices at start-up and the current clock are drawn once for
// each process, so its trials share them: a thousand trials of one process say nothing about the
// next. Each process gives one value, the log of its median, and a t interval covers their mean.
// (Simulated with as much spread between processes as within: t covers 95 % from 3 processes on, a
// hierarchical bootstrap 75, 82, 89 % with 2, 3 and 5; docs/adr/0118.)
//
//   process      1        2        3            (trials of a round ran side by side)
//   a          x x x    x x x    x x x   ->  log median, log median, log median
//   b          x x x    x x x    x x x   ->  log median, log median, log median
//   a / b                                    difference, difference, difference -> t interval
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lab/statistics/anova.hpp"
#include "lab/statistics/interval.hpp"

namespace carat::statistics {

/// Trials in measured order, process by process. Process g of one implementation ran in the rounds
/// of process g of every other; a process without trials is empty and keeps its index.
using processes = std::vector<trials_view>;

/// Fewer processes give no interval.
inline constexpr std::size_t fewest_processes = 3;
/// Fewer rounds of one process give none, either.
inline constexpr std::size_t fewest_rounds = 6;

/// Cuts `trials` into their processes; without `per_process` they are one.
/// @throws std::invalid_argument when a count is negative or they don't add up to the trials.
processes by_process(trials_view trials, std::span<const std::int64_t> per_process);

/// What the replicates behind an estimate are, and so what its interval means.
enum class scope : std::uint8_t {
    none,         // too few: an estimate without an interval
    one_process,  // blocks of successive rounds: another process may differ by more
    several_processes
};

/// A mean of replicates on a log scale.
struct estimate {
    double value = 0;
    double error = std::numeric_limits<double>::infinity();  // standard error of `value`
    double df = 0;                                           // 0: nothing tells the error
    scope of = scope::none;
    std::size_t replicates = 0;

    [[nodiscard]] bool bounded() const { return df > 0; }
};

/// value -+ t error; unbounded if the error is unknown.
interval t_interval(const estimate& of, double confidence = 0.95);

/// The interval of ratios: the exponentials of both ends.
interval exponential(interval logs);

/// Log medians of the processes that have trials.
std::vector<double> log_medians(const processes& of);

/// The mean of the log medians, which is the log of their geometric mean.
/// @throws std::invalid_argument if there is no trial or one is not finite and positive.
estimate centre_of(const processes& of);

/// log(a / b), paired: process by process over the rounds that both have. If one has a single
/// process (all rows on a GPU share one), by blocks of successive rounds. Otherwise the difference
/// without an interval.
/// @throws std::invalid_argument as centre_of.
estimate paired_difference(const processes& a, const processes& b);

/// log(a / b) if nothing ran side by side, as in two files: Welch's t on the log medians.
/// @throws std::invalid_argument as centre_of.
estimate unpaired_difference(const processes& a, const processes& b);

}  // namespace carat::statistics
