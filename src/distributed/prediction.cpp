#include "distributed/prediction.hpp"

#include <algorithm>

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

pace pace_over(const links& over) {
    pace by;
    by.madds_per_s = over.flops / 2;
    by.words_per_s = over.bytes_per_s / over.element_bytes;
    by.start_s = over.start_s;
    by.latency_s = over.latency_s;
    by.units = over.units;
    by.tile = static_cast<std::int64_t>(over.tile);
    return by;
}

// Parts of C are sent as soon as they are multiplied, the rank's own comes last, and there are as
// many as ranks share the face. Sums of elements of 2 bytes have 4.
double with_output(double inputs_s, double multiply_s, double output_s, double sharing) {
    if (output_s == 0) return inputs_s;
    const double own_s = multiply_s / sharing;
    const double last_s = output_s / (sharing - 1);
    return std::max(inputs_s,
                    inputs_s - own_s + std::max(last_s, output_s - multiply_s + 2 * own_s));
}

prediction of_rank(const schedule& plan, int rank, const distribution& a, const distribution& b,
                   const pace& by, double sum_words) {
    const extents& whole = plan.what().size;
    const box own = plan.of(rank);
    if (own.empty()) return {};
    const share held_a = a.of(rank), held_b = b.of(rank);
    const std::vector<step> steps = steps_of(plan, rank, held_a, held_b, by);
    prediction here;
    double arrivals = 0;
    for (const step& s : steps) {
        if (s.a.has_value() || s.b.has_value()) ++arrivals;
        for (const box& of : s.products) here.multiply_s += time_of(of, by);
    }
    const double inputs = missing(own, whole, dimension::m, dimension::k, dimension::n) +
                          missing(own, whole, dimension::k, dimension::n, dimension::m);
    const double output = missing(own, whole, dimension::m, dimension::n, dimension::k);
    const double sharing =
        static_cast<double>(whole[dimension::k]) / static_cast<double>(own[dimension::k].size());
    here.move_inputs_s = inputs / by.words_per_s + arrivals * by.latency_s;
    if (output > 0)
        here.move_output_s = output * sum_words / by.words_per_s + (sharing - 1) * by.latency_s;
    here.time_s = with_output(time_of(steps, held_a, held_b, by), here.multiply_s,
                              here.move_output_s, sharing);
    return here;
}

}  // namespace

prediction predict(const schedule& plan, const links& over) {
    prediction worst;
    const task& what = plan.what();
    const distribution a = plan.of_a(), b = plan.of_b();
    const pace by = pace_over(over);
    const double sum_words = over.element_bytes == 2 ? 2 : 1;
    for (int rank = 0; rank < what.ranks; ++rank) {
        const prediction here = of_rank(plan, rank, a, b, by, sum_words);
        if (here.time_s > worst.time_s) worst = here;
    }
    if (worst.time_s > 0) {
        const auto [m, n, k] = what.size.of;
        const box all{{index_range{0, m}, index_range{0, n}, index_range{0, k}}};
        worst.efficiency = time_of(all, by) / what.ranks / worst.time_s;
    }
    return worst;
}

}  // namespace carat::distributed
