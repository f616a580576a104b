// The report as Markdown: sentences, one table per case, and what was measured on what.
#include <fmt/format.h>
#include <string>

#include "lab/report/cases.hpp"
#include "lab/report/check.hpp"
#include "lab/report/crossover.hpp"
#include "lab/report/digest.hpp"
#include "lab/report/phases.hpp"
#include "lab/report/report.hpp"
#include "lab/report/study.hpp"
#include "lab/report/verdict.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

std::string or_dash(const json& cell, const char* field, std::string (*write)(double)) {
    const auto found = cell.find(field);
    return found == cell.end() || found->is_null() ? "-" : write(found->get<double>());
}

std::string ci(const json& cell) {
    if (!cell.contains("ci95_gflops") || cell["ci95_gflops"].is_null()) return "-";
    return fmt::format("{} to {}", digits(cell["ci95_gflops"][0]), digits(cell["ci95_gflops"][1]));
}

// " (1 thread)" where a cell used another number of threads than its case allows.
std::string own_threads(const json& cell, const measured_case& here) {
    const auto used = threads_used(cell);
    return used == here.threads || cell["device"] != "cpu" ? "" : " (" + threads(used) + ")";
}

std::string row(const json& cell, const measured_case& here, std::size_t rank, double best) {
    const double median = cell["median_gflops"];
    return fmt::format(
        "| {} | `{}`{} | {} | {} | {} | {} | {} | {} | {} | {} |\n", rank,
        plain(cell["implementation"]), own_threads(cell, here), digits(median), ci(cell),
        or_dash(cell, "percent_of_roofline", [](double v) { return fmt::format("{:.1f}", v); }),
        times(best / median), plain(field_or<std::string>(cell, "group", "-")),
        or_dash(cell, "error_ulp", roundoffs), or_dash(cell, "cold_s", duration),
        or_dash(cell, "prepare_s", duration));
}

// What a cell of a GPU tells beside its time. The kernel that multiplies is the last one.
std::string gpu_row(const json& cell) {
    const json gpu = field_or(cell, "gpu", json::object());
    const json kernels = field_or(cell, "kernels", json::array());
    const json kernel = kernels.empty() ? json::object() : kernels.back();
    const auto plainly = [](double v) { return fmt::format("{:.6g}", v); };
    const auto three = [](double v) { return fmt::format("{:.3g}", v); };
    std::string held_back;
    for (const json& reason : field_or(gpu, "throttle_reasons", json::array()))
        held_back += (held_back.empty() ? "" : ", ") + plain(reason.get<std::string>());
    return fmt::format(
        "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", plain(cell["implementation"]),
        or_dash(field_or(gpu, "clock_mhz", json::object()), "median", plainly),
        or_dash(gpu, "power_w", three), or_dash(gpu, "joules_per_gflop", three),
        or_dash(gpu, "temperature_c", plainly), held_back.empty() ? "-" : held_back,
        or_dash(kernel, "registers", plainly), or_dash(kernel, "shared_bytes", plainly),
        or_dash(kernel, "local_bytes", plainly), or_dash(kernel, "occupancy", three));
}

std::string gpu_table(const json& results, const measured_case& here) {
    std::string rows;
    for (const std::size_t i : here.ranked)
        if (const json& cell = results["cells"][i];
            cell.contains("gpu") || cell.contains("kernels"))
            rows += gpu_row(cell);
    if (rows.empty()) return {};
    return "| on the GPU | MHz | W | J/GFLOP | °C | held back by | registers | shared bytes | "
           "local bytes | occupancy |\n"
           "|:--|--:|--:|--:|--:|:--|--:|--:|--:|--:|\n" +
           rows + "\n";
}

std::string table(const json& results, const measured_case& here) {
    std::string said =
        fmt::format("## {}\n\n{}\n\n", plain(here.label()), plain(joined(verdict(results, here))));
    if (!here.ranked.empty()) {
        said +=
            "| | implementation | GFLOP/s (median) | 95 % CI | % of roofline | × best "
            "time | group | error (u) | cold | prepare |\n"
            "|--:|:--|--:|:--|--:|--:|:--|--:|--:|--:|\n";
        const double best = results["cells"][here.ranked.front()]["median_gflops"];
        std::size_t rank = 0;
        for (const std::size_t i : here.ranked)
            said += row(results["cells"][i], here, ++rank, best);
        said += "\n" + gpu_table(results, here) + phases_markdown(results, here);
    }
    for (const auto& [cell, why] : here.refused) {
        if (!results["cells"][cell]["available"].get<bool>()) continue;
        said += fmt::format("- `{}`: {}\n", plain(results["cells"][cell]["implementation"]),
                            plain(why));
    }
    return said + (said.ends_with("\n\n") ? "" : "\n");
}

std::string setting_line(const json& results) {
    const json settings = results.value("settings", json::object());
    const json build = results.value("build", json::object());
    const auto text = [](const json& from, const char* field) {
        const auto found = from.find(field);
        if (found == from.end() || found->is_null()) return std::string("not recorded");
        return plain(found->is_string() ? found->get<std::string>() : found->dump());
    };
    return fmt::format(
        "- machine: {} ({} cores, {} hardware threads), {}\n"
        "- built with {} {}\n"
        "- inputs {} ({}), seed {}; order: {}\n"
        "- carat {}, revision {}, {}\n",
        text(results["machine"], "cpu_model"), text(results["machine"], "cores"),
        text(results["machine"], "hardware_threads"), text(results["machine"], "os"),
        text(build, "compiler"), text(build, "flags"), text(settings, "distribution"),
        text(settings, "inputs"), text(settings, "seed"), text(settings, "order"),
        text(results, "carat"), text(results, "revision"), text(results, "date"));
}

}  // namespace

std::string markdown(const json& file) {
    const json results = checked(file);
    const auto cases = group(results);
    std::string said = fmt::format("# Matrix multiplication, measured\n\n{}\n\n",
                                   plain(joined(headline(results, cases))));
    for (const auto& [level, text] : warnings(results)) {
        said += fmt::format("- **{}**: {}\n", level, plain(text));
    }
    said += said.ends_with("\n\n") ? "" : "\n";
    said += study_markdown(results) + crossover_markdown(results);
    for (const auto& here : cases) said += table(results, here);
    said +=
        "Same group letter: these trials can't tell them apart. u is the unit roundoff of the "
        "type computed in.\n\n## Measured on\n\n" +
        setting_line(results);
    const auto missing = absences(results);
    if (!missing.empty()) said += "\n## Unavailable\n\n";
    for (const auto& [implementation, reason, cells] : missing) {
        said += fmt::format("- `{}`: {}\n", plain(implementation), plain(reason));
    }
    return said;
}

}  // namespace carat::report
