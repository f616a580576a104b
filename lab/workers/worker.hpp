// One implementation of a case wherever it runs: in this process, or in one of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/results/document.hpp"
#include "lab/rows/operation.hpp"
#include "lab/space/execution_space.hpp"
#include "lab/workers/operands.hpp"

namespace carat::workers {

// What is known before anything is allocated.
struct introduction {
    std::string reason;  // why it can't run the problem; empty: it can
    results::library library;
};

[[nodiscard]] introduction introduce(const rows::implementation& entry, const rows::operation& all,
                                     const core::settings& how);

// What is known once it is ready.
struct readiness {
    double prepare_s = 0;
    int threads = 1;
    std::string note;
    std::vector<core::kernel_facts> kernels;
    std::string plan;  // one line
};

[[nodiscard]] readiness facts_of(const rows::runnable& ready, double prepare_s);

// Some runs back to back; the rest of a process of its own.
struct timing {
    double time_s = 0;                    // all of them
    std::int64_t displaced = 0;           // times a thread lost its processor
    std::optional<double> waited_s = {};  // its threads together, for a processor; none: unknown
    double stolen_s = 0;                  // of the processors, by the hypervisor's other guests
};

class worker {
  public:
    worker() = default;
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    virtual ~worker() = default;

    // Each throws what the implementation throws, and process::lost where its process is gone.
    [[nodiscard]] virtual introduction introduce() = 0;
    [[nodiscard]] virtual readiness prepare(placed_operands& data) = 0;
    // Multiplies sets in turn from `first` on; returns when C is complete.
    virtual timing run(std::int64_t runs, std::size_t first) = 0;

    // Whether it runs in a process of its own.
    [[nodiscard]] virtual bool has_process() const { return false; }
    // Whether it can run as it was made ready: not when its process is a new one.
    [[nodiscard]] virtual bool is_ready() const { return true; }
    // Replaces it by a fresh process, to be prepared anew; false where it has none of its own.
    virtual bool renew() { return false; }
    // Seconds it took to stop the one before it and to have an answer from this one, each time.
    [[nodiscard]] virtual std::vector<double> hand_overs_s() const { return {}; }
    // What is ready, where it is in this process.
    [[nodiscard]] virtual rows::runnable* here() { return nullptr; }
};

// A worker that runs in this process.
[[nodiscard]] std::unique_ptr<worker> worker_here(const rows::implementation& entry,
                                                  const rows::operation& all,
                                                  const core::settings& how,
                                                  space::execution_space& space);

}  // namespace carat::workers
