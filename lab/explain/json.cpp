// An explanation for programs: what the text of `carat explain` says, unrounded.
#include "lab/explain/explanation.hpp"
#include "lab/explain/foretold.hpp"

namespace carat::explain {

namespace {

using nlohmann::json;

// Zero stands for "not known" in figures that are positive when they are.
json known_or_null(double value) {
    return value > 0 ? json(value) : json();
}

json to_json(const model::prediction& p) {
    json flows = json::array();
    for (const model::flow& f : p.flows)
        flows.push_back({{"from", f.from},
                         {"bytes", f.bytes},
                         {"time_s", known_or_null(f.time_s)},
                         {"kept", f.kept}});
    return {{"flows", flows},
            {"compute_s", known_or_null(p.compute_s)},
            {"time_s", known_or_null(p.time_s)},
            {"gflops", known_or_null(p.gflops)},
            {"bound", p.bound}};
}

json to_json(const core::plan_facts& p) {
    return {{"why", p.why}, {"rows", p.rows}, {"cols", p.cols},
            {"mr", p.mr},   {"nr", p.nr},     {"mc", p.mc},
            {"nc", p.nc},   {"kc", p.kc},     {"threads", {p.threads_m, p.threads_n}}};
}

json to_json(const machine::roof& r) {
    return {{"gflops", r.gflops},
            {"arithmetic_intensity", r.arithmetic_intensity},
            {"level", r.level},
            {"bound", r.bound}};
}

json measured_json(const results::result& c) {
    if (c.implementation.empty()) return {};
    return {{"verified", c.verified},
            {"verification", c.verification},
            {"above_peak", c.above_peak},
            {"reason", c.reason},
            {"busy", c.busy},
            {"trials", c.trials_s.size()},
            {"median_s", known_or_null(c.median_s)},
            {"ci95_median_s", results::bounded(c.ci95_median_s) ? json(c.ci95_median_s) : json()},
            {"median_gflops", known_or_null(c.median_gflops)},
            {"percent_of_roofline", known_or_null(c.percent_of_roofline)}};
}

json to_json(const device_report& d) {
    json rejected = json::array();
    for (const rejection& o : d.chosen.rejected)
        rejected.push_back({{"implementation", o.implementation}, {"reason", o.reason}});
    json kernels = json::array();
    for (const model::residency& r : d.kernels)
        kernels.push_back({{"blocks", static_cast<std::int64_t>(r.blocks)},
                           {"occupancy", r.occupancy},
                           {"limit", r.limit}});
    return {{"device", rows::name(d.chosen.where)},
            {"implementation", d.chosen.entry == nullptr ? "" : d.chosen.entry->name},
            {"passed_over", rejected},
            {"plan", to_json(d.plan)},
            {"peak_gflops", known_or_null(d.peak_gflops)},
            {"roofline", d.roof ? to_json(*d.roof) : json()},
            {"cache_model", d.predicted ? to_json(*d.predicted) : json()},
            {"kernels", kernels},
            {"step", d.step ? explain::to_json(*d.step) : json()},
            {"predicted", d.foretold ? explain::to_json(*d.foretold, d.measured) : json()},
            {"expected_s", known_or_null(d.lower_bound_s)},
            {"measured", measured_json(d.measured)},
            {"advice", d.advice}};
}

}  // namespace

json to_json(const explanation& told) {
    json levels = json::array();
    for (const model::level& l : told.levels)
        levels.push_back({{"name", l.name},
                          {"capacity_bytes", known_or_null(l.capacity_bytes)},
                          {"gb_per_s", known_or_null(l.gb_per_s)},
                          {"line_bytes", l.line_bytes}});
    json devices = json::array();
    for (const device_report& d : told.devices) devices.push_back(to_json(d));
    json loops = json::array();
    for (const loop_nest& l : told.loops) {
        loops.push_back(to_json(l.predicted));
        loops.back()["order"] = model::name(l.schedule.how);
        loops.back()["tile"] = l.schedule.tile;
        loops.back()["intensity"] = l.intensity;
    }
    return {{"m", told.size.m},
            {"n", told.size.n},
            {"k", told.size.k},
            {"dtype", name(told.key.type)},
            {"threads", told.key.threads},
            {"flop", told.flop},
            {"arithmetic_intensity", told.intensity},
            {"call", rows::describe(told.key.asked)},
            {"c_read_bytes", told.c_read_bytes},
            {"compulsory_bytes", told.operand_bytes},
            {"levels", levels},
            {"devices", devices},
            {"loops", loops},
            {"counters", told.counters}};
}

}  // namespace carat::explain
