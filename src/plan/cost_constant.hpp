// What a fitted number is called, its unit and its meaning, and lists of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace carat::plan {

/// A constant of the struct Costs, for the fit, the file and people.
template <class Costs>
struct constant {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
    double Costs::*at;
};

/// One list of both.
template <class T, std::size_t First, std::size_t Second>
constexpr std::array<T, First + Second> joined(const std::array<T, First>& first,
                                               const std::array<T, Second>& second) {
    std::array<T, First + Second> all{};
    std::ranges::copy(first, all.begin());
    std::ranges::copy(second, all.begin() + First);
    return all;
}

}  // namespace carat::plan
