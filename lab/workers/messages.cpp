#include "lab/workers/messages.hpp"

#include "lab/files/archive.hpp"

namespace carat::workers {

using files::either;
using nlohmann::json;

// A message of another build may lack what was added since, and has lists where this one has.
struct lists {};
using writer = files::writer<lists>;
using reader = files::reader<lists>;

// Builds that know single products alone understand them.
template <class Archive, either<rows::operation> Operation>
void fields_of(const Archive& field, Operation& all) {
    auto& p = all.one;
    field.together("types", p.a_type, p.b_type, p.c_type);
    field.together("size", p.m, p.n, p.k);
    field.together("a", p.a_layout.row_stride, p.a_layout.col_stride);
    field.together("b", p.b_layout.row_stride, p.b_layout.col_stride);
    field.together("c", p.c_layout.row_stride, p.c_layout.col_stride);
    field("alpha", p.alpha);
    field("beta", p.beta);
    field.added("count", all.count);
    field.added("lies", all.lies);
    field.added("rows", all.rows);
    field.added("sizes_on_device", all.sizes_on_device);
    field.added("prepared", all.prepared);
    field.added("other_e", all.other_e);
    field.added("block_scales", all.block_scales);
    field.added("bias", all.last.bias);
    field.added("activation", all.last.f);
}

template <class Archive, either<verify::verdict> Verdict>
void fields_of(const Archive& field, Verdict& v) {
    field("passed", v.passed);
    field("how", v.how);
    field.together("figures", v.error_ulp, v.bound_ulp, v.max_abs_error);
    field.together("where", v.row, v.col, v.wrong);
    field("reason", v.reason);
}

template <class Archive, either<task> Task>
void fields_of(const Archive& field, Task& t) {
    field("implementation", t.implementation);
    field("problem", t.operation);
    field("threads", t.settings.threads);
    field("tunables", t.settings.tunables);
}

template <class Archive, either<introduction> Introduction>
void fields_of(const Archive& field, Introduction& i) {
    auto& l = i.library;
    field("reason", i.reason);
    field.together("library", l.name, l.version, l.path, l.kernel, l.note);
}

template <class Archive, either<core::kernel_facts> Kernel>
void fields_of(const Archive& field, Kernel& k) {
    field.together("facts", k.name, k.threads, k.registers, k.local_bytes, k.shared_bytes,
                   k.occupancy);
}

template <class Archive, either<readiness> Readiness>
void fields_of(const Archive& field, Readiness& r) {
    field("prepare_s", r.prepare_s);
    field("threads", r.threads);
    field("note", r.note);
    field("kernels", r.kernels);
    field.told("plan", r.plan);
}

template <class Archive, either<timing> Timing>
void fields_of(const Archive& field, Timing& t) {
    field("time_s", t.time_s);
    field("displaced", t.displaced);
    field.told("waited_s", t.waited_s);
}

template <class T>
static T read(const json& message) {
    T value{};
    reader::read(files::fields(message, "a worker's message:", "build both carats anew"), value);
    return value;
}

json to_json(const rows::operation& value) {
    return writer::written(value);
}
rows::operation operation_from(const json& message) {
    return read<rows::operation>(message);
}

json to_json(const verify::verdict& value) {
    return writer::written(value);
}
verify::verdict verdict_from(const json& message) {
    return read<verify::verdict>(message);
}

json to_json(const task& value) {
    return writer::written(value);
}
task task_from(const json& message) {
    return read<task>(message);
}

json to_json(const introduction& value) {
    return writer::written(value);
}
introduction introduction_from(const json& message) {
    return read<introduction>(message);
}

json to_json(const readiness& value) {
    return writer::written(value);
}
readiness readiness_from(const json& message) {
    return read<readiness>(message);
}

json to_json(const timing& value) {
    return writer::written(value);
}
timing timing_from(const json& message) {
    return read<timing>(message);
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

}  // namespace carat::workers
