#include "lab/report/case_tables.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "lab/report/age.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

std::string or_dash(const json& result, const char* field, std::string (*write)(double)) {
    const auto found = result.find(field);
    return found == result.end() || found->is_null() ? "-" : write(found->get<double>());
}

std::string milliseconds(double time_s) {
    return digits(1e3 * time_s);
}

std::string code(const json& name) {
    return "`" + unquoted(name) + "`";
}

std::string interval(const json& parent, const char* field, double unit = 1) {
    const json ends = field_or(parent, field, json::array());
    if (ends.empty()) return "-";
    return fmt::format("{} to {}", digits(ends[0].get<double>() / unit),
                       digits(ends[1].get<double>() / unit));
}

// Without an interval the range of the trials, called so.
std::string interval_or_range(const json& result, double unit) {
    if (!field_or(result, "ci95_gflops", json()).is_null())
        return interval(result, "ci95_gflops", unit);
    const auto range = range_of_trials(result);
    return range ? fmt::format("trials {} to {}", digits(range->first / unit),
                               digits(range->second / unit))
                 : "-";
}

// The name as every table has it: marked where the library is old.
std::string name_in(const json& doc, const json& result) {
    return code(result["implementation"]) +
           age_mark(old_release(result, field_or<std::string>(doc, "date", "")));
}

// " (1 thread)" where a result used another number of threads than its case allows.
std::string own_threads(const json& result, const measured_case& here) {
    const auto used = threads_used(result);
    return used == here.threads || result["device"] != "cpu" ? "" : " (" + threads(used) + ")";
}

// Of rows that others disturbed, and of those that might change places with them, no rank is known.
std::string rank_of(const json& result, const measured_case& here, std::size_t place) {
    const int rank = here.busy.empty() ? static_cast<int>(place) : field_or(result, "rank", 0);
    return rank > 0 ? std::to_string(rank) : "-";
}

std::vector<std::string> ranking_row(const json& doc, const json& result, const measured_case& here,
                                     std::size_t place, const throughput_unit& unit) {
    const bool busy = is_disturbed(result);
    const double percent = percent_of_roofline(doc, here, result);
    const json& best = doc["results"][here.ranked.front()];
    return {rank_of(result, here, place),
            name_in(doc, result) + own_threads(result, here),
            digits(result["median_gflops"].get<double>() / unit.gflops),
            interval_or_range(result, unit.gflops),
            percent > 0 ? fmt::format("{:.1f}", percent) : "-",
            &best == &result ? "1.00" : fmt::format("{:.2f}", times_as_fast(here, best, result)),
            busy ? "-" : field_or<std::string>(result, "group", "-"),
            or_dash(result, "error_ulp", roundoffs),
            or_dash(result, "cold_s", milliseconds),
            or_dash(result, "prepare_s", milliseconds)};
}

// What a result of a GPU tells beside its time. The kernel that multiplies is the last one.
std::vector<std::string> gpu_row(const json& doc, const json& result) {
    const json gpu = field_or(result, "gpu", json::object());
    const json kernels = field_or(result, "kernels", json::array());
    const json kernel = kernels.empty() ? json::object() : kernels.back();
    const auto plainly = [](double v) { return fmt::format("{:.6g}", v); };
    const auto three = [](double v) { return fmt::format("{:.3g}", v); };
    std::string held_back;
    for (const json& reason : field_or(gpu, "throttle_reasons", json::array()))
        held_back += (held_back.empty() ? "" : ", ") + reason.get<std::string>();
    return {name_in(doc, result),
            or_dash(field_or(gpu, "clock_mhz", json::object()), "median", plainly),
            or_dash(gpu, "power_w", three),
            or_dash(gpu, "joules_per_gflop", three),
            or_dash(gpu, "temperature_c", plainly),
            held_back.empty() ? "-" : held_back,
            or_dash(kernel, "registers", plainly),
            or_dash(kernel, "shared_bytes", plainly),
            or_dash(kernel, "local_bytes", plainly),
            or_dash(kernel, "occupancy", three)};
}

