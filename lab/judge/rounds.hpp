// The timed rounds of one size: the target, the engine and the best vendor in turn, in a new order
// each round, by lab/measure. Each go has data of its own, and each of the target's is compared.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/judge/party.hpp"

namespace carat::judge {

class rounds {
  public:
    rounds(table_of_rules& rules, party& target, session::shape size, dtype type);

    // One go for an estimate, then the trials. Throws foul for the target's own.
    [[nodiscard]] timed_case run();

  private:
    struct entrant {
        party* who;
        double estimate_s = 0;
        std::vector<double> trials_s;
    };

    [[nodiscard]] batch batch_of(std::int64_t calls);
    [[nodiscard]] std::int64_t calls_lasting(double run_s) const;
    void estimate(entrant& e);
    static void blaming(const entrant& e, const std::function<void()>& work);
    void start_peers();
    void choose_vendor();
    void measure(int trials);
    [[nodiscard]] int trials_in_time() const;
    void before_trial(entrant& e);
    void after_trial(entrant& e);
    [[nodiscard]] timed_case conclude();

    table_of_rules& rules_;
    session::shape size_;
    dtype type_;
    std::vector<std::unique_ptr<party>> peers_;
    std::vector<entrant> entrants_;  // the target first
    std::string busy_;

  public:
    // Why no verdict may rest on the figures; empty: nothing.
    [[nodiscard]] const std::string& busy() const { return busy_; }
};

// Bytes of the fewest calls that can be timed.
[[nodiscard]] std::int64_t least_bytes(session::shape size, dtype type);

}  // namespace carat::judge
