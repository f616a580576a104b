// One process that takes part in a judgement, and its goes: prepare, draw, run, compare.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/judge/batch.hpp"
#include "lab/judge/draws.hpp"
#include "lab/judge/judge.hpp"
#include "lab/judge/worker.hpp"

namespace carat::judge {

// Processor time of the target's processes in all goes so far.
struct processor_use {
    double cpu_s = 0, passed_s = 0;
    shared_work shared;
};

// What all participants share: the peers' memory, the rules and the random numbers.
struct table_of_rules {
    const shared_memory& memory;
    const options& asked;
    const hooks& user;
    gpu_memory* gpu = nullptr;  // where matrices lie in a GPU's memory
    draws numbers{asked.seed};
    processor_use used = {};

    // The bytes for matrices and for what lies before data_begins.
    [[nodiscard]] std::int64_t capacity_bytes() const {
        return gpu != nullptr ? gpu->size_bytes() : memory.size_bytes();
    }
};

// Each of the target's processes shares its own memory with the judge alone, so it can reach
// neither the peers' operands nor what an earlier process of the same target left.
class participant {
  public:
    participant(std::string name, const std::vector<std::string>& arguments, table_of_rules& rules,
                bool is_target);

    // A fresh process for the same target, which has yet to load it.
    [[nodiscard]] std::unique_ptr<participant> again() const;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool is_target() const { return is_target_; }

    // Returns the libraries that the process has before it loads the target.
    [[nodiscard]] std::vector<std::string> wait_until_started();
    // Starts importing what the target is given, while other processes are started or checked.
    void begin_imports();
    void wait_for_imports();
    // Loads the target. Throws foul.
    void load();

    // Sets the products of the next goes. If `refused` is null, the target must take all of them.
    void enter(batch&& calls, std::vector<std::string>* refused);

    // Draws new data for the next go while the process is stopped and cannot see them.
    void make_ready(data_kind kind);
    // Seconds for one call. Throws foul if it breaks a rule while it runs.
    double go();
    // Throws foul if its results or the bytes around them are wrong.
    void check(double most_s);

    [[nodiscard]] batch& calls() { return *calls_; }
    // The target's description, once it is loaded.
    [[nodiscard]] const header& description() const { return memory().head(); }
    [[nodiscard]] const worker& process() const { return worker_; }
    [[nodiscard]] std::int64_t checked() const { return checked_; }
    // Why the GPU's event times are not credible, or empty if they agree with the clock.
    [[nodiscard]] std::string reason_against_times() const;

  private:
    [[nodiscard]] const shared_memory& memory() const { return own_ ? *own_ : rules_.memory; }
    void order(char what, std::int32_t calls);
    void prepare();
    void count_threads(const worker::use& taken);
    [[nodiscard]] std::string late_writes();

    [[nodiscard]] carat_gpu_channel& channel() const;
    void open_channel();
    void warm_up();
    void enqueue();
    double released(double passed_s);
    void wait_for_gpu();
    void watch_memory(const gpu_memory::capacity& before);

    std::string name_;
    std::vector<std::string> arguments_;
    table_of_rules& rules_;
    bool is_target_;
    std::unique_ptr<shared_memory> own_;
    worker worker_;
    std::unique_ptr<batch> calls_;
    double passed_s_ = 0, explained_s_ = 0;          // on a GPU: by the clock, and by events
    std::int64_t taken_bytes_ = 0, kept_bytes_ = 0;  // of a GPU's memory; after the first call
    std::int64_t goes_ = 0;
    int late_in_a_row_ = 0;
    bool is_warm_ = false, imports_ = false;
    std::int64_t checked_ = 0;
};

}  // namespace carat::judge
