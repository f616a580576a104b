// A whole session: every case of a request, its results saved after each, resumed from a file where
// one is given. The document on disk is valid at every moment.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lab/machine/description.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/results/document.hpp"
#include "lab/session/case.hpp"
#include "lab/session/saver.hpp"

namespace carat::session {

struct hooks {
    std::function<bool()> interrupted;
    // `share` is that of the whole session, from 0 to 1.
    std::function<void(const std::string& what, double share)> progress;
    std::function<void(const request::case_key&, const case_result&)> case_done;
    // Measure the peaks anew, with so many threads, too, when a figure exceeds them; empty: they
    // are taken as they are.
    std::function<machine::peaks(const machine::peaks&, const std::vector<int>&)> measure_again;
    std::function<machine::peaks(const gpu::known_gpu&)> measure_gpu_again;
    std::function<measure::work_probe()> probe;  // as in surroundings
    workers::start_process start;                // as in surroundings
};

// What a document says of how it was measured ("settings" in docs/results.md).
[[nodiscard]] nlohmann::json settings_of(const request::measurement& r);

// A document with the machine, build and settings filled in, and no results yet. `gpu`, here and
// below: the GPU in use, if its peaks are known.
[[nodiscard]] results::document new_document(const request::measurement& r,
                                             const machine::description& machine,
                                             const machine::peaks& limits,
                                             const std::string& command,
                                             const std::optional<gpu::known_gpu>& gpu = {});

// Throws carat::error when `earlier`, out of `file`, was measured on another machine or with
// settings that change what its figures mean.
void require_resumable(const results::document& earlier, const results::document& now,
                       const std::string& file);

// Runs the cases `doc` does not hold yet and adds them to it. Returns false when interrupted.
bool run_session(const request::measurement& r, const machine::description& machine,
                 const machine::peaks& limits, const outputs& out, const hooks& user,
                 results::document& doc, const std::optional<gpu::known_gpu>& gpu = {});

}  // namespace carat::session