std::vector<std::string> phases_row(const json& doc, const json& result) {
    const json& phases = result["phases"];
    std::vector<std::string> row = {name_in(doc, result)};
    for (const char* field :
         {"allocate_s", "copy_in_s", "convert_s", "compute_s", "copy_out_s", "free_s", "total_s"})
        row.push_back(or_dash(field_or(phases, field, json::object()), "median", milliseconds));
    row.push_back(field_or<std::string>(phases, "host_memory", "-"));
    return row;
}

std::string welch_note(const json& comparison) {
    const json welch = field_or(comparison, "welch", json::object());
    if (!welch.contains("f") || welch["f"].is_null()) return {};
    const auto said = [&](const char* field) {
        return or_dash(welch, field, [](double v) { return fmt::format("{:.4g}", v); });
    };
    return fmt::format(
        "Welch's ANOVA: F({}, {}) = {}, p = {}. Verdicts are read off the intervals; "
        "p is the least level at which they hold, of all pairs together.",
        said("df1"), said("df2"), said("f"), said("p"));
}

}  // namespace

table ranking_table(const json& doc, const measured_case& here) {
    double largest = 0;
    for (const std::size_t i : here.ranked)
        largest = std::max(largest, doc["results"][i]["median_gflops"].get<double>());
    const throughput_unit unit = unit_for(largest);
    table t{here.label(),
            {{"", align::right},
             {"implementation", align::left},
             {fmt::format("{} (median)", unit.name)},
             {"95 % CI"},
             {"% of roofline"},
             {"time / best"},
             {"group", align::left},
             {"error, u"},
             {"cold, ms"},
             {"prepare, ms"}},
            {},
            "Same group letter: not shown to differ by more than the margin. u is the unit "
            "roundoff of the "
            "type computed in."};
    for (const std::size_t i : here.ranked)
        t.rows.push_back(ranking_row(doc, doc["results"][i], here, t.rows.size() + 1, unit));
    return t;
}

table gpu_table(const json& doc, const measured_case& here) {
    table t{here.label() + ": on the GPU",
            {{"on the GPU", align::left},
             {"MHz"},
             {"W"},
             {"J/GFLOP"},
             {"°C"},
             {"held back by", align::left},
             {"registers"},
             {"shared bytes"},
             {"local bytes"},
             {"occupancy"}},
            {},
            {}};
    for (const std::size_t i : here.ranked)
        if (const json& result = doc["results"][i];
            result.contains("gpu") || result.contains("kernels"))
            t.rows.push_back(gpu_row(doc, result));
    return t;
}

table phases_table(const json& doc, const measured_case& here) {
    table t{here.label() + ": from host memory to host memory",
            {{"end to end", align::left},
             {"allocate, ms"},
             {"copy in, ms"},
             {"convert, ms"},
             {"compute, ms"},
             {"copy out, ms"},
             {"free, ms"},
             {"total, ms"},
             {"host memory", align::left}},
            {},
            {}};
    for (const std::size_t i : here.ranked) {
        const json& result = doc["results"][i];
        if (result.contains("phases") && result["phases"].contains("total_s"))
            t.rows.push_back(phases_row(doc, result));
    }
    return t;
}

table pairs_table(const json& doc, const measured_case& here) {
    table t{here.label() + ": every pair",
            {{"a", align::left},
             {"b", align::left},
             {"a / b"},
             {"95 % CI"},
             {"p"},
             {"a is", align::left}},
            {},
            {}};
    if (here.comparison == nullptr) return t;
    t.note = welch_note(*here.comparison);
    const auto three = [](double v) { return fmt::format("{:.3g}", v); };
    const auto name = [&](const json& label) {
        for (const std::size_t i : here.ranked)
            if (doc["results"][i]["implementation"] == label)
                return name_in(doc, doc["results"][i]);
        return code(label);
    };
    for (const json& p : (*here.comparison)["pairs"])
        t.rows.push_back({name(p["a"]), name(p["b"]), or_dash(p, "ratio", digits),
                          interval(p, "ci95_ratio"), or_dash(p, "p", three),
                          p["verdict"].get<std::string>()});
    return t;
}

}  // namespace carat::report
