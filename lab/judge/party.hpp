// One process that takes part in a judgement, and its goes: made ready, drawn, run, compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/judge/batch.hpp"
#include "lab/judge/judge.hpp"
#include "lab/judge/worker.hpp"

namespace carat::judge {

// What all share: the memory, the rules, and the numbers that are drawn.
struct table_of_rules {
    const shared_memory& memory;
    const request& asked;
    const hooks& user;
    std::uint64_t draws = 0;

    [[nodiscard]] std::uint64_t draw();
};

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
    [[nodiscard]] const worker& process() const { return worker_; }
    [[nodiscard]] std::int64_t checked() const { return checked_; }

  private:
    void count_threads(const worker::use& taken);
    [[nodiscard]] std::string late_writes();

    std::string name_;
    std::vector<std::string> arguments_;
    table_of_rules& rules_;
    bool is_target_;
    worker worker_;
    std::unique_ptr<batch> calls_;
    double cpu_s_ = 0, passed_s_ = 0;
    std::int64_t checked_ = 0;
};

}  // namespace carat::judge
