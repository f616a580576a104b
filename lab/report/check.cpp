// The fields that a report can't do without, and the types of those it can. Anything else in the
// file is free, as docs/results.md promises to its readers.
#include "lab/report/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include <carat/error.hpp>

#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

constexpr int schema_read_here = 2;
constexpr std::string_view remedy = "write the file again with `carat bench --json FILE`";

[[noreturn]] void refuse(const std::string& where, std::string_view what) {
    throw error(error_code::invalid_argument,
                fmt::format("not a usable results file: {} {}; {}", where, what, remedy));
}

// What a field holds, short enough for one line of a message.
std::string shown(const json& value) {
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    constexpr std::size_t longest = 40;
    return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

struct kind {
    std::string_view name;
    bool (*holds)(const json&);
};

bool is_finite_number(const json& v) {
    return v.is_number() && std::isfinite(v.get<double>());
}

constexpr kind text{"a text", [](const json& v) { return v.is_string(); }};
constexpr kind name{"a name", [](const json& v) {
                        return v.is_string() && !v.get_ref<const std::string&>().empty();
                    }};
constexpr kind boolean{"true or false", [](const json& v) { return v.is_boolean(); }};
constexpr kind object{"an object", [](const json& v) { return v.is_object(); }};
constexpr kind list{"a list", [](const json& v) { return v.is_array(); }};
constexpr kind number{"a number", is_finite_number};
constexpr kind positive{"a number above zero",
                        [](const json& v) { return is_finite_number(v) && v.get<double>() > 0; }};
constexpr kind share{"a number from 0 to 1", [](const json& v) {
                         return is_finite_number(v) && v.get<double>() >= 0 && v.get<double>() <= 1;
                     }};
constexpr kind count{"a whole number, zero or more",
                     [](const json& v) { return v.is_number_integer() && v.get<double>() >= 0; }};
constexpr kind size{"a whole number above zero",
                    [](const json& v) { return v.is_number_integer() && v.get<double>() > 0; }};
// An end without a bound is null: JSON has no infinity.
constexpr kind interval{"[low, high]", [](const json& v) {
                            return v.is_array() && v.size() == 2 &&
                                   std::all_of(v.begin(), v.end(), [](const json& end) {
                                       return end.is_null() || is_finite_number(end);
                                   });
                        }};
// A ratio that a single trial leaves open is anything from zero on.
constexpr kind ratio_interval{
    "[low, high], both above zero", [](const json& v) {
        const auto holds = [](const json& end) { return end.is_null() || end > 0.0; };
        return interval.holds(v) && holds(v[1]) && (holds(v[0]) || (v[0] == 0.0 && v[1].is_null()));
    }};
constexpr kind verdict{"faster, slower, tie or unclear", [](const json& v) {
                           return v == "faster" || v == "slower" || v == "tie" || v == "unclear";
                       }};

constexpr kind outcome{"crosses, always or never", [](const json& v) {
                           return v == "crosses" || v == "always" || v == "never";
                       }};

std::string path_of(const char* field, std::string_view where) {
    return where.empty() ? fmt::format("`{}`", field) : fmt::format("`{}` of {}", field, where);
}

const json& required(const json& parent, const char* field, const kind& expected,
                     std::string_view where) {
    const auto found = parent.find(field);
    if (found == parent.end()) refuse(path_of(field, where), "is missing");
    if (!expected.holds(*found))
        refuse(path_of(field, where),
               fmt::format("is {}, expected {}", shown(*found), expected.name));
    return *found;
}

// A field that may be absent or null (a NaN is written as null).
void optional(const json& parent, const char* field, const kind& expected, std::string_view where) {
    const auto found = parent.find(field);
    if (found != parent.end() && !found->is_null()) required(parent, field, expected, where);
}

void check_shape(const json& parent, const std::string& where) {
    required(parent, "dtype", name, where);
    for (const char* field : {"m", "n", "k"}) required(parent, field, size, where);
    required(parent, "threads", count, where);
    for (const char* field : {"layout", "call"}) optional(parent, field, text, where);
}

// What only results of a GPU have.
void check_gpu(const json& result, const std::string& where) {
    optional(result, "gpu", object, where);
    optional(result, "kernels", list, where);
    const json& gpu = part_of(result, "gpu");
    for (const char* field : {"power_w", "joules_per_gflop", "temperature_c"})
        optional(gpu, field, number, where);
    optional(gpu, "clock_mhz", object, where);
    optional(part_of(gpu, "clock_mhz"), "median", number, where);
    optional(gpu, "throttle_reasons", list, where);
    for (const json& reason : field_or(gpu, "throttle_reasons", json::array()))
        if (!text.holds(reason))
            refuse("`throttle_reasons` of " + where,
                   "holds " + shown(reason) + ", expected a text");
    std::size_t i = 0;
    for (const json& kernel : field_or(result, "kernels", json::array())) {
        const std::string place = fmt::format("kernels[{}] of {}", i++, where);
        if (!kernel.is_object()) refuse(place, "is not an object");
        for (const char* field :
             {"threads", "registers", "local_bytes", "shared_bytes", "occupancy"})
            optional(kernel, field, number, place);
    }
}

void check_phases(const json& phases, const std::string& where) {
    for (const char* field : {"host_memory", "reason", "stop"})
        optional(phases, field, text, where);
    optional(phases, "total_trials_s", list, where);
    for (const char* field :
         {"allocate_s", "copy_in_s", "convert_s", "compute_s", "copy_out_s", "free_s", "total_s"}) {
        optional(phases, field, object, where);
        if (!phases.contains(field)) continue;
        const std::string place = fmt::format("{} of {}", field, where);
        required(phases[field], "median", number, place);
        optional(phases[field], "ci95", interval, place);
    }
}

void check_result(const json& result, const std::string& place) {
    if (!result.is_object()) refuse(place, fmt::format("is {}, expected an object", shown(result)));
    const auto& label = required(result, "implementation", name, place);
    const std::string where = fmt::format("{} ({})", place, label.get_ref<const std::string&>());
    required(result, "device", name, where);
    check_shape(result, where);
    for (const char* field : {"reason", "group", "computes_in", "verification", "ci_method",
                              "bound", "stop", "busy", "remark"}) {
        optional(result, field, text, where);
    }
    for (const char* field : {"above_peak", "few_trials"}) optional(result, field, boolean, where);
    check_gpu(result, where);
    for (const char* field : {"tunables", "library", "phases"})
        optional(result, field, object, where);
    for (const char* field : {"name", "version", "path", "kernel", "note"})
        optional(part_of(result, "library"), field, text, "library of " + where);
    if (result.contains("phases")) check_phases(result["phases"], "phases of " + where);
    optional(result, "threads_used", count, where);
    for (const char* field :
         {"prepare_s", "cold_s", "error_ulp", "error_bound_ulp", "max_abs_error",
          "error_over_sqrt_k", "exact_passes", "rank", "mean_s", "sd_s", "arithmetic_intensity",
          "roofline_gflops", "percent_of_roofline", "repetitions", "autocorrelation"}) {
        optional(result, field, number, where);
    }
    optional(result, "background_cpu_share", share, where);
    if (!required(result, "available", boolean, where).get<bool>()) return;

    for (const char* field :
         {"trials_per_process", "trials_displaced", "trials_waited_s", "trials_stolen_s"})
        optional(result, field, list, where);
    for (const char* field : {"hand_over_s", "waiting_share"})
        optional(result, field, number, where);
    for (const char* field : {"ci95_gflops", "ci95_median_s"}) {
        optional(result, field, interval, where);
    }
    const bool verified = required(result, "verified", boolean, where).get<bool>();
    const auto trials = result.find("trials_s");
    if (trials == result.end() && !verified) return;
    required(result, "trials_s", list, where);
    for (std::size_t i = 0; i < trials->size(); ++i) {
        if (!positive.holds((*trials)[i])) {
            refuse(fmt::format("`trials_s[{}]` of {}", i, where),
                   fmt::format("is {}, expected {}", shown((*trials)[i]), positive.name));
        }
    }
    std::size_t counted = 0;
    for (const json& n : field_or(result, "trials_per_process", json::array()))
        counted += count.holds(n) ? n.get<std::size_t>() : trials->size() + 1;
    if (result.contains("trials_per_process") && counted != trials->size())
        refuse("`trials_per_process` of " + where,
               fmt::format("does not count the {} trials", trials->size()));
    if (verified && !trials->empty()) required(result, "median_gflops", positive, where);
}

void check_comparison(const json& comparison, const std::string& where) {
    if (!comparison.is_object()) refuse(where, "is not an object");
    check_shape(comparison, where);
    for (const char* field : {"hypotheses", "welch"}) optional(comparison, field, object, where);
    const json& hypotheses = part_of(comparison, "hypotheses");
    for (const char* field : {"h0", "h1"})
        optional(hypotheses, field, text, "hypotheses of " + where);
    optional(hypotheses, "alpha", number, "hypotheses of " + where);
    for (const char* field : {"f", "df1", "df2", "p"})
        optional(part_of(comparison, "welch"), field, number, "welch of " + where);
    const auto& pairs = required(comparison, "pairs", list, where);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::string place = fmt::format("pairs[{}] of {}", i, where);
        if (!pairs[i].is_object()) refuse(place, "is not an object");
        required(pairs[i], "a", name, place);
        required(pairs[i], "b", name, place);
        required(pairs[i], "verdict", verdict, place);
        optional(pairs[i], "ratio", positive, place);
        optional(pairs[i], "ci95_ratio", ratio_interval, place);
        for (const char* field : {"p", "df", "confidence", "more_s"})
            optional(pairs[i], field, number, place);
        optional(pairs[i], "interval_over", text, place);
    }
}

