#include "lab/results/phases.hpp"

#include <algorithm>

#include "lab/results/archive.hpp"

namespace carat::results {

namespace {

using nlohmann::json;

template <class Archive, class Phases>
void phases_fields(const Archive& field, Phases& p) {
    field("host_memory", p.host_memory);
    field("reason", p.reason);
    field("total_trials_s", p.total_trials_s);
    field("repetitions", p.repetitions);
    field("stop", p.stop);
}

template <class Archive, class Phase>
void phase_fields(const Archive& field, Phase& p) {
    field("median", p.median_s);
    field("ci95", p.ci95_s);
}

std::string key_of(std::string_view name) {
    return std::string(name) + "_s";
}

}  // namespace

const phase* phases::find(std::string_view name) const {
    if (name == total.name) return &total;
    const auto found = std::ranges::find(parts, name, &phase::name);
    return found == parts.end() ? nullptr : &*found;
}

json to_json(const phases& p) {
    json out = json::object();
    phases_fields(writer(out), p);
    if (!p.measured()) return out;
    for (const phase& part : p.parts) phase_fields(writer(out[key_of(part.name)]), part);
    phase_fields(writer(out[key_of(p.total.name)]), p.total);
    return out;
}

phases phases_from(const files::fields& in) {
    phases p;
    phases_fields(in, p);
    for (const double t : p.total_trials_s)
        if (!(t > 0) || !std::isfinite(t))
            in.fail("total_trials_s", "holds a time that is not positive");
    if (!p.measured()) return p;
    for (const std::string_view name : phase_names) {
        if (in.find(key_of(name).c_str()) == nullptr) continue;
        p.parts.push_back({std::string(name), 0, {}});
        phase_fields(in.object(key_of(name).c_str()), p.parts.back());
    }
    phase_fields(in.object("total_s"), p.total);
    return p;
}

}  // namespace carat::results
