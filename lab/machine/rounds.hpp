// Measures limits of processors and GPUs in short rounds, every item once per sweep, until the time
// is over, so that a disturbance or a change of clock affects all alike. The best round is the
// limit: a disturbance makes a round slower, never faster (docs/adr/0030).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lab/machine/peaks.hpp"
#include "lab/machine/pinned_threads.hpp"

namespace carat::machine {

// Something that is measured repeatedly.
struct repeated {
    double amount = 0;  // operations or bytes of one repetition
    std::function<shared_time(std::int64_t repetitions)> run;
    std::int64_t repetitions = 1;
    std::vector<double> rates = {};  // amount a second, one a round
    bool is_long = false;            // one repetition takes several rounds' time

    [[nodiscard]] double best() const;
    [[nodiscard]] double spread() const;  // (best - median) / best
    [[nodiscard]] int rounds() const { return static_cast<int>(rates.size()); }
};

// Gives every item at least three rounds, with repetitions that last as long as the options
// require. About two thirds of the time go to all alike, the rest to those whose best round stands
// alone.
void measure_in_rounds(std::span<repeated> items, double budget_s, const measure_options& options);

// `found` as measured now with these options.
[[nodiscard]] peaks stamped(peaks found, const measure_options& options);

}  // namespace carat::machine
