// One case of a session: one product, measured for every implementation chosen. Verified first,
// then timed interleaved, then compared; the answer is results and a comparison as results have
// them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/compare/analyse.hpp"
#include "lab/gpu/limits.hpp"
#include "lab/machine/description.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/measure/background_load.hpp"
#include "lab/request/cases.hpp"
#include "lab/results/document.hpp"
#include "lab/session/gpu_telemetry.hpp"
#include "lab/workers/worker_set.hpp"

namespace carat::session {

struct case_result {
    std::vector<results::result> results;
    results::comparison compared;
    bool interrupted = false;  // what is here is valid, but not all that was asked for
};

// What a case reports while it runs: what it is doing, and the share of that done (0 to 1).
using report_progress = std::function<void(const std::string& what, double share)>;

struct surroundings {
    const machine::description& machine;
    const machine::peaks& limits;
    // Seconds one run of an implementation is expected to take; 0 when unknown.
    std::function<double(const request::selection&, const request::case_key&)> expected_run_s;
    std::function<bool()> interrupted;
    report_progress progress;
    // Renews what `limits` or `gpu` refers to, with so many threads, too; may be empty.
    std::function<void(rows::device, const std::vector<int>& threads)> measure_again = {};
    const gpu::known_gpu* gpu = nullptr;        // the peaks of the GPU in use; null: not measured
    std::function<gpu_sensors()> sensors = {};  // empty: those of the GPU in use
    // What tells of this process and of other work during the trials, to which workers' are added;
    // empty: this machine and process.
    std::function<measure::work_probe()> probe = {};
    // The median of a run on one thread of the same product, where it is known; 0: it isn't.
    std::function<double(const request::selection&, const request::case_key&)> one_thread_s = {};
    // How each CPU implementation gets a process of its own, and those of a GPU one together;
    // empty: all run in this one.
    workers::start_process start = {};
    // The device on which this process runs rows; empty: the GPU in use.
    std::function<space::execution_space&()> device_space = {};
};

// How its results are compared.
[[nodiscard]] comparing::analysis_options analysis_of(const request::measurement& r);

[[nodiscard]] case_result run_case(const request::measurement& r, const request::case_key& key,
                                   const surroundings& around);

}  // namespace carat::session
