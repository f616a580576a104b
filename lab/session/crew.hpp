// The workers of one case. Where each CPU implementation has a process of its own they share the
// memory of the operands, and take turns: all but one are stopped.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lab/process/shared_memory.hpp"
#include "lab/process/turns.hpp"
#include "lab/session/messages.hpp"
#include "lab/session/worker.hpp"

namespace carat::session {

// Starts a process that serves `entry`; `memory` is a descriptor for it to inherit.
using start_process = std::function<process::child(const core::implementation& entry, int memory)>;

class process_worker;

class crew {
  public:
    // `start` empty: everybody works in this process. `patience_s`: how long an answer may take
    // beyond what is expected before the worker is taken for hung.
    crew(start_process start, double patience_s);
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;
    ~crew();

    // The worker must not outlive the crew.
    [[nodiscard]] std::unique_ptr<worker> hire(const core::implementation& entry,
                                               const core::problem& p, const core::settings& how,
                                               core::execution_space& space);

    [[nodiscard]] bool has_processes() const { return static_cast<bool>(start_); }
    // For the operands on the host; null where nobody shares them.
    [[nodiscard]] process::shared_memory* memory() { return memory_.get(); }

    // Stops everybody: what runs next runs in this process.
    void rest() { turns_.give(nullptr); }

    // Of the processes so far: processor time, and how often a thread of theirs lost its processor
    // while they ran.
    [[nodiscard]] double cpu_s() const;
    [[nodiscard]] std::int64_t displaced() const { return displaced_; }

  private:
    friend process_worker;

    start_process start_;
    double patience_s_;
    std::unique_ptr<process::shared_memory> memory_;
    process::turns turns_;
    std::vector<const process::child*> alive_;
    double cpu_of_ended_s_ = 0;
    std::int64_t displaced_ = 0;
};

}  // namespace carat::session
