// The timed rounds of one size: the target, the engine and the best vendor, in a new order each
// round (lab/measure), in five fresh processes each. Every go has its own data, and each of the
// target's goes is compared.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/judge/participant.hpp"
#include "lab/judge/products.hpp"

namespace carat::judge {

class rounds {
  public:
    rounds(table_of_rules& rules, participant& target, const timed_product& product, dtype type);

    // Runs one go as an estimate, then the trials. Throws foul for the target's own.
    [[nodiscard]] timed_case run();

    // Counts of the target's processes except the first, which belongs to the caller.
    [[nodiscard]] std::int64_t checked() const { return checked_; }
    [[nodiscard]] const std::vector<std::string>& libraries() const { return libraries_; }

  private:
    struct entrant {
        participant* who;
        double estimate_s = 0;
        std::vector<double> trials_s;
        std::vector<std::int64_t> trials_per_process;
    };

    [[nodiscard]] core::problem problem() const {
        return problem_of(type_, product_.size, product_.rows);
    }
    [[nodiscard]] batch batch_of(std::int64_t calls);
    [[nodiscard]] std::int64_t calls_lasting(double run_s) const;
    [[nodiscard]] bool on_gpu() const { return rules_.gpu != nullptr; }
    void estimate(entrant& e);
    static void blaming(const entrant& e, const std::function<void()>& work);
    void begin_fresh_targets();
    void wait_for_fresh_targets();
    void start_peers();
    void choose_vendor();
    void renew();
    void retire(const entrant& e);
    void distrust(const entrant& e);
    void measure(int trials);
    [[nodiscard]] int trials_of_one_process() const;
    void before_trial(entrant& e);
    void after_trial(entrant& e);
    [[nodiscard]] timed_case conclude();

    table_of_rules& rules_;
    timed_product product_;
    dtype type_;
    std::vector<std::unique_ptr<participant>> peers_;  // and the target's fresh process
    std::vector<entrant> entrants_;                    // the target first
    std::vector<std::unique_ptr<participant>> fresh_targets_;
    std::string busy_;
    double retired_s_ = 0;  // processor time of processes that have ended
    std::int64_t checked_ = 0;
    std::vector<std::string> libraries_;

  public:
    // Why the times support no verdict, or empty.
    [[nodiscard]] const std::string& busy() const { return busy_; }
};

// The bytes of the fewest calls that can be timed.
[[nodiscard]] std::int64_t least_bytes(request::shape size, dtype type);

}  // namespace carat::judge
