// The machine and its peaks in the results file, see docs/results.md.
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/files/archive.hpp"
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

namespace {

using files::either;
using files::fields;

struct lists {};

void require_positive(const fields& in, const char* field, double value) {
    if (!std::isfinite(value) || value <= 0) in.fail(field, "must be positive and finite");
}

// What every peak has.
template <class Peak>
void require_peak(const fields& in, const Peak& p) {
    for (const auto& [field, count] : {std::pair{"threads", p.threads}, {"rounds", p.rounds}})
        if (count < 1) in.fail(field, "must be at least 1");
    if (!(p.spread >= 0 && p.spread <= 1)) in.fail("spread", "must be between 0 and 1");
}

}  // namespace

template <class Archive, either<compute_peak> Peak>
void fields_of(const Archive& field, Peak& p) {
    field("unit", p.unit);
    field.named(
        "dtype", p.type,
        files::words{[](dtype type) { return name(type); },
                     [](const std::string& word) { return files::member(all_dtypes, word); },
                     "which names nothing known"});
    field.told_named(
        "isa", p.level, p.level.has_value(),
        files::words{[](const auto& level) { return core::name(*level); },
                     [](const std::string& word) { return files::member(core::all_isas, word); },
                     "which names nothing known"});
    field("threads", p.threads);
    field("gflops", p.gflops);
    field("spread", p.spread);
    field("rounds", p.rounds);
    field.told("constant_input_gflops", p.constant_input_gflops, p.constant_input_gflops > 0);
}

static void require_sound(const fields& in, const compute_peak& p) {
    require_peak(in, p);
    require_positive(in, "gflops", p.gflops);
    if (in.find("constant_input_gflops") != nullptr)
        require_positive(in, "constant_input_gflops", p.constant_input_gflops);
}

template <class Archive, either<bandwidth_peak> Peak>
void fields_of(const Archive& field, Peak& p) {
    field("level", p.level);
    field("threads", p.threads);
    field("gb_per_s", p.gb_per_s);
    field("spread", p.spread);
    field("rounds", p.rounds);
    field("working_set_bytes", p.working_set_bytes);
}

template <class Archive, either<reading_peak> Peak>
void fields_of(const Archive& field, Peak& p) {
    field("threads", p.threads);
    field("working_set_bytes", p.working_set_bytes);
    field("gb_per_s", p.gb_per_s);
    field("spread", p.spread);
    field("rounds", p.rounds);
}

template <class Peak>  // of memory
requires either<Peak, bandwidth_peak> || either<Peak, reading_peak>
void require_sound(const fields& in, const Peak& p) {
    require_peak(in, p);
    require_positive(in, "gb_per_s", p.gb_per_s);
}

template <class Archive, either<peaks> Peaks>
void fields_of(const Archive& field, Peaks& all) {
    field("compute", all.compute);
    field("bandwidth", all.bandwidth);
    field.told("reading", all.reading);
    field("measured_at_s", all.measured_at_s);
    field("age_s", all.age_s);
    field("thorough", all.thorough);
}

json to_json(const peaks& limits) {
    return files::writer<lists>::written(limits);
}

peaks peaks_from_json(const json& object) {
    peaks limits;
    files::reader<lists>::read(fields(object, "peaks:", "not those that carat measures"), limits);
    return limits;
}

}  // namespace carat::machine
