#include "lab/rows/group_sizes.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>

#include <carat/error.hpp>

#include "lab/statistics/split_mix.hpp"

namespace carat::rows {

namespace {

constexpr std::int64_t most_products = 65536;
constexpr std::int64_t most_rows = std::int64_t{1} << 31;  // of all products together
constexpr std::string_view uneven = "uneven:";
constexpr std::string_view on_device = ":device";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw error(error_code::invalid_argument, "--groups '" + std::string(text) + "': " + why);
}

// Removes the number at the beginning of `left` and the separator that must follow it.
std::int64_t number(std::string_view text, std::string_view& left, std::string_view next) {
    std::int64_t value = -1;
    const auto [end, failure] = std::from_chars(left.data(), left.data() + left.size(), value);
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    const bool goes_on = next.empty() ? left.empty() : left.starts_with(next);
    if (failure != std::errc() || value < 0 || value > most_rows || !goes_on)
        refuse(text,
               "give the rows of each product (100,28,0) or uneven:SEED:ROWS/PRODUCTS "
               "(uneven:7:4096/64), numbers up to 2^31, with :device behind them where carat is to "
               "read them in the GPU's memory");
    left.remove_prefix(next.size());
    return value;
}

std::vector<std::int64_t> drawn(std::string_view text) {
    std::string_view left = text.substr(uneven.size());
    statistics::split_mix random(static_cast<std::uint64_t>(number(text, left, ":")));
    const std::int64_t rows = number(text, left, "/");
    const std::int64_t products = number(text, left, "");
    if (products < 1 || products > most_products)
        refuse(text, "1 to " + std::to_string(most_products) + " products make a group");
    std::vector<std::int64_t> cuts = {0, rows};
    for (std::int64_t i = 1; i < products; ++i)
        cuts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows + 1)));
    std::ranges::sort(cuts);
    std::vector<std::int64_t> each;
    for (std::size_t i = 1; i < cuts.size(); ++i) each.push_back(cuts[i] - cuts[i - 1]);
    return each;
}

std::vector<std::int64_t> listed(std::string_view text) {
    std::vector<std::int64_t> each;
    for (std::string_view left = text; each.empty() || !left.empty();) {
        const bool is_last = left.find(',') == std::string_view::npos;
        each.push_back(number(text, left, is_last ? "" : ","));
        if (!is_last && left.empty()) (void)number(text, left, "");  // refuses it
    }
    if (each.size() > most_products)
        refuse(text, "at most " + std::to_string(most_products) + " products make a group");
    return each;
}

}  // namespace

bool are_sizes_on_device(std::string_view text) {
    return text.ends_with(on_device);
}

std::vector<std::int64_t> rows_of_groups(std::string_view text) {
    const std::string_view given = text;
    const bool by_ends = are_sizes_on_device(text);
    if (by_ends) text.remove_suffix(on_device.size());
    std::vector<std::int64_t> each = text.starts_with(uneven) ? drawn(text) : listed(text);
    if (sum_of(each) == 0) refuse(text, "no product has a row: give one at least");
    if (sum_of(each) > most_rows) refuse(text, "more than 2^31 rows in all");
    if (by_ends && sum_of(each) == most_rows)
        refuse(given, "ends of 32 bits reach to 2^31 - 1 rows: give one row less");
    return each;
}

std::int64_t sum_of(const std::vector<std::int64_t>& rows) {
    return std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
}

}  // namespace carat::rows
