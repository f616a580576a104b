// The fields of what results and documents consist of (docs/results.md). Internal to the module.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "lab/results/archive.hpp"

namespace carat::results {

inline bool is_positive(double value) {
    return value > 0 && std::isfinite(value);
}

template <class Archive, either<library> Library>
void fields_of(const Archive& field, Library& l) {
    field("name", l.name);
    field("version", l.version);
    field("path", l.path);
    field("kernel", l.kernel);
    field("note", l.note);
}

template <class Archive, either<clock_range> Clock>
void fields_of(const Archive& field, Clock& c) {
    field("median", c.median);
    field("least", c.least);
    field("most", c.most);
}

template <class Archive, either<gpu_facts> Facts>
void fields_of(const Archive& field, Facts& f) {
    field("samples", f.samples);
    field("throttle_reasons", f.throttle_reasons);
    field.told("clock_mhz", f.clock_mhz);
    field.told("memory_clock_mhz", f.memory_clock_mhz);
    field.told("temperature_c", f.temperature_c);
    field.told("power_w", f.power_w);
    field.told("joules_per_gflop", f.joules_per_gflop);
    field.told("energy_window_s", f.energy_window_s);
}

template <class Archive, either<core::kernel_facts> Kernel>
void fields_of(const Archive& field, Kernel& k) {
    field("name", k.name);
    field("threads", k.threads);
    field("registers", k.registers);
    field("local_bytes", k.local_bytes);
    field("shared_bytes", k.shared_bytes);
    field("occupancy", k.occupancy);
}

template <class Archive, either<phase> Phase>
void fields_of(const Archive& field, Phase& p) {
    field("median", p.median_s);
    field("ci95", p.ci95_s);
}

template <class Archive, either<phases> Phases>
void fields_of(const Archive& field, Phases& p) {
    field("host_memory", p.host_memory);
    field("reason", p.reason);
    field("total_trials_s", p.total_trials_s);
    field("repetitions", p.repetitions);
    field("stop", p.stop);
    if (!p.measured()) return;
    const auto key_of = [](const auto& name) { return std::string(name) + "_s"; };
    if constexpr (Archive::reads)
        for (const std::string_view name : phase_names)
            if (field.has(key_of(name).c_str())) p.parts.push_back({std::string(name), 0, {}});
    for (auto& one : p.parts) field(key_of(one.name).c_str(), one);
    field(key_of(p.total.name).c_str(), p.total);
}

inline void require_sound(const files::fields& in, const phases& p) {
    for (const double t : p.total_trials_s)
        if (!is_positive(t)) in.fail("total_trials_s", "holds a time that is not positive");
}

template <class Archive, either<chapter_table> Table>
void fields_of(const Archive& field, Table& t) {
    field("title", t.title);
    field("head", t.head);
    field("rows", t.rows);
    field("note", t.note);
}

inline void require_sound(const files::fields& in, const chapter_table& t) {
    for (const auto& row : t.rows)
        if (row.size() != t.head.size())
            in.fail("rows", "has a row that is not as long as its head");
}

template <class Archive, either<chapter> Chapter>
void fields_of(const Archive& field, Chapter& c) {
    field("study", c.study);
    field("title", c.title);
    field("question", c.question);
    field("extent", c.extent);
    field("findings", c.findings);
    field("tables", c.tables);
    field("left_out", c.not_run);
    field("sources", c.sources);
    field.added("trials", c.trials);
    field.added("settings", c.settings);
}

template <class Archive, either<crossover_point> Point>
void fields_of(const Archive& field, Point& p) {
    field("n", p.n);
    field("cpu", p.cpu);
    field("cpu_s", p.cpu_s);
    field("gpu_s", p.gpu_s);
    field.ends("ci95_cpu_s", p.ci95_cpu_s);
    field.ends("ci95_gpu_s", p.ci95_gpu_s);
}

inline void require_positive(const files::fields& in, const char* key, double value) {
    if (!is_positive(value)) in.fail(key, "is not a number above zero");
}

inline void require_sound(const files::fields& in, const crossover_point& p) {
    if (p.n < 1) in.fail("n", "is not a whole number above zero");
    if (p.cpu.empty()) in.fail("cpu", "is not a name");
    require_positive(in, "cpu_s", p.cpu_s);
    require_positive(in, "gpu_s", p.gpu_s);
}

template <class Archive, either<crossover> Crossover>
void fields_of(const Archive& field, Crossover& c) {
    field("gpu", c.gpu);
    field("dtype", c.dtype);
    field("threads", c.threads);
    field("host_memory", c.host_memory);
    field("outcome", c.outcome);
    if (!Archive::reads || c.outcome == "crosses") field("n", c.n);
    field.ends("ci95", c.ci95);
    field.added("changes", c.changes);
    field.added("few_trials", c.few_trials);
    field.told("between", c.between);
    field("points", c.points);
}

inline void require_sound(const files::fields& in, const crossover& c) {
    for (const auto& [key, text] : {std::pair{"gpu", &c.gpu}, {"dtype", &c.dtype}})
        if (text->empty()) in.fail(key, "is not a name");
    if (c.threads < 0) in.fail("threads", "is below zero");
    if (c.changes < 0) in.fail("changes", "is below zero");
    if (c.outcome != "crosses" && c.outcome != "always" && c.outcome != "never")
        in.fail("outcome", "is '" + c.outcome + "', expected crosses, always or never");
    if (c.n) require_positive(in, "n", *c.n);
    if (c.points.empty()) in.fail("points", "is empty");
}

}  // namespace carat::results
