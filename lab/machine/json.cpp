// The machine and its ceilings in the results file, see docs/results.md.
#include <cmath>
#include <nlohmann/json.hpp>

#include <carat/error.hpp>

#include "lab/machine/ceilings.hpp"

namespace carat::machine {

using nlohmann::json;

json to_json(const description& machine) {
    json caches = json::array();
    for (const cache& c : machine.caches) {
        caches.push_back({{"level", c.level},
                          {"kind", c.kind},
                          {"size_bytes", c.size_bytes},
                          {"line_bytes", c.line_bytes},
                          {"ways", c.ways},
                          {"shared_by", c.shared_by}});
    }
    return {{"cpu_model", machine.cpu_model},
            {"vendor", machine.vendor},
            {"hypervisor", machine.hypervisor},
            {"os", machine.os},
            {"kernel", machine.kernel},
            {"cores", machine.cores},
            {"hardware_threads", machine.hardware_threads},
            {"threads_per_core", machine.threads_per_core},
            {"cpu_quota", machine.cpu_quota},
            {"numa_nodes", machine.numa_nodes},
            {"memory_bytes", machine.memory_bytes},
            {"isa", machine.isa},
            {"isa_in_use", core::name(machine.isa_in_use)},
            {"frequency_mhz",
             {{"current", machine.frequency_current_mhz}, {"max", machine.frequency_max_mhz}}},
            {"caches", caches}};
}

json to_json(const ceilings& limits) {
    json compute = json::array();
    for (const compute_peak& p : limits.compute) {
        compute.push_back({{"unit", p.unit},
                           {"dtype", name(p.type)},
                           {"threads", p.threads},
                           {"gflops", p.gflops},
                           {"spread", p.spread},
                           {"rounds", p.rounds}});
        if (p.level) compute.back()["isa"] = core::name(*p.level);
        if (p.quiet_gflops > 0) compute.back()["quiet_gflops"] = p.quiet_gflops;
    }
    json bandwidth = json::array();
    for (const bandwidth_peak& p : limits.bandwidth) {
        bandwidth.push_back({{"level", p.level},
                             {"threads", p.threads},
                             {"gb_per_s", p.gb_per_s},
                             {"spread", p.spread},
                             {"rounds", p.rounds},
                             {"working_set_bytes", p.working_set_bytes}});
    }
    return {{"compute", compute},
            {"bandwidth", bandwidth},
            {"measured_at_s", limits.measured_at_s},
            {"age_s", limits.age_s},
            {"thorough", limits.thorough}};
}

namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& why) {
    throw error(error_code::invalid_argument, "ceilings: " + field + ": " + why);
}

template <class T>
T get(const json& object, const char* field) {
    try {
        return object.at(field).get<T>();
    } catch (const json::exception&) {
        refuse(field, "missing or of another type");
    }
}

double positive(const json& object, const char* field) {
    const auto value = get<double>(object, field);
    if (!std::isfinite(value) || value <= 0) refuse(field, "must be positive and finite");
    return value;
}

double fraction(const json& object, const char* field) {
    const auto value = get<double>(object, field);
    if (!(value >= 0 && value <= 1)) refuse(field, "must be between 0 and 1");
    return value;
}

int count(const json& object, const char* field) {
    const auto value = get<int>(object, field);
    if (value < 1) refuse(field, "must be at least 1");
    return value;
}

dtype dtype_named(const std::string& text) {
    for (const dtype type : all_dtypes)
        if (text == name(type)) return type;
    refuse("dtype", "unknown type '" + text + "'");
}

core::isa isa_named(const std::string& text) {
    for (const core::isa level : core::all_isas)
        if (text == core::name(level)) return level;
    refuse("isa", "unknown level '" + text + "'");
}

compute_peak compute_from_json(const json& p) {
    std::optional<core::isa> level;
    if (p.is_object() && p.contains("isa")) level = isa_named(get<std::string>(p, "isa"));
    return {get<std::string>(p, "unit"),
            dtype_named(get<std::string>(p, "dtype")),
            level,
            count(p, "threads"),
            positive(p, "gflops"),
            fraction(p, "spread"),
            count(p, "rounds"),
            p.contains("quiet_gflops") ? positive(p, "quiet_gflops") : 0};
}

bandwidth_peak bandwidth_from_json(const json& p) {
    return {get<std::string>(p, "level"), count(p, "threads"),
            positive(p, "gb_per_s"),      fraction(p, "spread"),
            count(p, "rounds"),           get<std::int64_t>(p, "working_set_bytes")};
}

}  // namespace

ceilings ceilings_from_json(const json& object) {
    ceilings limits;
    for (const json& p : get<json::array_t>(object, "compute"))
        limits.compute.push_back(compute_from_json(p));
    for (const json& p : get<json::array_t>(object, "bandwidth"))
        limits.bandwidth.push_back(bandwidth_from_json(p));
    limits.measured_at_s = get<std::int64_t>(object, "measured_at_s");
    limits.age_s = get<double>(object, "age_s");
    limits.thorough = get<bool>(object, "thorough");
    return limits;
}

}  // namespace carat::machine
