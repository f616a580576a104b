// Frozen answers of other programs, and how close is close. fixtures/README.md says whose.
#pragma once

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/statistics/anova.hpp"

namespace carat::statistics::test {

using samples = std::vector<std::vector<double>>;

inline nlohmann::json load_fixture(const std::string& name) {
    std::ifstream file(std::string(CARAT_TEST_DATA) + "/" + name);
    return nlohmann::json::parse(file);
}

inline std::vector<trials_view> views_of(const samples& groups) {
    return {groups.begin(), groups.end()};
}

inline double relative_error(double value, double expected) {
    return value == expected ? 0 : std::abs(value - expected) / std::abs(expected);
}

}  // namespace carat::statistics::test
