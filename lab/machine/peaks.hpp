// The limits of this machine as measured on it: how many operations its units do a second, and how
// fast each level of memory feeds them, for one thread and for all cores. A limit is the best of
// many short rounds, because everything that disturbs a round makes it slower.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <carat/types.hpp>

#include "core/cache_directory.hpp"
#include "lab/machine/description.hpp"

namespace carat::machine {

struct compute_peak {
    std::string unit;  // "avx512 fma"
    dtype type = dtype::f64;
    std::optional<core::isa> level;  // the ISA level that has the unit; none on a GPU
    int threads = 1;                 // a whole GPU counts as one
    double gflops = 0;
    double spread = 0;  // (best - median) / best over the rounds
    int rounds = 0;
    // Of a GPU's tensor cores, which random data slows by the power it takes: on data all alike.
    double constant_input_gflops = 0;

    // What no data can beat.
    [[nodiscard]] double most_gflops() const {
        return gflops > constant_input_gflops ? gflops : constant_input_gflops;
    }
};

struct bandwidth_peak {
    std::string level;  // "L1", "L2", "L3" or "DRAM"; of a GPU see lab/gpu/peaks/peaks.hpp
    int threads = 1;
    double gb_per_s = 0;  // reading only
    double spread = 0;
    int rounds = 0;
    std::int64_t working_set_bytes = 0;  // of each thread: the largest that is read so fast
};

// Reading one working set over and over: a point of the curve from which levels are read off.
struct reading_peak {
    int threads = 1;
    std::int64_t working_set_bytes = 0;  // of each thread
    double gb_per_s = 0;                 // of all threads
    double spread = 0;
    int rounds = 0;
};

struct peaks {
    std::vector<compute_peak> compute;
    std::vector<bandwidth_peak> bandwidth;
    std::vector<reading_peak> reading;  // of a processor; by threads, then by size
    std::int64_t measured_at_s = 0;     // seconds since 1970
    double age_s = 0;                   // 0 when measured just now
    bool thorough = false;
};

struct progress {
    double done = 0;    // 0 to 1
    double left_s = 0;  // expected
    std::string_view what;
};

struct measure_options {
    bool thorough = false;
    double budget_s = 0;  // at most, about; 0: 4 s, or 20 s when thorough; a GPU's 2 s or 8 s
    double round_s = 0;   // 0: 1 ms, or 3 ms when thorough
    // Numbers of threads to measure besides one and all cores.
    std::vector<int> threads = {};
    // Called between rounds, a few times a second. May throw to give up; nothing is left behind.
    std::function<void(const progress&)> on_progress;
};

// Measures on threads of its own, each pinned to a core of the machine; the caller's affinity stays
// as it is. Every unit's result is checked first, and a unit that computes wrongly is left out.
[[nodiscard]] peaks measure_peaks(const description& machine, const measure_options& options = {});

// The "peaks" object of docs/results.md, and back. Reading throws carat::error, naming the
// field, on anything that is not a complete and plausible measurement.
[[nodiscard]] nlohmann::json to_json(const peaks& limits);
[[nodiscard]] peaks peaks_from_json(const nlohmann::json& object);

using core::cache_directory;

struct cache_options {
    std::filesystem::path directory = cache_directory();  // empty: keep nothing
    double max_age_s = 30.0 * 24 * 3600;
};

// The kept measurement of this very machine and carat version, else a new one, which is kept. A
// file that is damaged, foreign or too old, or lacks the numbers of threads asked for, is measured
// anew; one that can't be written is no error.
[[nodiscard]] peaks load_or_measure(const description& machine, const measure_options& options = {},
                                    const cache_options& kept = {});

// Measures again, because a figure exceeded `known`, and keeps the better of both for each limit,
// and those of `known` that were not measured again.
[[nodiscard]] peaks refresh(const description& machine, const peaks& known,
                            const measure_options& options = {}, const cache_options& kept = {});

}  // namespace carat::machine
