#include "lab/machine/render.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace carat::machine {

namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t indent = 15;

std::string or_unknown(const std::string& text) {
    return text.empty() ? "unknown" : text;
}

std::string size_text(std::int64_t bytes) {
    static constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
    return bytes <= 0 ? "unknown" : fmt::format("{:.{}f} {}", value, whole ? 0 : 1, units[unit]);
}

std::string megahertz(double mhz) {
    return mhz > 0 ? fmt::format("{:.0f} MHz", mhz) : "unknown";
}

std::string count(int number, std::string_view what) {
    if (number <= 0) return fmt::format("unknown {}s", what);
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string cache_text(const cache& c) {
    std::string text = size_text(c.size_bytes);
    if (c.ways > 0) text += fmt::format(", {} ways", c.ways);
    if (c.line_bytes > 0) text += fmt::format(", {}-byte lines", c.line_bytes);
    if (c.shared_by > 0) text += ", for " + count(c.shared_by, "hardware thread");
    return text;
}

std::string age_text(double age_s) {
    if (age_s < 60) return "just now";
    if (age_s < 5400) return fmt::format("{:.0f} minutes ago", age_s / 60);
    if (age_s < 48 * 3600) return fmt::format("{:.0f} hours ago", age_s / 3600);
    return fmt::format("{:.0f} days ago", age_s / 86400);
}

// A row of the tables: two columns of words, then figures for one thread and for all.
std::string figures(std::string_view first, std::string_view second, double one, double all) {
    const auto figure = [](double value) {
        return value > 0 ? fmt::format("{:>14.1f}", value) : fmt::format("{:>14}", "-");
    };
    return fmt::format("  {:<20.20}{:<12.12}{}{}\n", first, second, figure(one), figure(all));
}

std::string heading(std::string_view first, std::string_view second, int threads) {
    const std::string all = threads > 1 ? count(threads, "thread") : "";
    return fmt::format("  {:<20}{:<12}{:>14}{:>14}\n", first, second, "1 thread", all);
}

template <class Peak>
int most_threads(const std::vector<Peak>& peaks) {
    int most = 1;
    for (const Peak& peak : peaks) most = std::max(most, peak.threads);
    return most;
}

std::string compute_table(const std::vector<compute_peak>& peaks) {
    std::string text = heading("unit", "type", most_threads(peaks));
    for (const compute_peak& one : peaks) {
        if (one.threads != 1) continue;
        double all = 0;
        for (const compute_peak& other : peaks)
            if (other.threads != 1 && other.unit == one.unit && other.type == one.type)
                all = other.gflops;
        text += figures(one.unit, name(one.type), one.gflops, all);
    }
    return text;
}

std::string bandwidth_table(const std::vector<bandwidth_peak>& peaks) {
    std::string text = heading("level", "sets up to", most_threads(peaks));
    for (const bandwidth_peak& one : peaks) {
        if (one.threads != 1) continue;
        double all = 0;
        for (const bandwidth_peak& other : peaks)
            if (other.threads != 1 && other.level == one.level) all = other.gb_per_s;
        text += figures(one.level, size_text(one.working_set_bytes), one.gb_per_s, all);
    }
    return text;
}

// The curve as bars on a logarithmic scale: each third is one factor.
class reading_curve {
  public:
    explicit reading_curve(const std::vector<reading_peak>& points) : points_(points) {
        most_ = most_threads(points);
        for (const reading_peak& p : points) {
            least_gb_ = std::min(least_gb_, p.gb_per_s);
            greatest_gb_ = std::max(greatest_gb_, p.gb_per_s);
        }
    }

    [[nodiscard]] std::string text() const {
        std::string all = fmt::format("  {:<10}{:<34}{}\n", "of each", "1 thread",
                                      most_ > 1 ? count(most_, "thread") : "");
        std::set<std::int64_t> sizes;
        for (const reading_peak& p : points_)
            if (p.threads == 1 || p.threads == most_) sizes.insert(p.working_set_bytes);
        for (const std::int64_t size : sizes) {
            std::string line = fmt::format("  {:<10}{:<34}", size_text(size), bar(size, 1));
            if (most_ > 1) line += bar(size, most_);
            line.erase(line.find_last_not_of(' ') + 1);
            all += line + "\n";
        }
        return all;
    }

  private:
    [[nodiscard]] std::string bar(std::int64_t size, int threads) const {
        constexpr double longest = 22;
        for (const reading_peak& p : points_) {
            if (p.threads != threads || p.working_set_bytes != size) continue;
            const double share = greatest_gb_ > least_gb_ ? std::log(p.gb_per_s / least_gb_) /
                                                                std::log(greatest_gb_ / least_gb_)
                                                          : 1;
            return fmt::format("{:>8.1f} {:#<{}}", p.gb_per_s, "",
                               1 + static_cast<int>(share * longest));
        }
        return {};
    }

    const std::vector<reading_peak>& points_;
    int most_ = 1;
    double least_gb_ = std::numeric_limits<double>::max();
    double greatest_gb_ = 0;
};

}  // namespace

std::string row(std::string_view label, std::string_view text) {
    std::string result;
    std::string line = fmt::format("{:<{}}", label, indent);
    bool empty = true;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' ')).substr(0, columns - indent);
        if (!empty && line.size() + 1 + word.size() > columns) {
            result += line + "\n";
            line = std::string(indent, ' ');
            empty = true;
        }
        line += (empty ? "" : " ") + std::string(word);
        empty = false;
        text.remove_prefix(word.size());
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    return result + line + "\n";
}

std::string render(const description& machine) {
    const std::string vendor = machine.vendor.empty() ? "" : " (" + machine.vendor + ")";
    std::string text = row("processor", or_unknown(machine.cpu_model) + vendor);
    text += row("hypervisor", machine.hypervisor.empty() ? "none seen" : machine.hypervisor);
    text += row("system", or_unknown(machine.os) + ", " + or_unknown(machine.kernel));
    std::string cores = count(machine.cores, "core") + " usable, " +
                        count(machine.hardware_threads, "hardware thread") + ", " +
                        count(machine.numa_nodes, "NUMA node");
    if (machine.cpu_quota > 0)
        cores +=
            fmt::format("; limited to the time of {:.4g} by its control group", machine.cpu_quota);
    text += row("cores", cores);
    text += row("memory", size_text(machine.memory_bytes));
    text += row("frequency", megahertz(machine.frequency_current_mhz) + " now, at most " +
                                 megahertz(machine.frequency_max_mhz));
    text += row("instructions", fmt::format("{}; in use: {}", fmt::join(machine.isa, " "),
                                            core::name(machine.isa_in_use)));
    if (machine.caches.empty()) text += row("caches", "unknown");
    for (const cache& c : machine.caches)
        text += row(fmt::format("L{} {}", c.level, c.kind), cache_text(c));
    return text;
}

std::string render(const description& machine, const peaks& limits) {
    return render(machine) +
           fmt::format(
               "\nComputing, GFLOP/s (10^9 multiplications and additions a second), "
               "measured\n{}: registers only, best of many rounds\n",
               age_text(limits.age_s)) +
           compute_table(limits.compute) + "\nReading, GB/s (10^9 bytes a second)\n" +
           bandwidth_table(limits.bandwidth) +
           (limits.reading.empty() ? ""
                                   : "\nReading, by working set, from which levels are read off\n" +
                                         reading_curve(limits.reading).text());
}

}  // namespace carat::machine
