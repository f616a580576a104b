#include "lab/results/surroundings.hpp"

#include <algorithm>

#include "lab/results/archive.hpp"

namespace carat::results {

namespace {

using nlohmann::json;

// What was not measured is absent, or null.
bool has(const files::fields& in, const char* key) {
    const json* const found = in.find(key);
    return found != nullptr && !found->is_null();
}

template <class T>
void optional(const files::fields& in, const char* key, T& value) {
    if (has(in, key)) in(key, value);
}

template <class Read>
void each(const files::fields& in, const char* key, const Read& read) {
    if (has(in, key)) in.each(key, read);
}

std::vector<measured_peak> peaks_in(const files::fields& in, const char* list, const char* of,
                                    const char* rate) {
    std::vector<measured_peak> all;
    each(in, list, [&](const files::fields& row) {
        measured_peak& one = all.emplace_back();
        row(of, one.of);
        row(rate, one.rate);
        optional(row, "threads", one.threads);
        optional(row, "dtype", one.dtype);
        if (!(one.rate > 0) || !std::isfinite(one.rate)) row.fail(rate, "is not above zero");
    });
    return all;
}

measured_peaks peaks_of(const files::fields& owner) {
    if (!has(owner, "peaks")) return {};
    const files::fields in = owner.object("peaks");
    return {peaks_in(in, "compute", "unit", "gflops"),
            peaks_in(in, "bandwidth", "level", "gb_per_s")};
}

gpu_seen gpu_from(const files::fields& in) {
    gpu_seen gpu;
    optional(in, "name", gpu.name);
    for (const char* key : {"driver", "cuda_driver", "cuda_runtime"})
        gpu.versions[key] = has(in, key) ? text_of(in.at(key)) : "not recorded";
    gpu.peaks = peaks_of(in);
    return gpu;
}

}  // namespace

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string recorded(const json& owner, const char* field) {
    const auto found = owner.find(field);
    return found == owner.end() || found->is_null() ? "not recorded" : text_of(*found);
}

const gpu_seen* surroundings::gpu_in_use() const {
    const auto used = std::ranges::find_if(gpus, [](const gpu_seen& gpu) {
        return !gpu.peaks.compute.empty() || !gpu.peaks.bandwidth.empty();
    });
    if (used != gpus.end()) return &*used;
    return gpus.empty() ? nullptr : &gpus.front();
}

surroundings surroundings_of(const document& doc, const std::string& where) {
    surroundings told;
    const files::fields machine = fields_in(doc.machine, where + "machine");
    machine.added("cpu_model", told.cpu_model);
    optional(machine, "hypervisor", told.hypervisor);
    each(machine, "caches", [&](const files::fields& in) {
        std::string kind;
        optional(in, "kind", kind);
        data_cache one;
        optional(in, "size_bytes", one.size_bytes);
        optional(in, "level", one.level);
        if (kind != "instruction") told.caches.push_back(one);
    });
    told.peaks = peaks_of(machine);
    each(machine, "gpus", [&](const files::fields& in) { told.gpus.push_back(gpu_from(in)); });
    std::string type;
    optional(fields_in(doc.build, where + "build"), "type", type);
    told.is_debug_build = type == "Debug";
    optional(fields_in(doc.settings, where + "settings"), "equivalence_margin",
             told.equivalence_margin);
    return told;
}

}  // namespace carat::results
