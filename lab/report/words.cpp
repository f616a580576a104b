// The wording of numbers, plurals and lists.
#include "lab/report/words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "files/visible.hpp"
#include "lab/results/surroundings.hpp"

namespace carat::report {

std::string digits(double value) {
    if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
    const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
    if (magnitude < -3) return fmt::format("{:.2e}", value);
    return fmt::format("{:.{}f}", value, std::max(0, 3 - magnitude));
}

std::string milliseconds(double time_s) {
    return digits(1e3 * time_s);
}

throughput_unit unit_for(double largest_gflops) {
    if (largest_gflops >= 1e4) return {1e3, "TFLOP/s"};
    return {1, "GFLOP/s"};
}

std::string throughput(double gflops) {
    const throughput_unit unit = unit_for(gflops);
    return digits(gflops / unit.gflops) + " " + unit.name;
}

std::string times(double ratio) {
    return fmt::format("{:.{}f}×", ratio, ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2);
}

std::string roundoffs(double error) {
    if (error >= 1e5) return fmt::format("{:.1e}", error);
    return fmt::format("{:.{}f}", error, error >= 100 ? 0 : error >= 10 ? 1 : 2);
}

std::string unquoted(std::string text) {
    std::replace(text.begin(), text.end(), '`', '\'');
    return text;
}

std::string plain(const std::string& text) {
    std::string safe;
    for (const char c : files::visible(text)) {
        if (c == '|' || c == '<' || c == '\\') safe += '\\';
        safe += c;
    }
    return safe;
}

std::string duration(double seconds) {
    constexpr std::array<std::pair<double, const char*>, 4> units{
        {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
    const auto* unit = std::find_if(units.begin(), units.end() - 1,
                                    [&](const auto& u) { return std::abs(seconds) >= u.first; });
    const double value = seconds / unit->first;
    const int decimals = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", value, decimals, unit->second);
}

std::string shape(std::int64_t m, std::int64_t n, std::int64_t k) {
    return fmt::format("{} × {} × {}", m, n, k);
}

std::string threads(std::int64_t count) {
    return count == 0 ? "" : counted(static_cast<std::size_t>(count), "thread");
}

std::string counted(std::size_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string sentence(std::string_view words) {
    std::string text(words);
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text + ".";
}

std::string no_verdict(const std::string& busy) {
    return "busy machine: no verdict; " + busy;
}

std::string left_out(const std::string& busy) {
    return "busy machine: ranks and verdicts that it could change are left out; " + busy;
}

std::string disturbance_of(const std::string& name, const std::string& busy, bool all_alike) {
    return all_alike ? busy : name + ": " + busy;
}

std::string roughly(double seconds) {
    if (seconds < 90) return fmt::format("{:.0f} s", std::max(1.0, seconds));
    if (seconds < 5400) return fmt::format("{:.0f} minutes", seconds / 60);
    return fmt::format("{:.0f} hours", seconds / 3600);
}

std::string what_would_settle(std::size_t unclear, std::size_t hopeless, double more_s) {
    const std::string near = "so near the margin that no effort within reach settles it";
    if (hopeless == unclear) return fmt::format("{} unclear, {}", unclear, near);
    std::string text = fmt::format("{} unclear: about {} more would settle {} (--settle)", unclear,
                                   roughly(more_s), unclear - hopeless == 1 ? "it" : "them");
    if (hopeless > 0) text += fmt::format(", but for {} {}", hopeless, near);
    return text;
}

std::string gpu_name(const results::document& doc) {
    const results::surroundings machine = results::surroundings_of(doc);
    const results::gpu_seen* const gpu = machine.gpu_in_use();
    return gpu == nullptr ? "GPU" : gpu->name;
}

std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const auto& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
    return text;
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
    std::string text;
    const bool cut = names.size() > most + 1;
    const std::size_t said = cut ? most : names.size();
    for (std::size_t i = 0; i < said; ++i) {
        const bool last = !cut && i + 1 == names.size();
        text += (i == 0 ? "" : last ? " and " : ", ") + names[i];
    }
    return cut ? fmt::format("{} and {} more", text, names.size() - said) : text;
}

}  // namespace carat::report
