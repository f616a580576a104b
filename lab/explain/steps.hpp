// What binds a step of the ladder: what it asks of the machine, counted in its source and in its
// machine code, against what the machine has. A count gives a time that the step cannot beat; the
// largest of them is its limit, and says what the next step must change. Where a figure is an
// estimate, the text that tells it says "about".
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <carat/types.hpp>

#include "lab/model/prediction.hpp"

namespace carat::explain {

// A step on a GPU: what one CTA asks of its SM for one step of K.
struct gpu_step {
    std::string_view implementation = {};
    std::string_view counted_for;  // the element type
    std::string_view unit;         // that multiplies, as in machine::compute_peak
    double unit_share = 1;         // of that unit's rate, which its instruction reaches at best
    double tile_m = 1, tile_n = 1, tile_k = 1;
    int ctas = 1;             // that share an SM
    double instructions = 0;  // that its warps issue
    bool estimated = false;   // instructions and wavefronts, instead of counted in machine code
    double bytes = 0;         // it reads from L2
    double wavefronts = 0;    // of 128 bytes, in shared memory or L1; collisions count again
    double waits = 0;         // cycles in which it can do nothing while its copies come: estimated
    double ends = 0;          // cycles before a tile's first step and after its last: estimated
    bool in_rounds = true;    // tiles are handed out whole, so that the last round may be partial
    std::string_view next = {};  // what the next step changes; empty: it is the last
};

// A step on a CPU: what a multiply-add of one vector asks of its core.
struct cpu_step {
    std::string_view implementation;
    int vector_bits = 0;                // 0: the widest of the processor
    double cycles = 0.5;                // for a multiply-add: of ports, or of a chain of additions
    std::string_view port;              // that takes so long
    std::optional<model::order> loops;  // whose traffic between memories is modelled
    bool all_cores = false;
    std::string_view next;
};

[[nodiscard]] std::span<const gpu_step> gpu_steps();
[[nodiscard]] std::span<const cpu_step> cpu_steps();

// A limit, with what was counted for it.
struct ceiling {
    std::string what;     // "instruction issue"
    std::string counted;  // "1920 instructions"; "about 1920 instructions" if estimated
    double gflops = 0;    // at most, alone
};

struct step_limits {
    std::string implementation = {};
    std::string of = {};                 // what was counted
    std::string on = {};                 // whose rates were taken
    std::vector<ceiling> ceilings = {};  // each by itself
    double gflops = 0;                   // all of them together, at most
    std::string binding = {};            // `what` of the ceiling that costs most
    std::string next = {};
};

// Rates of an SM and of the GPU. Those of an H200 stand in where there is no GPU.
struct sm_rates {
    std::string name = "NVIDIA H200, as published";
    double sms = 132;
    double clock_ghz = 1.98;
    double unit_gflops = 0;  // of the step's unit, all SMs
};

/// The full name of the step that `text` means, "ladder.wgmma" or "wgmma"; of two the CPU's, unless
/// `on_gpu`. Empty: none.
[[nodiscard]] std::string_view step_named(std::string_view text, bool on_gpu);

[[nodiscard]] step_limits limits_of(const gpu_step& step, const model::sizes& size,
                                    const sm_rates& here);

/// `peak_gflops` is of the widest vectors of `widest_bits` and of all threads that the step uses;
/// `levels` are as for model::predict().
[[nodiscard]] step_limits limits_of(const cpu_step& step, const model::sizes& size,
                                    model::element_bytes each, double peak_gflops, int widest_bits,
                                    const std::vector<model::level>& levels);

[[nodiscard]] nlohmann::json to_json(const step_limits& limits);

}  // namespace carat::explain
