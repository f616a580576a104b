// Distributions as values and as text. One table says what each is called, which parameters it
// takes and what they are when left out; parsing, printing and error messages all read it.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include <carat/error.hpp>

#include "lab/workload/workload.hpp"

namespace carat::workload {

namespace {

using shape = distribution::shape;

struct form {
    shape kind;
    std::string_view name;
    std::string_view parameters;
    std::size_t count;
    distribution initial;
};

constexpr std::array forms = {
    form{shape::uniform, "uniform", "(lo,hi)", 2, {shape::uniform, 0, 1}},
    form{shape::normal, "normal", "(mean,sd)", 2, {shape::normal, 0, 1}},
    form{shape::integers, "integers", "(lo,hi)", 2, {shape::integers, -8, 8}},
    form{shape::ill_conditioned, "ill-conditioned", "(phi)", 1, {shape::ill_conditioned, 1, 0}},
    form{shape::zeros, "zeros", "", 0, {shape::zeros, 0, 0}},
};

[[noreturn]] void refuse(const std::string& what) {
    throw error(error_code::invalid_argument, "distribution " + what);
}

std::string known_forms() {
    std::string all;
    for (const form& f : forms)
        all += fmt::format("{}{}{}", all.empty() ? "" : ", ", f.name, f.parameters);
    return all;
}

const form& form_of(shape kind) {
    return *std::ranges::find(forms, kind, &form::kind);
}

void check(const distribution& d) {
    const std::string text = to_string(d);
    if (!std::isfinite(d.first) || !std::isfinite(d.second))
        refuse(text + ": parameters must be finite numbers");
    if (d.kind == shape::uniform && (!(d.first < d.second) || !std::isfinite(d.second - d.first)))
        refuse(text + ": lo must be less than hi, and hi - lo finite");
    if (d.kind == shape::normal && !(d.second > 0)) refuse(text + ": sd must be positive");
    if (d.kind == shape::ill_conditioned && !(d.first >= 0 && d.first <= 50))
        refuse(text + ": phi must be 0 to 50");
    const bool whole = std::floor(d.first) == d.first && std::floor(d.second) == d.second;
    const bool exact = std::abs(d.first) <= 0x1p51 && std::abs(d.second) <= 0x1p51;
    if (d.kind == shape::integers && (!whole || !exact || d.first > d.second))
        refuse(text + ": lo and hi must be whole numbers within 2^51, lo not above hi");
}

distribution checked(const distribution& d) {
    check(d);
    return d;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<double> parse_numbers(std::string_view list, std::string_view text) {
    std::vector<double> numbers;
    for (bool more = true; more;) {
        const auto comma = list.find(',');
        const std::string_view word = trimmed(list.substr(0, comma));
        double number = 0;
        const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (failure != std::errc() || end != word.data() + word.size())
            refuse(fmt::format("'{}': '{}' is not a number", text, word));
        numbers.push_back(number);
        more = comma != std::string_view::npos;
        if (more) list.remove_prefix(comma + 1);
    }
    return numbers;
}

}  // namespace

distribution zeros() {
    return form_of(shape::zeros).initial;
}
distribution uniform(double lo, double hi) {
    return checked({shape::uniform, lo, hi});
}
distribution normal(double mean, double sd) {
    return checked({shape::normal, mean, sd});
}
distribution integers(double lo, double hi) {
    return checked({shape::integers, lo, hi});
}
distribution ill_conditioned(double phi) {
    return checked({shape::ill_conditioned, phi, 0});
}

distribution parse_distribution(std::string_view text) {
    const std::string_view all = trimmed(text);
    const auto open = all.find('(');
    const std::string_view name = trimmed(all.substr(0, open));
    const auto found = std::ranges::find(forms, name, &form::name);
    if (found == forms.end()) refuse(fmt::format("'{}' is unknown: use {}", text, known_forms()));
    if (open == std::string_view::npos) return found->initial;
    if (all.back() != ')') refuse(fmt::format("'{}': the ')' is missing", text));
    const auto numbers = parse_numbers(all.substr(open + 1, all.size() - open - 2), text);
    if (numbers.size() != found->count)
        refuse(fmt::format("'{}' has {} parameters, not {}: write {}{}", text, numbers.size(),
                           found->count, found->name, found->parameters));
    return checked({found->kind, numbers[0], numbers.size() > 1 ? numbers[1] : 0});
}

std::string to_string(const distribution& d) {
    const form& f = form_of(d.kind);
    if (f.count == 0) return std::string(f.name);
    if (f.count == 1) return fmt::format("{}({})", f.name, d.first);
    return fmt::format("{}({},{})", f.name, d.first, d.second);
}

}  // namespace carat::workload
