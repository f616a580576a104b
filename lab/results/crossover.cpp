#include "lab/results/crossover.hpp"

#include "lab/results/archive.hpp"

namespace carat::results {

namespace {

using nlohmann::json;

// Both ends are always there, each null where it is open: the page reads them one by one.
void ends_field(const writer& field, const char* key, const range& ends) {
    const auto end = [](double at) { return std::isfinite(at) ? json(at) : json(); };
    field(key, json::array({end(ends[0]), end(ends[1])}));
}
void ends_field(const files::fields& field, const char* key, range& ends) {
    field(key, ends);
}

template <class Archive, class Point>
void point_fields(const Archive& field, Point& p) {
    field("n", p.n);
    field("cpu", p.cpu);
    field("cpu_s", p.cpu_s);
    field("gpu_s", p.gpu_s);
    ends_field(field, "ci95_cpu_s", p.ci95_cpu_s);
    ends_field(field, "ci95_gpu_s", p.ci95_gpu_s);
}

template <class Archive, class Crossover>
void crossover_fields(const Archive& field, Crossover& c) {
    field("gpu", c.gpu);
    field("dtype", c.dtype);
    field("threads", c.threads);
    field("host_memory", c.host_memory);
    field("outcome", c.outcome);
    ends_field(field, "ci95", c.ci95);
    field.added("changes", c.changes);
    field.added("few_trials", c.few_trials);
}

void require_positive(const files::fields& in, const char* key, double value) {
    if (!(value > 0) || !std::isfinite(value)) in.fail(key, "is not a number above zero");
}

crossover_point point_from(const files::fields& in) {
    crossover_point p;
    point_fields(in, p);
    if (p.n < 1) in.fail("n", "is not a whole number above zero");
    if (p.cpu.empty()) in.fail("cpu", "is not a name");
    require_positive(in, "cpu_s", p.cpu_s);
    require_positive(in, "gpu_s", p.gpu_s);
    return p;
}

}  // namespace

json to_json(const crossover& c) {
    json out = json::object();
    crossover_fields(writer(out), c);
    out["n"] = c.n ? json(*c.n) : json();
    if (c.between) out["between"] = *c.between;
    out["points"] = json::array();
    for (const crossover_point& p : c.points) point_fields(writer(out["points"].emplace_back()), p);
    return out;
}

crossover crossover_from(const files::fields& in) {
    crossover c;
    crossover_fields(in, c);
    for (const auto& [key, text] : {std::pair{"gpu", &c.gpu}, {"dtype", &c.dtype}})
        if (text->empty()) in.fail(key, "is not a name");
    if (c.threads < 0) in.fail("threads", "is below zero");
    if (c.changes < 0) in.fail("changes", "is below zero");
    if (c.outcome != "crosses" && c.outcome != "always" && c.outcome != "never")
        in.fail("outcome", "is '" + c.outcome + "', expected crosses, always or never");
    if (c.outcome == "crosses") require_positive(in, "n", c.n.emplace(in.get<double>("n")));
    if (in.find("between") != nullptr) in("between", c.between.emplace());
    in.each("points", [&](const files::fields& p) { c.points.push_back(point_from(p)); });
    if (c.points.empty()) in.fail("points", "is empty");
    return c;
}

}  // namespace carat::results
