#include "lab/workers/messages.hpp"

#include <cmath>
#include <limits>

namespace carat::workers {

namespace {

using nlohmann::json;

json to_json(const core::layout& l) {
    return json::array({l.row_stride, l.col_stride});
}

core::layout layout_from(const json& strides) {
    return {strides.at(0).get<std::int64_t>(), strides.at(1).get<std::int64_t>()};
}

// The order is that of core::kernel_facts.
json to_json(const core::kernel_facts& k) {
    return json::array(
        {k.name, k.threads, k.registers, k.local_bytes, k.shared_bytes, k.occupancy});
}

core::kernel_facts kernel_from(const json& in) {
    return {in.at(0).get<std::string>(), in.at(1).get<int>(), in.at(2).get<int>(),
            in.at(3).get<int>(),         in.at(4).get<int>(), in.at(5).get<double>()};
}

}  // namespace

// Builds that know single products alone understand them.
json to_json(const rows::operation& all) {
    const core::problem& p = all.one;
    return {{"types", json::array({p.a_type, p.b_type, p.c_type})},
            {"size", json::array({p.m, p.n, p.k})},
            {"a", to_json(p.a_layout)},
            {"b", to_json(p.b_layout)},
            {"c", to_json(p.c_layout)},
            {"alpha", p.alpha},
            {"beta", p.beta},
            {"count", all.count},
            {"lies", all.lies},
            {"rows", all.rows},
            {"prepared", all.prepared},
            {"other_e", all.other_e},
            {"block_scales", all.block_scales},
            {"bias", all.last.bias},
            {"activation", all.last.f}};
}

rows::operation operation_from(const json& in) {
    const json& types = in.at("types");
    const json& size = in.at("size");
    const core::problem one = {types.at(0).get<dtype>(),       types.at(1).get<dtype>(),
                               types.at(2).get<dtype>(),       size.at(0).get<std::int64_t>(),
                               size.at(1).get<std::int64_t>(), size.at(2).get<std::int64_t>(),
                               layout_from(in.at("a")),        layout_from(in.at("b")),
                               layout_from(in.at("c")),        in.at("alpha").get<double>(),
                               in.at("beta").get<double>()};
    rows::operation all(one, in.value("count", std::int64_t{1}),
                        in.value("lies", rows::placement::strided));
    all.last = {in.value("bias", false), in.value("activation", rows::activation::none)};
    all.rows = in.value("rows", all.rows);
    all.prepared = in.value("prepared", false);
    all.other_e = in.value("other_e", false);
    all.block_scales = in.value("block_scales", false);
    return all;
}

json to_json(const workload::distribution& values) {
    return json::array({values.kind, values.first, values.second});
}

workload::distribution distribution_from(const json& in) {
    return {in.at(0).get<workload::distribution::shape>(), in.at(1).get<double>(),
            in.at(2).get<double>()};
}

json to_json(const verify::exact_passes& pass) {
    return {{"claim", pass.claim()}, {"kind", pass.kind()}, {"seed", pass.seed()}};
}

verify::exact_passes pass_from(const rows::operation& all, const json& message) {
    return {all, message.at("claim").get<std::string>(),
            message.at("kind").get<verify::exact_kind>(), message.at("seed").get<std::uint64_t>()};
}

// JSON has no infinity.
json to_json(const verify::verdict& v) {
    const auto figure = [](double x) { return std::isfinite(x) ? json(x) : json(nullptr); };
    return {{"passed", v.passed},
            {"how", v.how},
            {"figures",
             json::array({figure(v.error_ulp), figure(v.bound_ulp), figure(v.max_abs_error)})},
            {"where", json::array({v.row, v.col, v.wrong})},
            {"reason", v.reason}};
}

verify::verdict verdict_from(const json& message) {
    const auto figure = [&](std::size_t i) {
        const json& x = message.at("figures").at(i);
        return x.is_null() ? std::numeric_limits<double>::infinity() : x.get<double>();
    };
    const json& where = message.at("where");
    return {message.at("passed").get<bool>(),
            message.at("how").get<verify::method>(),
            figure(0),
            figure(1),
            figure(2),
            where.at(0).get<std::int64_t>(),
            where.at(1).get<std::int64_t>(),
            where.at(2).get<std::int64_t>(),
            message.at("reason").get<std::string>()};
}

json to_json(const task& t) {
    return {{"implementation", t.implementation},
            {"problem", to_json(t.operation)},
            {"threads", t.settings.threads},
            {"tunables", t.settings.tunables}};
}

task task_from(const json& message) {
    task t{
        message.at("implementation").get<std::string>(), operation_from(message.at("problem")), {}};
    t.settings.threads = message.at("threads").get<int>();
    for (const auto& [name, value] : message.at("tunables").items())
        t.settings.tunables[name] = value.get<std::int64_t>();
    return t;
}

json to_json(const introduction& i) {
    const results::library& l = i.library;
    return {{"reason", i.reason},
            {"library", json::array({l.name, l.version, l.path, l.kernel, l.note})}};
}

introduction introduction_from(const json& message) {
    const auto library = message.at("library").get<std::vector<std::string>>();
    return {message.at("reason").get<std::string>(),
            {library.at(0), library.at(1), library.at(2), library.at(3), library.at(4)}};
}

json to_json(const readiness& r) {
    json out = {{"prepare_s", r.prepare_s},
                {"threads", r.threads},
                {"note", r.note},
                {"kernels", json::array()}};
    for (const core::kernel_facts& k : r.kernels) out["kernels"].push_back(to_json(k));
    return out;
}

readiness readiness_from(const json& message) {
    readiness r{message.at("prepare_s").get<double>(),
                message.at("threads").get<int>(),
                message.at("note").get<std::string>(),
                {}};
    for (const json& k : message.at("kernels")) r.kernels.push_back(kernel_from(k));
    return r;
}

json to_json(const timing& t) {
    json out = {{"time_s", t.time_s}, {"displaced", t.displaced}};
    if (t.waited_s) out["waited_s"] = *t.waited_s;
    return out;
}

timing timing_from(const json& message) {
    timing t{message.at("time_s").get<double>(), message.at("displaced").get<std::int64_t>()};
    if (message.contains("waited_s")) t.waited_s = message["waited_s"].get<double>();
    return t;
}

}  // namespace carat::workers
