// The parts of a document that are JSON: the fields that a report can't do without, and the types
// of those it can. Anything else there is free, as docs/results.md promises to its readers.
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
constexpr kind object{"an object", [](const json& v) { return v.is_object(); }};
constexpr kind list{"a list", [](const json& v) { return v.is_array(); }};
constexpr kind number{"a number", is_finite_number};
constexpr kind positive{"a number above zero",
                        [](const json& v) { return is_finite_number(v) && v.get<double>() > 0; }};
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
        for (const json& cell : row)
            if (!text.holds(cell)) refuse("a row of " + where, "holds no text");
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

void check_each(const json& all, const char* field,
                void (*check_one)(const json&, const std::string&)) {
    for (std::size_t i = 0; i < all.size(); ++i) check_one(all[i], fmt::format("{}[{}]", field, i));
}

}  // namespace

void check(const results::document& doc) {
    check_machine(doc.machine);
    optional(doc.build, "type", text, "build");
    optional(doc.settings, "equivalence_margin", number, "settings");
    check_each(doc.crossovers, "crossovers", check_crossover);
    check_each(doc.studies, "studies", check_study);
}

}  // namespace carat::report
