// The measured limits of this machine: how many operations its units do in a second, and how fast
// each level of memory feeds them, for one thread and for all cores. A limit is the best of many
// short rounds, because every disturbance makes a round slower.
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
    // A GPU's tensor cores slow down on random data, which takes more power; this is their rate on
    // constant data.
    double constant_input_gflops = 0;

    // The rate that no data can exceed.
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

// One working set read repeatedly: a point of the curve that shows the levels.
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
    // Called between rounds, a few times a second. May throw to abort without side effects.
    std::function<void(const progress&)> on_progress;
};

// Measures on its own threads, each pinned to a core; the caller's affinity does not change. Checks
// every unit's result first, and omits units that compute wrongly.
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

// Returns the cached measurement of this machine and carat version, or measures and caches it. A
// file that is damaged, foreign or too old, or lacks the requested numbers of threads, is measured
// again; one that cannot be written is no error.
[[nodiscard]] peaks load_or_measure(const description& machine, const measure_options& options = {},
                                    const cache_options& kept = {});

// Measures again, because a figure exceeded `known`. Keeps the better of both for each limit, and
// those of `known` that were not measured again.
[[nodiscard]] peaks refresh(const description& machine, const peaks& known,
                            const measure_options& options = {}, const cache_options& kept = {});

}  // namespace carat::machine
