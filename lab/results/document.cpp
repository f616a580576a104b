#include "lab/results/document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <carat/error.hpp>

#include "lab/results/archive.hpp"
#include "lab/results/surroundings.hpp"
#include "lab/rows/group_sizes.hpp"

namespace carat::results {

namespace {

using nlohmann::json;

template <class Archive, class Library>
void library_fields(const Archive& field, Library& l) {
    field("name", l.name);
    field("version", l.version);
    field("path", l.path);
    field("kernel", l.kernel);
    field("note", l.note);
}

// A field for each that is asked; none of a product alone. "call" says the same to people.
template <class Archive, class Call>
void call_fields(const Archive& field, Call& c) {
    field.added("batch", c.batch);
    field.added("alpha", c.alpha);
    field.added("beta", c.beta);
    field.added("prepared", c.prepared);
    field.added("other_e", c.other_e);
    field.added("block_scales", c.block_scales);
}

// The file has the words of rows::describe.
void read_epilogue(const files::fields& in, rows::call& c) {
    if (in.find("epilogue") == nullptr) return;
    const auto text = in.get<std::string>("epilogue");
    const std::optional<rows::epilogue> last = rows::find_epilogue(text);
    if (!last) in.fail("epilogue", "is '" + text + "', which is none");
    c.last = *last;
}

// The file has them as they were requested.
void read_groups(const files::fields& in, rows::call& c) {
    in.added("groups", c.groups);
    try {
        if (!c.groups.empty()) (void)rows::rows_of_groups(c.groups);
    } catch (const error& why) {
        in.fail("groups", why.what());
    }
}

// The file has the type's name; none where C has the type of the sums.
void read_out(const files::fields& in, rows::call& c) {
    if (in.find("out") == nullptr) return;
    const auto text = in.get<std::string>("out");
    for (const dtype type : all_dtypes)
        if (text == name(type)) c.out = type;
    if (!c.out) in.fail("out", "is '" + text + "', which is no type");
}

void write_call(json& out, const rows::call& c) {
    if (c == rows::call{}) return;
    call_fields(writer(out), c);
    out["batch_by"] = rows::name(c.lies);
    if (!c.groups.empty()) out["groups"] = c.groups;
    if (!c.last.is_none()) out["epilogue"] = rows::describe(c.last);
    if (c.out) out["out"] = name(*c.out);
    out["call"] = rows::describe(c);
}

rows::call read_call(const files::fields& in) {
    rows::call c;
    call_fields(in, c);
    read_out(in, c);
    read_epilogue(in, c);
    read_groups(in, c);
    if (c.batch < 1) in.fail("batch", "is " + std::to_string(c.batch) + ", expected 1 or more");
    std::string by(rows::name(c.lies));
    in.added("batch_by", by);
    const auto lies = rows::find_placement(by);
    if (!lies) in.fail("batch_by", "is '" + by + "', expected strided, pointers or listed");
    c.lies = *lies;
    return c;
}

// What was asked for: all that a result has which could not be measured, and what each has.
template <class Archive, class Result>
void asked_fields(const Archive& field, Result& c) {
    field("implementation", c.implementation);
    field("device", c.device);
    field("dtype", c.dtype);
    field("m", c.m);
    field("n", c.n);
    field("k", c.k);
    field.added("layout", c.layout);
    field("threads", c.threads);
    field.added("tunables", c.tunables);
    field("available", c.available);
    field("reason", c.reason);
}

template <class Archive, class Result>
void measured_fields(const Archive& field, Result& c) {
    field("computes_in", c.computes_in);
    field("threads_used", c.threads_used);
    field("verified", c.verified);
    field("verification", c.verification);
    field("error_ulp", c.error_ulp);
    field("error_bound_ulp", c.error_bound_ulp);
    field.added("max_abs_error", c.max_abs_error);
    field.added("exact_passes", c.exact_passes);
    field.added("error_over_sqrt_k", c.error_over_sqrt_k);
    field("prepare_s", c.prepare_s);
    field("cold_s", c.cold_s);
    field("repetitions", c.repetitions);
    field("trials_s", c.trials_s);
    field("stop", c.stop);
    field("flop", c.flop);
    field("arithmetic_intensity", c.arithmetic_intensity);
    field("mean_s", c.mean_s);
    field("sd_s", c.sd_s);
    field("min_s", c.min_s);
    field("max_s", c.max_s);
    field("median_s", c.median_s);
    field("ci95_median_s", c.ci95_median_s);
    field("ci95_mean_s", c.ci95_mean_s);
    field("ci_method", c.ci_method);
    field("autocorrelation", c.autocorrelation);
    field("few_trials", c.few_trials);
    field("median_gflops", c.median_gflops);
    field("ci95_gflops", c.ci95_gflops);
    field("roofline_gflops", c.roofline_gflops);
    field("percent_of_roofline", c.percent_of_roofline);
    field("bound", c.bound);
    field("above_peak", c.above_peak);
    field("rank", c.rank);
    field("group", c.group);
}

template <class Archive, class Pair>
void pair_fields(const Archive& field, Pair& p) {
    field("a", p.a);
    field("b", p.b);
    field("ratio", p.ratio);
    field("ci95_ratio", p.ci95_ratio);
    field.added("interval_over", p.interval_over);
    field.added("confidence", p.confidence);
    field("df", p.df);
    field("p", p.p);
    field("verdict", p.verdict);
    field.added("more_s", p.more_s);
}

template <class Archive, class Comparison>
void comparison_case_fields(const Archive& field, Comparison& c) {
    field("dtype", c.dtype);
    field("m", c.m);
    field("n", c.n);
    field("k", c.k);
    field("threads", c.threads);
    field.added("base", c.base);
    field.added("measured_s", c.measured_s);
}

template <class Archive, class Comparison>
void hypothesis_fields(const Archive& field, Comparison& c) {
    field("h0", c.h0);
    field("h1", c.h1);
    field("alpha", c.alpha);
}

template <class Archive, class Comparison>
void welch_fields(const Archive& field, Comparison& c) {
    field("f", c.f);
    field("df1", c.df1);
    field("df2", c.df2);
    field("p", c.p);
}

template <class Archive, class Document>
void document_fields(const Archive& field, Document& d) {
    field("carat", d.carat);
    field("revision", d.revision);
    field("date", d.date);
    field("command", d.command);
    field("complete", d.complete);
    field("machine", d.machine);
    field("build", d.build);
    field("settings", d.settings);
}

json encode(const result& c) {
    json out = json::object();
    asked_fields(writer(out), c);
    write_call(out, c.asked);
    if (!c.vendor.name.empty()) library_fields(writer(out["library"]), c.vendor);
    if (!c.available) return out;
    measured_fields(writer(out), c);
    if (!c.trials_per_process.empty()) out["trials_per_process"] = c.trials_per_process;
    if (!c.trials_displaced.empty()) out["trials_displaced"] = c.trials_displaced;
    if (!c.trials_waited_s.empty()) out["trials_waited_s"] = c.trials_waited_s;
    if (!c.trials_stolen_s.empty()) out["trials_stolen_s"] = c.trials_stolen_s;
    if (c.hand_over_s) out["hand_over_s"] = *c.hand_over_s;
    if (c.background_cpu_share) out["background_cpu_share"] = *c.background_cpu_share;
    if (c.waiting_share) out["waiting_share"] = *c.waiting_share;
    if (!c.busy.empty()) out["busy"] = c.busy;
    if (!c.remark.empty()) out["remark"] = c.remark;
    if (c.gpu) out["gpu"] = to_json(*c.gpu);
    for (const core::kernel_facts& k : c.kernels) out["kernels"].push_back(to_json(k));
    if (c.end_to_end) out["phases"] = to_json(*c.end_to_end);
    return out;
}

json encode(const comparison& c) {
    json out = json::object();
    comparison_case_fields(writer(out), c);
    write_call(out, c.asked);
    hypothesis_fields(writer(out["hypotheses"]), c);
    welch_fields(writer(out["welch"]), c);
    out["pairs"] = json::array();
    for (const pair& p : c.pairs) pair_fields(writer(out["pairs"].emplace_back()), p);
    return out;
}

void read_processes(const files::fields& in, result& c) {
    in("trials_per_process", c.trials_per_process);
    std::int64_t sum = 0;
    for (const std::int64_t count : c.trials_per_process) {
        if (count < 0) in.fail("trials_per_process", "holds a negative count");
        sum += count;
    }
    if (sum != static_cast<std::int64_t>(c.trials_s.size()))
        in.fail("trials_per_process", "adds up to " + std::to_string(sum) + ", and trials_s has " +
                                          std::to_string(c.trials_s.size()));
}

// What stands beside each trial, where anything does.
template <class Value>
void read_beside_trials(const files::fields& in, const char* field, const result& c,
                        std::vector<Value>& values) {
    if (in.find(field) == nullptr) return;
    in(field, values);
    if (values.size() != c.trials_s.size())
        in.fail(field, "has " + std::to_string(values.size()) + " values, and trials_s has " +
                           std::to_string(c.trials_s.size()));
}

// What a field holds, short enough for one line of a message.
std::string shown(const json& value) {
    constexpr std::size_t longest = 40;
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

void require(bool holds, const files::fields& in, const char* field, const char* expected) {
    if (!holds) in.fail(field, "is " + shown(in.at(field)) + ", expected " + expected);
}

void require_name(const std::string& text, const files::fields& in, const char* field) {
    require(!text.empty(), in, field, "a name");
}

bool is_positive(double value) {
    return value > 0 && std::isfinite(value);
}

template <class Entry>  // result, comparison
void require_shape(const Entry& of, const files::fields& in) {
    require_name(of.dtype, in, "dtype");
    for (const auto& [field, size] : {std::pair{"m", of.m}, {"n", of.n}, {"k", of.k}})
        require(size > 0, in, field, "a whole number above zero");
    require(of.threads >= 0, in, "threads", "a whole number, zero or more");
}

void require_usable(const pair& p, const files::fields& in) {
    require_name(p.a, in, "a");
    require_name(p.b, in, "b");
    require(is_positive(p.ratio), in, "ratio", "a number above zero");
    // A ratio that a single trial leaves open is anything from zero on.
    const auto [low, high] = p.ci95_ratio;
    require(high > 0 && (low > 0 || low == unbounded[0] || (low == 0 && high == unbounded[1])), in,
            "ci95_ratio", "[low, high], both above zero");
    constexpr std::array verdicts = {"faster", "slower", "tie", "unclear"};
    require(std::ranges::find(verdicts, p.verdict) != verdicts.end(), in, "verdict",
            "faster, slower, tie or unclear");
}

result decode_result(const files::fields& in) {
    result c;
    asked_fields(in, c);
    require_name(c.implementation, in, "implementation");
    require_name(c.device, in, "device");
    require_shape(c, in);
    c.asked = read_call(in);
    if (in.find("library") != nullptr) library_fields(in.object("library"), c.vendor);
    if (!c.available) return c;  // older files go on with zeros
    measured_fields(in, c);
    if (in.find("trials_per_process") != nullptr) read_processes(in, c);
    read_beside_trials(in, "trials_displaced", c, c.trials_displaced);
    read_beside_trials(in, "trials_waited_s", c, c.trials_waited_s);
    read_beside_trials(in, "trials_stolen_s", c, c.trials_stolen_s);
    if (in.find("hand_over_s") != nullptr) in("hand_over_s", c.hand_over_s.emplace());
    if (in.find("background_cpu_share") != nullptr)
        in("background_cpu_share", c.background_cpu_share.emplace());
    if (in.find("waiting_share") != nullptr) in("waiting_share", c.waiting_share.emplace());
    if (in.find("busy") != nullptr) in("busy", c.busy);
    if (in.find("remark") != nullptr) in("remark", c.remark);
    if (in.find("gpu") != nullptr) c.gpu = gpu_facts_from(in.object("gpu"));
    if (in.find("kernels") != nullptr)
        in.each("kernels",
                [&](const files::fields& k) { c.kernels.push_back(kernel_facts_from(k)); });
    if (in.find("phases") != nullptr) c.end_to_end = phases_from(in.object("phases"));
    for (const double t : c.trials_s)
        if (!is_positive(t)) in.fail("trials_s", "holds a time that is not positive");
    if (c.verified && !c.trials_s.empty())
        require(is_positive(c.median_gflops), in, "median_gflops", "a number above zero");
    if (const double share = c.background_cpu_share.value_or(0); !(share >= 0 && share <= 1))
        require(false, in, "background_cpu_share", "a number from 0 to 1");
    return c;
}

comparison decode_comparison(const files::fields& in) {
    comparison c;
    comparison_case_fields(in, c);
    require_shape(c, in);
    c.asked = read_call(in);
    hypothesis_fields(in.object("hypotheses"), c);
    welch_fields(in.object("welch"), c);
    in.each("pairs", [&](const files::fields& p) {
        pair_fields(p, c.pairs.emplace_back());
        require_usable(c.pairs.back(), p);
    });
    return c;
}

}  // namespace

const pair* comparison::find(const std::string& one, const std::string& other) const {
    const auto found = std::ranges::find_if(pairs, [&](const pair& of) {
        return (of.a == one && of.b == other) || (of.a == other && of.b == one);
    });
    return found == pairs.end() ? nullptr : &*found;
}

std::string label_of(const std::string& implementation, const core::tunable_values& tunables) {
    std::string inside;
    for (const auto& [key, value] : tunables)
        inside += (inside.empty() ? "" : ",") + key + "=" + std::to_string(value);
    return inside.empty() ? implementation : implementation + "[" + inside + "]";
}

json to_json(std::span<const result> results, std::span<const comparison> comparisons) {
    json out = {{"results", json::array()}, {"comparisons", json::array()}};
    for (const result& c : results) out["results"].push_back(encode(c));
    for (const comparison& c : comparisons) out["comparisons"].push_back(encode(c));
    return out;
}

void add_from_json(const files::fields& in, document& doc) {
    in.each("results", [&](const files::fields& c) { doc.results.push_back(decode_result(c)); });
    in.each("comparisons",
            [&](const files::fields& c) { doc.comparisons.push_back(decode_comparison(c)); });
}

json to_json(const document& doc) {
    json out = json::object();
    out["schema"] = schema_version;
    document_fields(writer(out), doc);
    json lists = to_json(doc.results, doc.comparisons);
    for (auto& [name, list] : lists.items()) out[name] = std::move(list);
    for (const crossover& c : doc.crossovers) out["crossovers"].push_back(to_json(c));
    for (const chapter& c : doc.studies) out["studies"].push_back(to_json(c));
    return out;
}

document from_json(const json& source, const std::string& name) {
    const files::fields in = reader(source, name + ":");
    const int schema = in.get<int>("schema");
    if (schema != schema_version)
        in.fail("schema", "is " + std::to_string(schema) + " (this carat reads " +
                              std::to_string(schema_version) + ")");
    document doc;
    document_fields(in, doc);
    for (const char* key : {"machine", "build", "settings"}) (void)in.object(key);
    add_from_json(in, doc);
    const auto each = [&](const char* key, const auto& read) {
        if (in.find(key) != nullptr) in.each(key, read);
    };
    each("crossovers",
         [&](const files::fields& c) { doc.crossovers.push_back(crossover_from(c)); });
    each("studies", [&](const files::fields& c) { doc.studies.push_back(chapter_from(c)); });
    (void)surroundings_of(doc, name + ": ");
    return doc;
}

}  // namespace carat::results
