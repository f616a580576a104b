#include "lab/results/document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <carat/error.hpp>

#include "lab/results/parts.hpp"
#include "lab/results/surroundings.hpp"
#include "lab/rows/group_sizes.hpp"

namespace carat::results {

using nlohmann::json;

// The lists and checks below are found by their arguments, which they are not inside an unnamed
// namespace.

// A field for each that is asked; none of a product alone. "call" says the same to people.
template <class Archive, either<rows::call> Call>
void call_fields(const Archive& field, Call& c) {
    if (!Archive::reads && c == rows::call{}) return;
    field.added("batch", c.batch);
    field.added("alpha", c.alpha);
    field.added("beta", c.beta);
    field.added("prepared", c.prepared);
    field.added("other_e", c.other_e);
    field.added("block_scales", c.block_scales);
    field.told("groups", c.groups);  // as they were requested
    field.told_named("batch_by", c.lies, true,
                     files::words{[](auto lies) { return rows::name(lies); }, rows::find_placement,
                                  "expected strided, pointers or listed"});
    field.told_named("epilogue", c.last, !c.last.is_none(),
                     files::words{[](const auto& last) { return rows::describe(last); },
                                  rows::find_epilogue, "which is none"});
    // None where C has the type of the sums.
    field.told_named(
        "out", c.out, c.out.has_value(),
        files::words{[](const auto& type) { return name(*type); },
                     [](const std::string& word) { return files::member(all_dtypes, word); },
                     "which is no type"});
    if constexpr (!Archive::reads) field("call", rows::describe(c));
}

static void require_call(const files::fields& in, const rows::call& c) {
    if (c.batch < 1) in.fail("batch", "is " + std::to_string(c.batch) + ", expected 1 or more");
    try {
        if (!c.groups.empty()) (void)rows::rows_of_groups(c.groups);
    } catch (const error& why) {
        in.fail("groups", why.what());
    }
}

// `Case` is a result or a comparison.
template <class Archive, class Case>
void case_fields(const Archive& field, Case& c) {
    field("dtype", c.dtype);
    field("m", c.m);
    field("n", c.n);
    field("k", c.k);
    field("threads", c.threads);
    call_fields(field, c.asked);
}

template <class Archive, either<result> Result>
void trial_fields(const Archive& field, Result& c) {
    field("repetitions", c.repetitions);
    field("trials_s", c.trials_s);
    field.told("trials_per_process", c.trials_per_process);
    field.told("trials_displaced", c.trials_displaced);
    field.told("trials_waited_s", c.trials_waited_s);
    field.told("trials_stolen_s", c.trials_stolen_s);
    field.told("hand_over_s", c.hand_over_s);
    field("stop", c.stop);
    field.told("background_cpu_share", c.background_cpu_share);
    field.told("waiting_share", c.waiting_share);
    field.told("busy", c.busy);
    field.told("remark", c.remark);
}

template <class Archive, either<result> Result>
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
    trial_fields(field, c);
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
    field.told("phases", c.end_to_end);
    field.told("gpu", c.gpu);
    field.told("kernels", c.kernels);
    field.told("plan", c.plan);
}

// What was asked for is all that a result has which could not be measured.
template <class Archive, either<result> Result>
void fields_of(const Archive& field, Result& c) {
    field("implementation", c.implementation);
    field("device", c.device);
    case_fields(field, c);
    field.added("layout", c.layout);
    field.added("tunables", c.tunables);
    field("available", c.available);
    field("reason", c.reason);
    field.told("library", c.vendor, !c.vendor.name.empty());
    if (c.available) measured_fields(field, c);  // older files go on with zeros
}

