// A process of a session that is started when it is first asked something, and has the turn while
// it is asked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "lab/process/shared_memory.hpp"
#include "lab/process/turns.hpp"
#include "lab/rows/implementation.hpp"

namespace carat::workers {

// Starts a process that serves `entry` (null: all that runs on a device); `memory` is a descriptor
// for it to inherit.
using start_process = std::function<process::child(int memory, const rows::implementation* entry)>;

// What all processes of a case have in common.
struct process_pool {
    start_process start;
    double patience_s = 0;  // how long an answer may take beyond what is expected
    std::unique_ptr<process::shared_memory> memory;
    process::turns turns;
    std::vector<const process::child*> alive;
    double cpu_of_ended_s = 0;
    std::int64_t displaced = 0;
};

class lazy_process {
  public:
    explicit lazy_process(process_pool& all, const rows::implementation* entry = nullptr)
        : all_(all), entry_(entry) {}
    lazy_process(const lazy_process&) = delete;
    lazy_process& operator=(const lazy_process&) = delete;
    ~lazy_process() { dismiss(); }

    // Throws process::lost, and the process is gone then, and std::runtime_error for what it
    // answers with an error. `when` ends what is said of a loss.
    nlohmann::json ask(const nlohmann::json& question, const char* when, double expected_s);
    void dismiss();

    [[nodiscard]] bool alive() const { return child_.has_value(); }
    // The number of the last process started, from 1.
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] const std::vector<double>& hand_overs_s() const { return hand_overs_s_; }

  private:
    void start();
    void take_turn();

    process_pool& all_;
    const rows::implementation* entry_;
    std::optional<process::child> child_;
    int number_ = 0;
    std::vector<double> hand_overs_s_;
};

}  // namespace carat::workers
