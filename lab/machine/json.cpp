// The machine and its peaks in the results file, see docs/results.md.
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/files/fields.hpp"
#include "lab/machine/peaks.hpp"

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

json to_json(const peaks& limits) {
    json compute = json::array();
    for (const compute_peak& p : limits.compute) {
        compute.push_back({{"unit", p.unit},
                           {"dtype", name(p.type)},
                           {"threads", p.threads},
                           {"gflops", p.gflops},
                           {"spread", p.spread},
                           {"rounds", p.rounds}});
        if (p.level) compute.back()["isa"] = core::name(*p.level);
        if (p.constant_input_gflops > 0)
            compute.back()["constant_input_gflops"] = p.constant_input_gflops;
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
    json all = {{"compute", compute},
                {"bandwidth", bandwidth},
                {"measured_at_s", limits.measured_at_s},
                {"age_s", limits.age_s},
                {"thorough", limits.thorough}};
    for (const reading_peak& p : limits.reading)
        all["reading"].push_back({{"threads", p.threads},
                                  {"working_set_bytes", p.working_set_bytes},
                                  {"gb_per_s", p.gb_per_s},
                                  {"spread", p.spread},
                                  {"rounds", p.rounds}});
    return all;
}

namespace {

using files::fields;

double positive(const fields& in, const char* field) {
    const auto value = in.get<double>(field);
    if (!std::isfinite(value) || value <= 0) in.fail(field, "must be positive and finite");
    return value;
}

double fraction(const fields& in, const char* field) {
    const auto value = in.get<double>(field);
    if (!(value >= 0 && value <= 1)) in.fail(field, "must be between 0 and 1");
    return value;
}

int count(const fields& in, const char* field) {
    const auto value = in.get<int>(field);
    if (value < 1) in.fail(field, "must be at least 1");
    return value;
}

// The member of `all` that the field names.
template <class All>
auto named(const fields& in, const char* field, const All& all) {
    const auto text = in.get<std::string>(field);
    for (const auto& one : all) {
        using core::name;
        if (text == name(one)) return one;
    }
    in.fail(field, "names nothing known: '" + text + "'");
}

compute_peak compute_from(const fields& in) {
    std::optional<core::isa> level;
    if (in.find("isa") != nullptr) level = named(in, "isa", core::all_isas);
    return {
        in.get<std::string>("unit"),
        named(in, "dtype", all_dtypes),
        level,
        count(in, "threads"),
        positive(in, "gflops"),
        fraction(in, "spread"),
        count(in, "rounds"),
        in.find("constant_input_gflops") != nullptr ? positive(in, "constant_input_gflops") : 0};
}

bandwidth_peak bandwidth_from(const fields& in) {
    return {in.get<std::string>("level"), count(in, "threads"),
            positive(in, "gb_per_s"),     fraction(in, "spread"),
            count(in, "rounds"),          in.get<std::int64_t>("working_set_bytes")};
}

reading_peak reading_from(const fields& in) {
    return {count(in, "threads"), in.get<std::int64_t>("working_set_bytes"),
            positive(in, "gb_per_s"), fraction(in, "spread"), count(in, "rounds")};
}

}  // namespace

peaks peaks_from_json(const json& object) {
    const fields in(object, "peaks:", "not those that carat measures");
    peaks limits;
    in.each("compute", [&](const fields& p) { limits.compute.push_back(compute_from(p)); });
    in.each("bandwidth", [&](const fields& p) { limits.bandwidth.push_back(bandwidth_from(p)); });
    if (in.find("reading") != nullptr)
        in.each("reading", [&](const fields& p) { limits.reading.push_back(reading_from(p)); });
    in("measured_at_s", limits.measured_at_s);
    in("age_s", limits.age_s);
    in("thorough", limits.thorough);
    return limits;
}

}  // namespace carat::machine
