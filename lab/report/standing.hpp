// How an implementation stands over many products: a mean hides whom it is of, so the number of
// cases, the slow end and the worst case stand beside it.
#pragma once

#include <string>
#include <vector>

#include "lab/report/cases.hpp"
#include "lab/report/table.hpp"

namespace carat::report {

// Speeds relative to the fastest other implementation of each case, by medians.
struct standing {
    std::string population;  // "bf16": type and call, with threads on a CPU
    std::string implementation;
    std::size_t cases = 0;  // in which it and another have a figure
    double geomean = 0;
    results::range ci95 = results::unbounded;  // of the geometric mean, over the cases
    double p5 = 0;                             // of twenty cases one is slower
    double leading_share = 0;                  // of cases in which it is the fastest
    double worst = 0;
    std::string worst_case;
};

// The rows of each population with ten cases or more, the highest mean first; else none.
[[nodiscard]] std::vector<standing> standings(const std::vector<measured_case>& cases);

// The standings as a table, which is empty where there are none.
[[nodiscard]] table standing_table(const std::vector<measured_case>& cases);

}  // namespace carat::report
