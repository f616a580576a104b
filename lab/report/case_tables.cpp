#include "lab/report/case_tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "lab/report/age.hpp"
#include "lab/report/lead.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using results::result;

// What was not measured is 0, absent or infinite.
std::string or_dash(double value, std::string (*write)(double)) {
    return value > 0 && std::isfinite(value) ? write(value) : "-";
}

template <class Number>
std::string or_dash(const std::optional<Number>& value, std::string (*write)(double)) {
    return value && std::isfinite(static_cast<double>(*value)) ? write(static_cast<double>(*value))
                                                               : "-";
}

std::string plainly(double value) {
    return fmt::format("{:.6g}", value);
}

std::string in_three_digits(double value) {
    return fmt::format("{:.3g}", value);
}

std::string interval(const results::range& ends, double unit = 1) {
    return fmt::format("{} to {}", digits(ends[0] / unit), digits(ends[1] / unit));
}

// Where there is no interval, the range of the trials, called so.
std::string interval_or_range(const result& of, double unit) {
    if (has_interval(of)) return interval(of.ci95_gflops, unit);
    const auto range = range_of_trials(of);
    return range ? "trials " + interval(*range, unit) : "-";
}

// The name as every table has it: marked where the library is old.
std::string name_in(std::string_view date, const result& of) {
    return "`" + unquoted(of.implementation) + "`" + age_mark(old_release(of, date));
}

// " (1 thread)" where a result used another number of threads than its case allows.
std::string own_threads(const result& of, const measured_case& here) {
    const int used = threads_used(of);
    return used == here.threads || !of.on_cpu() ? "" : " (" + threads(used) + ")";
}

std::vector<std::string> ranking_row(const results::document& doc, const ranked_row& row,
                                     const measured_case& here, const throughput_unit& unit) {
    const result& of = *row.of;
    return {
        row.rank > 0 ? std::to_string(row.rank) : "-",
        name_in(doc.date, of) + own_threads(of, here),
        digits(of.median_gflops / unit.gflops),
        interval_or_range(of, unit.gflops),
        row.percent > 0 ? fmt::format("{:.1f}", row.percent) : "-",
        fmt::format("{:.2f}", row.times),
        row.group.empty() ? "-" : row.group,
        of.verification == "none" || !std::isfinite(of.error_ulp) ? "-" : roundoffs(of.error_ulp),
        or_dash(of.cold_s, milliseconds),
        or_dash(of.prepare_s, milliseconds)};
}

// What a result of a GPU tells beside its time. The kernel that multiplies is the last one.
std::vector<std::string> gpu_row(std::string_view date, const result& of) {
    const results::gpu_facts gpu = of.gpu.value_or(results::gpu_facts{});
    std::string held_back;
    for (const std::string& reason : gpu.throttle_reasons)
        held_back += (held_back.empty() ? "" : ", ") + reason;
    std::vector<std::string> row = {name_in(date, of),
                                    gpu.clock_mhz ? std::to_string(gpu.clock_mhz->median) : "-",
                                    or_dash(gpu.power_w, in_three_digits),
                                    or_dash(gpu.joules_per_gflop, in_three_digits),
                                    or_dash(gpu.temperature_c, plainly),
                                    held_back.empty() ? "-" : held_back};
    if (of.kernels.empty()) {
        row.resize(row.size() + 4, "-");
        return row;
    }
    const core::kernel_facts& kernel = of.kernels.back();
    for (const int fact : {kernel.registers, kernel.shared_bytes, kernel.local_bytes})
        row.push_back(std::to_string(fact));
    row.push_back(in_three_digits(kernel.occupancy));
    return row;
}

std::vector<std::string> phases_row(std::string_view date, const result& of) {
    std::vector<std::string> row = {name_in(date, of)};
    const auto add = [&](std::string_view name) {
        const results::phase* phase = of.end_to_end->find(name);
        row.push_back(phase == nullptr ? "-"
                                       : or_dash(std::optional(phase->median_s), milliseconds));
    };
    for (const std::string_view name : results::phase_names) add(name);
    add("total");
    row.push_back(of.end_to_end->host_memory);
    return row;
}

std::string welch_note(const results::comparison& compared) {
    if (!std::isfinite(compared.f)) return {};
    return fmt::format(
        "Welch's ANOVA: F({:.4g}, {:.4g}) = {:.4g}, p = {:.4g}. Verdicts are read off the "
        "intervals; p is the least level at which they hold, of all pairs together.",
        compared.df1, compared.df2, compared.f, compared.p);
}

}  // namespace

table ranking_table(const results::document& doc, const measured_case& here) {
    const throughput_unit unit =
        unit_for(here.ranked.empty() ? 0 : here.ranked.front()->median_gflops);
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
    for (const ranked_row& row : rows_of(here)) t.rows.push_back(ranking_row(doc, row, here, unit));
    return t;
}

table gpu_table(std::string_view date, const measured_case& here) {
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
    for (const result* of : here.ranked)
        if (of->gpu || !of->kernels.empty()) t.rows.push_back(gpu_row(date, *of));
    return t;
}

table phases_table(std::string_view date, const measured_case& here) {
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
    for (const result* of : here.ranked)
        if (of->end_to_end && of->end_to_end->measured()) t.rows.push_back(phases_row(date, *of));
    return t;
}

table pairs_table(const results::document& doc, const measured_case& here) {
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
    const auto name = [&](const std::string& label) {
        const auto of = std::ranges::find_if(
            here.ranked, [&](const result* one) { return one->implementation == label; });
        return of == here.ranked.end() ? "`" + unquoted(label) + "`" : name_in(doc.date, **of);
    };
    for (const results::pair& p : here.comparison->pairs)
        t.rows.push_back({name(p.a), name(p.b), digits(p.ratio),
                          results::bounded(p.ci95_ratio) ? interval(p.ci95_ratio) : "-",
                          std::isfinite(p.p) ? in_three_digits(p.p) : "-", p.verdict});
    return t;
}

}  // namespace carat::report