void check_crossover(const json& crossover, const std::string& where) {
    if (!crossover.is_object()) refuse(where, "is not an object");
    for (const char* field : {"gpu", "dtype"}) required(crossover, field, name, where);
    required(crossover, "threads", count, where);
    required(crossover, "host_memory", text, where);
    required(crossover, "ci95", interval, where);
    optional(crossover, "changes", count, where);
    const bool crosses = required(crossover, "outcome", outcome, where) == "crosses";
    if (crosses) required(crossover, "n", positive, where);
    const auto& points = required(crossover, "points", list, where);
    if (points.empty()) refuse("`points` of " + where, "is empty");
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::string place = fmt::format("points[{}] of {}", i, where);
        if (!points[i].is_object()) refuse(place, "is not an object");
        required(points[i], "n", size, place);
        required(points[i], "cpu", name, place);
        for (const char* field : {"cpu_s", "gpu_s"}) required(points[i], field, positive, place);
        for (const char* field : {"ci95_cpu_s", "ci95_gpu_s"})
            required(points[i], field, interval, place);
    }
}

// What carat compare adds to the page of the later file; no results file holds it.
void check_change(const json& change, const std::string& where) {
    if (!change.is_object()) refuse(where, "is not an object");
    required(change, "implementation", name, where);
    check_shape(change, where);
    required(change, "before_gflops", positive, where);
    const auto& found = required(change, "verdict", text, where);
    optional(change, "reason", text, where);
    for (const char* without : {"lost", "busy", "missing", "one process"})
        if (found == without) return;
    required(change, "verdict", verdict, where);
    for (const char* field : {"after_gflops", "ratio"}) required(change, field, positive, where);
    required(change, "ci95_ratio", ratio_interval, where);
}

