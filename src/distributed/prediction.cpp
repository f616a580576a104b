#include "distributed/prediction.hpp"

#include <algorithm>

#include "distributed/steps.hpp"

namespace carat::distributed {

namespace {

double area(const extents& e, dimension x, dimension y) {
    return static_cast<double>(e[x]) * static_cast<double>(e[y]);
}

// Elements of a face that a rank does not hold.
double missing(const box& own, const extents& whole, dimension x, dimension y, dimension shared) {
    return area(own.size(), x, y) *
           (1 - static_cast<double>(own[shared].size()) / static_cast<double>(whole[shared]));
}

}  // namespace

prediction predict(const schedule& plan, const links& over) {
    prediction worst;
    const task& what = plan.what();
    const distribution a = plan.of_a(), b = plan.of_b();
    for (int rank = 0; rank < what.ranks; ++rank) {
        const box own = plan.of(rank);
        if (own.empty()) continue;
        const auto steps =
            steps_of(plan, rank, a.of(rank), b.of(rank), pace_of(false, dtype::bf16));
        const auto arrivals = static_cast<double>(std::ranges::count_if(
            steps, [](const step& s) { return s.a.has_value() || s.b.has_value(); }));
        const double inputs = missing(own, what.size, dimension::m, dimension::k, dimension::n) +
                              missing(own, what.size, dimension::k, dimension::n, dimension::m);
        const double output = missing(own, what.size, dimension::m, dimension::n, dimension::k);
        const auto time_of = [&](double words, double messages) {
            return words * over.element_bytes / over.bytes_per_s + messages * over.latency_s;
        };
        prediction here;
        here.multiply_s = 2 * own.size().volume() / over.flops;
        here.move_inputs_s = time_of(inputs, arrivals);
        here.move_output_s = output > 0 ? time_of(output, 1) : 0;
        const double last =
            here.multiply_s / static_cast<double>(std::max<std::size_t>(1, steps.size()));
        here.time_s = std::max(here.multiply_s, inputs > 0 ? here.move_inputs_s + last : 0) +
                      here.move_output_s;
        if (here.time_s > worst.time_s) worst = here;
    }
    if (worst.time_s > 0)
        worst.efficiency = 2 * what.size.volume() / what.ranks / over.flops / worst.time_s;
    return worst;
}

}  // namespace carat::distributed
