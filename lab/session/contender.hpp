// One implementation on its way through a case.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/request/request.hpp"
#include "lab/results/document.hpp"
#include "lab/session/gpu_telemetry.hpp"
#include "lab/workers/operand_store.hpp"
#include "lab/workers/worker.hpp"

namespace carat::session {

struct contender {
    const request::selection* what = nullptr;
    workers::operand_store* data = nullptr;  // where its operands are; set when it is available
    core::settings settings;
    results::result result;
    std::unique_ptr<workers::worker> at;  // where it runs; null when it has been given up
    std::size_t next_set = 0;
    workers::timing latest;                  // of its runs
    std::vector<workers::timing> in_trials;  // of those that were trials, in their order
    double ran_s = 0;                        // in trials and untimed runs, where waited_s is known
    std::optional<double> waited_s;          // by its threads meanwhile, for a processor
    gpu_telemetry watch;

    [[nodiscard]] bool ruled_out() const { return !result.available || !result.reason.empty(); }

    void drop_figures() {
        result.trials_s.clear();
        result.trials_per_process.clear();
        in_trials.clear();
        result.end_to_end.reset();
    }

    void give_up(std::string reason) {
        at.reset();
        drop_figures();
        result.available = result.verified = false;
        result.reason = std::move(reason);
    }
};

}  // namespace carat::session