template <class Archive, either<pair> Pair>
void fields_of(const Archive& field, Pair& p) {
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

template <class Archive, either<comparison> Comparison>
void fields_of(const Archive& field, Comparison& c) {
    case_fields(field, c);
    field.added("base", c.base);
    field.added("measured_s", c.measured_s);
    field.within("hypotheses", [&](const Archive& of) {
        of("h0", c.h0);
        of("h1", c.h1);
        of("alpha", c.alpha);
    });
    field.within("welch", [&](const Archive& of) {
        of("f", c.f);
        of("df1", c.df1);
        of("df2", c.df2);
        of("p", c.p);
    });
    field("pairs", c.pairs);
}

template <class Archive, either<document> Document>
void fields_of(const Archive& field, Document& d) {
    field("carat", d.carat);
    field("revision", d.revision);
    field("date", d.date);
    field("command", d.command);
    field("complete", d.complete);
    field("machine", d.machine);
    field("build", d.build);
    field("settings", d.settings);
    field("results", d.results);
    field("comparisons", d.comparisons);
    field.told("crossovers", d.crossovers);
    field.told("studies", d.studies);
}

// What a field holds, short enough for one line of a message.
static std::string shown(const json& value) {
    constexpr std::size_t longest = 40;
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

static void require(bool holds, const files::fields& in, const char* field, const char* expected) {
    if (!holds) in.fail(field, "is " + shown(in.at(field)) + ", expected " + expected);
}

static void require_name(const std::string& text, const files::fields& in, const char* field) {
    require(!text.empty(), in, field, "a name");
}

static void require_case(const product_case& of, const files::fields& in) {
    require_name(of.dtype, in, "dtype");
    for (const auto& [field, size] : {std::pair{"m", of.m}, {"n", of.n}, {"k", of.k}})
        require(size > 0, in, field, "a whole number above zero");
    require(of.threads >= 0, in, "threads", "a whole number, zero or more");
    require_call(in, of.asked);
}

static void require_processes(const files::fields& in, const result& c) {
    if (!in.find("trials_per_process")) return;
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
static void require_one_each(const files::fields& in, const char* field, std::size_t values,
                             const result& c) {
    if (in.find(field) != nullptr && values != c.trials_s.size())
        in.fail(field, "has " + std::to_string(values) + " values, and trials_s has " +
                           std::to_string(c.trials_s.size()));
}

static void require_sound(const files::fields& in, const result& c) {
    require_name(c.implementation, in, "implementation");
    require_name(c.device, in, "device");
    require_case(c, in);
    if (!c.available) return;
    require_processes(in, c);
    require_one_each(in, "trials_displaced", c.trials_displaced.size(), c);
    require_one_each(in, "trials_waited_s", c.trials_waited_s.size(), c);
    require_one_each(in, "trials_stolen_s", c.trials_stolen_s.size(), c);
    for (const double t : c.trials_s)
        if (!is_positive(t)) in.fail("trials_s", "holds a time that is not positive");
    if (c.verified && !c.trials_s.empty())
        require(is_positive(c.median_gflops), in, "median_gflops", "a number above zero");
    if (const double share = c.background_cpu_share.value_or(0); !(share >= 0 && share <= 1))
        require(false, in, "background_cpu_share", "a number from 0 to 1");
}

static void require_sound(const files::fields& in, const pair& p) {
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

static void require_sound(const files::fields& in, const comparison& c) {
    require_case(c, in);
}

const phase* phases::find(std::string_view name) const {
    if (name == total.name) return &total;
    const auto found = std::ranges::find(parts, name, &phase::name);
    return found == parts.end() ? nullptr : &*found;
}

std::string product_case::id() const {
    std::string text = dtype;
    for (const std::int64_t number : {m, n, k, std::int64_t{threads}})
        text += " " + std::to_string(number);
    return text + " " + rows::describe(asked);
}

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

json to_json(const crossover& c) {
    return writer::written(c);
}

json to_json(const chapter& c) {
    return writer::written(c);
}

json to_json(std::span<const result> results, std::span<const comparison> comparisons) {
    json out = json::object();
    const writer field(out);
    field("results", results);
    field("comparisons", comparisons);
    return out;
}

void add_from_json(const files::fields& in, document& doc) {
    const reader field(in);
    field("results", doc.results);
    field("comparisons", doc.comparisons);
}

json to_json(const document& doc) {
    json out = writer::written(doc);
    out["schema"] = schema_version;
    return out;
}

document from_json(const json& source, const std::string& name) {
    const files::fields in = fields_in(source, name + ":");
    const int schema = in.get<int>("schema");
    if (schema != schema_version)
        in.fail("schema", "is " + std::to_string(schema) + " (this carat reads " +
                              std::to_string(schema_version) + ")");
    document doc;
    for (const char* key : {"machine", "build", "settings"}) (void)in.object(key);
    reader::read(in, doc);
    (void)surroundings_of(doc, name + ": ");
    return doc;
}

}  // namespace carat::results
