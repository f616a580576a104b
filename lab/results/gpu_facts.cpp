#include "lab/results/gpu_facts.hpp"

#include <nlohmann/json.hpp>

namespace carat::results {

using nlohmann::json;

namespace {

template <class T>
void put(json& object, const char* key, const std::optional<T>& value) {
    if (value) object[key] = *value;
}

template <class T>
void take(const json& object, const char* key, std::optional<T>& value) {
    if (object.contains(key)) value = object[key].get<T>();
}

}  // namespace

json to_json(const gpu_facts& facts) {
    json object = {{"samples", facts.samples}, {"throttle_reasons", facts.throttle_reasons}};
    if (const auto& clock = facts.clock_mhz)
        object["clock_mhz"] = {
            {"median", clock->median}, {"least", clock->least}, {"most", clock->most}};
    put(object, "memory_clock_mhz", facts.memory_clock_mhz);
    put(object, "temperature_c", facts.temperature_c);
    put(object, "power_w", facts.power_w);
    put(object, "joules_per_gflop", facts.joules_per_gflop);
    put(object, "energy_window_s", facts.energy_window_s);
    return object;
}

gpu_facts gpu_facts_from_json(const json& object) {
    gpu_facts facts;
    object.at("samples").get_to(facts.samples);
    object.at("throttle_reasons").get_to(facts.throttle_reasons);
    if (object.contains("clock_mhz")) {
        const json& clock = object["clock_mhz"];
        facts.clock_mhz = {clock.at("median").get<int>(), clock.at("least").get<int>(),
                           clock.at("most").get<int>()};
    }
    take(object, "memory_clock_mhz", facts.memory_clock_mhz);
    take(object, "temperature_c", facts.temperature_c);
    take(object, "power_w", facts.power_w);
    take(object, "joules_per_gflop", facts.joules_per_gflop);
    take(object, "energy_window_s", facts.energy_window_s);
    return facts;
}

json to_json(const core::kernel_facts& facts) {
    return {{"name", facts.name},
            {"threads", facts.threads},
            {"registers", facts.registers},
            {"local_bytes", facts.local_bytes},
            {"shared_bytes", facts.shared_bytes},
            {"occupancy", facts.occupancy}};
}

core::kernel_facts kernel_facts_from_json(const json& object) {
    core::kernel_facts facts;
    object.at("name").get_to(facts.name);
    object.at("threads").get_to(facts.threads);
    object.at("registers").get_to(facts.registers);
    object.at("local_bytes").get_to(facts.local_bytes);
    object.at("shared_bytes").get_to(facts.shared_bytes);
    object.at("occupancy").get_to(facts.occupancy);
    return facts;
}

}  // namespace carat::results