void check_regression(const json& regression) {
    for (const char* field : {"before", "after"}) required(regression, field, object, "regression");
    const auto& changes = required(regression, "changes", list, "regression");
    for (std::size_t i = 0; i < changes.size(); ++i)
        check_change(changes[i], fmt::format("changes[{}] of regression", i));
}

void check_sentences(const json& owner, const char* field, const std::string& where) {
    for (const json& sentence : required(owner, field, list, where))
        if (!text.holds(sentence)) refuse(fmt::format("`{}` of {}", field, where), "holds no text");
}

void check_study_table(const json& table, const std::string& where) {
    if (!table.is_object()) refuse(where, "is not an object");
    for (const char* field : {"title", "note"}) required(table, field, text, where);
    check_sentences(table, "head", where);
    const std::size_t columns = table["head"].size();
    for (const json& row : required(table, "rows", list, where)) {
        if (!row.is_array() || row.size() != columns)
            refuse("a row of " + where, "is not as long as its head");
        for (const json& result : row)
            if (!text.holds(result)) refuse("a row of " + where, "holds no text");
    }
}

void check_study(const json& study, const std::string& where) {
    if (!study.is_object()) refuse(where, "is not an object");
    for (const char* field : {"study", "title", "question", "extent"})
        required(study, field, text, where);
    for (const char* field : {"findings", "left_out", "sources"})
        check_sentences(study, field, where);
    const auto& tables = required(study, "tables", list, where);
    for (std::size_t i = 0; i < tables.size(); ++i)
        check_study_table(tables[i], fmt::format("tables[{}] of {}", i, where));
}

