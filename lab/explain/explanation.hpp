// Why a product takes its time: what would run, what the machine allows, what the model says moves
// between its memories, what was measured, and what would have to change. The session measures;
// everything here follows from its results and the machine's peaks.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_prediction.hpp"
#include "lab/explain/steps.hpp"
#include "lab/machine/description.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/machine/roofline.hpp"
#include "lab/model/cache_simulator.hpp"
#include "lab/model/occupancy.hpp"
#include "lab/model/prediction.hpp"
#include "lab/results/document.hpp"
#include "lab/rows/catalogue.hpp"
#include "lab/session/case.hpp"

namespace carat::explain {

struct rejection {
    std::string implementation, reason;
};

// What multiplies on one kind of device, and why not another.
struct choice {
    rows::device where = rows::device::cpu;
    const rows::implementation* entry = nullptr;  // null: nothing here can
    std::vector<rejection> rejected;              // asked first, and unable
};

/// The library's own engine if it can run `key`, else the vendors' in turn. Both devices, or `only`
/// one of them.
[[nodiscard]] std::vector<choice> choose(const rows::catalogue& all, const request::case_key& key,
                                         std::optional<rows::device> only);
/// Only the implementation of this full name, which a build without CUDA may lack.
[[nodiscard]] choice choose(const rows::catalogue& all, const request::case_key& key,
                            std::string_view implementation);

struct device_report {
    choice chosen;
    core::plan_facts plan;                         // of a batch: of each product
    int threads = 1;                               // that work at once, on a CPU
    double peak_gflops = 0;                        // of the units; 0: not measured
    std::optional<machine::roof> roof;             // of a CPU
    std::optional<model::prediction> predicted;    // of the plan, where it tells its blocks
    std::optional<core::gpu_prediction> foretold;  // of a GPU, by the plan's own model
    std::optional<step_limits> step;               // of a step of the ladder, run or not
    std::vector<model::residency> kernels;         // of a GPU, as in measured.kernels
    results::result measured;                      // without trials: nothing was measured
    double lower_bound_s = 0;                      // the least possible; 0: unknown
    std::vector<std::string> advice;
};

// The same product by plain loops on one core.
struct loop_nest {
    model::schedule schedule;
    double intensity = 0;
    model::prediction predicted;
};

struct explanation {
    request::case_key key;
    model::sizes size;
    double flop = 0, intensity = 0;
    double operand_bytes = 0;
    double c_read_bytes = 0;           // of them, for beta
    std::vector<model::level> levels;  // for one thread
    std::vector<device_report> devices;
    std::vector<loop_nest> loops;  // empty for types no loop of the ladder takes
    std::string counters;          // why misses can't be counted here; empty when they can
};

struct machine_facts {
    const machine::description& machine;
    const machine::peaks& peaks;
    nlohmann::json gpu = {};  // as gpu::describe() has the one in use; null: there is none
    const machine::peaks* gpu_peaks = nullptr;  // null: not measured
};

/// The memories of this machine, innermost first. A thread may fill its share of what cores share;
/// bandwidths are those of `threads` together.
[[nodiscard]] std::vector<model::level> levels_of(const machine_facts& here, int threads);

/// The same caches for the simulator, innermost first, without those of unknown geometry.
[[nodiscard]] std::vector<model::geometry> geometries_of(const machine::description& machine);

/// How many times as often tiles of 32 x 32 miss L1 with the row distance of the contiguous
/// matrices of `p` as with rows one line further apart, in a simulation; 1 if L1 is unknown or a
/// row is shorter than two tiles.
[[nodiscard]] double conflict_factor(const machine::description& machine, const core::problem& p);

/// `results` are the session's for the chosen implementations; missing ones count as not measured.
/// Prepares the chosen CPU product to read its plan.
[[nodiscard]] explanation explain(const request::case_key& key, const std::vector<choice>& chosen,
                                  const machine_facts& here,
                                  const std::vector<results::result>& results);

/// What would have to change for `device` to be faster, most effective first; never empty.
[[nodiscard]] std::vector<std::string> advice_for(const device_report& device,
                                                  const explanation& all,
                                                  const machine_facts& here);

[[nodiscard]] nlohmann::json to_json(const explanation& told);

}  // namespace carat::explain
