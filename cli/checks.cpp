#include "cli/checks.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace carat::cli {

namespace {

bool is_finite(const std::string& text, double& value) {
    return CLI::detail::lexical_cast(text, value) && std::isfinite(value);
}

}  // namespace

CLI::Validator number(double least, double most) {
    const auto check = [least, most](std::string& text) {
        double value = 0;
        const bool fits = is_finite(text, value) && value >= least && value <= most;
        return fits ? "" : fmt::format("'{}' is no number from {} to {}", text, least, most);
    };
    return {check, fmt::format("{} to {}", least, most)};
}

CLI::Validator not_negative() {
    const auto check = [](std::string& text) {
        double value = 0;
        const bool fits = is_finite(text, value) && value >= 0;
        return fits ? "" : fmt::format("'{}' is no number of 0 or more", text);
    };
    return {check, "0 or more"};
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    const auto check = [least, most](std::string& text) {
        std::uint64_t value = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = failure == std::errc() && end == text.data() + text.size() &&
                           text == std::to_string(value);  // CLI11 takes 010 for 8
        const bool fits = whole && value >= least && value <= most;
        return fits ? "" : fmt::format("'{}' is no whole number from {} to {}", text, least, most);
    };
    return {check, most == std::numeric_limits<std::uint64_t>::max()
                       ? fmt::format("{} or more", least)
                       : fmt::format("{} to {}", least, most)};
}

CLI::Validator file_name() {
    return {[](std::string& text) { return std::string(text.empty() ? "'' names no file" : ""); },
            ""};
}

CLI::Validator pattern() {
    return {[](std::string& text) { return std::string(text.empty() ? "'' names nothing" : ""); },
            ""};
}

CLI::Validator thread_counts() {
    return {[](std::string& text) {
                return std::string(text.empty() ? "'' is no number of threads: give one from 1 on, "
                                                  "or leave the option out for all cores"
                                                : "");
            },
            ""};
}

}  // namespace carat::cli
