// Where the time of a run goes: laps of one clock, from one part's end to the next, so that the
// parts leave no gap between them and their sum is the run.
//
//     start()   lap("allocate")   lap("copy_in")   lap("compute")
//       |-----------|-----------------|----------------|
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace carat::measure {

struct part {
    std::string_view name;
    std::vector<double> trials_s;  // for one run, trial by trial
};

class laps {
  public:
    laps();  // by the monotonic clock
    explicit laps(std::function<double()> now_s) : now_s_(std::move(now_s)) {}

    // A run begins now.
    void start();
    // Ends the part `name` of the run. Every run has the same parts in the same order.
    void lap(std::string_view name);

    // The runs between these two form one trial; runs outside any trial are ignored.
    void begin_trial();
    void end_trial();

    // The parts in order of first appearance.
    [[nodiscard]] const std::vector<part>& parts() const { return parts_; }

  private:
    std::function<double()> now_s_;
    double last_s_ = 0;
    std::vector<part> parts_;
    std::vector<double> sums_s_;  // of the trial that runs, part by part
    int runs_ = 0;                // in it
};

}  // namespace carat::measure