void check_peaks(const json& owner, const std::string& place) {
    optional(owner, "peaks", object, place);
    if (!owner.contains("peaks") || owner["peaks"].is_null()) return;
    const std::array<std::array<const char*, 3>, 3> tables{{{"compute", "unit", "gflops"},
                                                            {"bandwidth", "level", "gb_per_s"},
                                                            {"reading", nullptr, "gb_per_s"}}};
    for (const auto& [table, label, value] : tables) {
        optional(owner["peaks"], table, list, place + ".peaks");
        std::size_t i = 0;
        for (const auto& row : owner["peaks"].value(table, json::array())) {
            const std::string where = fmt::format("{}.peaks.{}[{}]", place, table, i++);
            if (!row.is_object()) refuse(where, "is not an object");
            if (label != nullptr) required(row, label, text, where);
            required(row, value, positive, where);
            required(row, "threads", count, where);
            optional(row, "dtype", text, where);
            optional(row, "working_set_bytes", positive, where);
        }
    }
}

void check_machine(const json& machine) {
    required(machine, "cpu_model", text, "machine");
    optional(machine, "hypervisor", text, "machine");
    for (const char* field : {"isa", "caches", "gpus"}) optional(machine, field, list, "machine");
    check_peaks(machine, "machine");
    std::size_t i = 0;
    for (const auto& gpu : field_or(machine, "gpus", json::array())) {
        const std::string where = fmt::format("machine.gpus[{}]", i++);
        if (!gpu.is_object()) refuse(where, "is not an object");
        optional(gpu, "name", text, where);
        check_peaks(gpu, where);
    }
}

void drop_unmeasured(json& result) {
    for (const char* field : {"percent_of_roofline", "roofline_gflops", "prepare_s", "cold_s"}) {
        if (result.contains(field) && result[field] == 0.0) result[field] = nullptr;
    }
    if (result.contains("verification") && result["verification"] == "none") {
        result["error_ulp"] = nullptr;
    }
}

void drop_open_ended(json& holder, const char* field) {
    const auto found = holder.find(field);
    if (found == holder.end() || !found->is_array()) return;
    if (found->at(0).is_null() || found->at(1).is_null()) *found = nullptr;
}

void check_each(const json& doc, const char* field,
                void (*check_one)(const json&, const std::string&)) {
    optional(doc, field, list, "");
    const auto found = doc.find(field);
    if (found == doc.end() || found->is_null()) return;
    for (std::size_t i = 0; i < found->size(); ++i)
        check_one((*found)[i], fmt::format("{}[{}]", field, i));
}

}  // namespace

json checked(json plain) {
    check(plain);
    for (auto& result : plain["results"]) {
        drop_unmeasured(result);
        drop_open_ended(result, "ci95_gflops");
        drop_open_ended(result, "ci95_median_s");
    }
    if (!plain.contains("comparisons") || plain["comparisons"].is_null())
        plain["comparisons"] = json::array();
    for (auto& comparison : plain["comparisons"])
        for (auto& pair : comparison["pairs"]) drop_open_ended(pair, "ci95_ratio");
    return plain;
}

void check(const json& doc) {
    if (!doc.is_object()) refuse("the document", "is not a JSON object");
    const auto& schema = required(doc, "schema", count, "");
    if (schema != schema_read_here) {
        refuse("`schema`",
               fmt::format("is {}, and this carat reads {}", schema.dump(), schema_read_here));
    }
    check_machine(required(doc, "machine", object, ""));
    for (const char* field : {"build", "settings"}) optional(doc, field, object, "");
    optional(field_or(doc, "build", json::object()), "type", text, "build");
    optional(field_or(doc, "settings", json::object()), "equivalence_margin", number, "settings");
    for (const char* field : {"revision", "date", "command", "carat"}) {
        optional(doc, field, text, "");
    }
    optional(doc, "complete", boolean, "");
    const auto& results = required(doc, "results", list, "");
    for (std::size_t i = 0; i < results.size(); ++i)
        check_result(results[i], fmt::format("results[{}]", i));
    check_each(doc, "comparisons", check_comparison);
    check_each(doc, "crossovers", check_crossover);
    optional(doc, "regression", object, "");
    if (doc.contains("regression")) check_regression(doc["regression"]);
    check_each(doc, "studies", check_study);
}

}  // namespace carat::report
