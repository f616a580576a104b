// The workers of one case. Where each CPU implementation has a process of its own, and those of a
// GPU have one together, processes share the memory of the host's operands, and take turns: all but
// one are stopped.
#pragma once

#include <functional>
#include <memory>

#include "lab/space/cuda/device_space.hpp"
#include "lab/workers/device_process.hpp"
#include "lab/workers/lazy_process.hpp"
#include "lab/workers/messages.hpp"
#include "lab/workers/operand_store.hpp"
#include "lab/workers/worker.hpp"

namespace carat::workers {

class worker_set {
  public:
    struct options {
        start_process start;  // empty: everybody works in this process
        // How long an answer may take beyond what is expected before the worker is taken for hung.
        double patience_s = 60;
        bool device_here = false;  // what runs on a device does so in this process
        // The device's memory in this process; empty: the GPU in use.
        std::function<space::execution_space&()> device_space;
    };

    worker_set(options how, const rows::operation& all);
    worker_set(const worker_set&) = delete;
    worker_set& operator=(const worker_set&) = delete;
    ~worker_set();

    // The worker must not outlive the set.
    [[nodiscard]] std::unique_ptr<worker> make_worker(const rows::implementation& entry,
                                                      const core::settings& how);

    // Where what runs on `where` has its operands, once the host's are laid out.
    [[nodiscard]] operand_store& operands_of(rows::device where, placed_operands& data);

    // Whether there is a device at all, as far as this process can say without using it.
    [[nodiscard]] bool has_device() const;
    [[nodiscard]] space::execution_space& device_space() const;

    [[nodiscard]] bool has_processes() const { return static_cast<bool>(pool_.start); }
    // The memory of operands on the host; null where no process shares them.
    [[nodiscard]] process::shared_memory* memory() { return pool_.memory.get(); }

    // Stops everybody: what runs next runs in this process.
    void rest() { pool_.turns.give(nullptr); }

    // Processes of a GPU that an implementation broke so far.
    [[nodiscard]] int losses() const { return device_ ? device_->losses() : 0; }

    // What the processes used so far: processor time, and how often a thread of theirs lost its
    // processor while they ran.
    [[nodiscard]] double cpu_s() const;
    [[nodiscard]] std::int64_t displaced() const { return pool_.displaced; }

  private:
    [[nodiscard]] bool uses_device_process() const { return pool_.start && !how_.device_here; }

    options how_;
    const rows::operation all_;
    process_pool pool_;
    std::unique_ptr<device_process> device_;
    std::unique_ptr<operand_store> host_operands_;
    std::unique_ptr<operand_store> device_operands_;  // where the device is used from here
};

}  // namespace carat::workers
