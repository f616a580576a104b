#include "lab/results/gpu_facts.hpp"

#include <nlohmann/json.hpp>

#include "lab/files/fields.hpp"

namespace carat::results {

using nlohmann::json;

namespace {

template <class T>
void put(json& object, const char* key, const std::optional<T>& value) {
    if (value) object[key] = *value;
}

template <class T>
void take(const files::fields& in, const char* key, std::optional<T>& value) {
    if (in.find(key) != nullptr) in(key, value.emplace());
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

gpu_facts gpu_facts_from(const files::fields& in) {
    gpu_facts facts;
    in("samples", facts.samples);
    in("throttle_reasons", facts.throttle_reasons);
    if (in.find("clock_mhz") != nullptr) {
        const files::fields clock = in.object("clock_mhz");
        facts.clock_mhz = {clock.get<int>("median"), clock.get<int>("least"),
                           clock.get<int>("most")};
    }
    take(in, "memory_clock_mhz", facts.memory_clock_mhz);
    take(in, "temperature_c", facts.temperature_c);
    take(in, "power_w", facts.power_w);
    take(in, "joules_per_gflop", facts.joules_per_gflop);
    take(in, "energy_window_s", facts.energy_window_s);
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

core::kernel_facts kernel_facts_from(const files::fields& in) {
    core::kernel_facts facts;
    in("name", facts.name);
    in("threads", facts.threads);
    in("registers", facts.registers);
    in("local_bytes", facts.local_bytes);
    in("shared_bytes", facts.shared_bytes);
    in("occupancy", facts.occupancy);
    return facts;
}

}  // namespace carat::results
