// One process that takes part in a judgement, and its goes: made ready, drawn, run, compared.
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

// What the target's processes took of the processor in all goes so far.
struct processor_use {
    double cpu_s = 0, passed_s = 0;
    shared_work shared;
};

// What all share: the peers' memory, the rules, and the numbers that are drawn.
struct table_of_rules {
    const shared_memory& memory;
    const options& asked;
    const hooks& user;
    desk* gpu = nullptr;  // where matrices lie in a GPU's memory
    draws numbers{asked.seed};
    processor_use used = {};

    // Of matrices, with what lies before data_begins.
    [[nodiscard]] std::int64_t capacity_bytes() const {
        return gpu != nullptr ? gpu->size_bytes() : memory.size_bytes();
    }
};

// A target's process shares memory with the referee alone, each with its own: it can reach neither
// the peers' operands nor what an earlier process of the same target left.
class party {
  public:
    party(std::string name, const std::vector<std::string>& arguments, table_of_rules& rules,
          bool is_target);

    // The same in a fresh process, which is to load it.
    [[nodiscard]] std::unique_ptr<party> again() const;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool is_target() const { return is_target_; }

    // What the process has loaded before it loads the target.
    [[nodiscard]] std::vector<std::string> wait_until_started();
    // Has it import what the target is given, while others are started or checked, until it is
    // waited for.
    void begin_imports();
    void wait_for_imports();
    // Loads it. Throws foul.
    void load();

    // The products that it is asked for from here on. `all` where some of them may be refused.
    void enter(batch&& calls, std::vector<std::string>* refused);

    // New data for the next go; what stands still can't look at them.
    void make_ready(data_kind kind);
    // Seconds for one call. Throws foul where it breaks a rule while it runs.
    double go();
    // Throws foul when what it left is not what it should be.
    void check(double most_s);

    [[nodiscard]] batch& calls() { return *calls_; }
    // How it describes itself, once it is loaded.
    [[nodiscard]] const header& description() const { return memory().head(); }
    [[nodiscard]] const worker& process() const { return worker_; }
    [[nodiscard]] std::int64_t checked() const { return checked_; }
    // On a GPU: why its times, by events, are not to be believed; empty: the clock agrees.
    [[nodiscard]] std::string reason_against_times() const;

  private:
    [[nodiscard]] const shared_memory& memory() const { return own_ ? *own_ : rules_.memory; }
    void order(char what, std::int32_t calls);
    void prepare();
    void count_threads(const worker::use& taken);
    [[nodiscard]] std::string late_writes();

    [[nodiscard]] carat_door& door() const;
    void open_door();
    void warm_up();
    void enqueue();
    double released(double passed_s);
    void wait_for_gpu();
    void watch_memory(const desk::room& before);

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
