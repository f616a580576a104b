#include "cli/explain_set.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include <carat/error.hpp>

#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "cli/values.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/explain/foretold.hpp"
#include "lab/files/output.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/report/words.hpp"

namespace carat::cli {

namespace {

struct seed_and_count {
    std::uint64_t seed = 0;
    std::size_t count = 0;
};

template <class Number>
bool reads(std::string_view text, Number& value) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size();
}

seed_and_count parse_set(const std::string& text) {
    constexpr std::size_t most = 10000;
    const std::size_t colon = text.find(':');
    seed_and_count found;
    if (colon == std::string::npos || !reads(std::string_view(text).substr(0, colon), found.seed) ||
        !reads(std::string_view(text).substr(colon + 1), found.count) || found.count < 1 ||
        found.count > most)
        throw error(error_code::invalid_argument,
                    "--set '" + text + "' is not SEED:COUNT with a COUNT from 1 to " +
                        std::to_string(most) + ", as 7:100");
    return found;
}

// The products of one type, in a session of their own.
request::measurement request_of(const rows::implementation& engine, dtype type, double budget_s,
                                const std::vector<request::case_key>& keys) {
    request::measurement r;
    r.chosen = {{&engine, {}, true}};
    r.types = {type};
    r.values = values_of("", r.types);
    r.timing.budget_s = budget_s;
    r.rotate_inputs = true;
    r.measure_energy = false;
    r.processes = 0;
    for (const request::case_key& key : keys)
        if (key.type == type) r.shapes.push_back(key.size);
    return r;
}

explain::foretold_case foretold_of(const rows::implementation& engine, const request::case_key& key,
                                   const machine::peaks& peaks, const results::document& doc) {
    explain::foretold_case one;
    one.key = key;
    const auto found = std::ranges::find_if(doc.results, [&](const results::result& r) {
        return r.m == key.size.m && r.n == key.size.n && r.k == key.size.k &&
               r.dtype == name(key.type);
    });
    if (found != doc.results.end()) one.measured = *found;
    const core::problem p = request::problem_of(key);
    const auto product = engine.prepare(p, {});
    one.why = product->planned().why;
    while (!one.why.empty() && one.why.back() == '\n') one.why.pop_back();
    one.foretold = explain::foretell(*product, &engine, p, &peaks);
    return one;
}

std::string line_of(const explain::foretold_case& c) {
    const bool near = std::abs(c.ratio() - 1) <= explain::near_enough;
    const auto time = [](double s) { return s > 0 ? report::duration(s) : std::string("-"); };
    return fmt::format("{:<5} {:<19} {:<12} {:>10} {:>10} {:>8.2f} {}\n", name(c.key.type),
                       report::shape(c.key.size.m, c.key.size.n, c.key.size.k),
                       c.foretold ? c.foretold->kind : "no model",
                       time(c.foretold ? c.foretold->time_s : 0), time(c.measured.median_s),
                       c.ratio(),
                       c.ratio() <= 0 ? c.measured.reason
                       : near         ? ""
                                      : "off");
}

void print_rates(const std::vector<explain::foretold_case>& all) {
    fmt::print("\n{:<12} {:>12}   measured / predicted: least, median, most\n", "kernels",
               "within 15 %");
    for (const explain::hit_rate& r : explain::hit_rates(all))
        fmt::print("{:<12} {:>5} of {:>3}   {:.2f}, {:.2f}, {:.2f}\n", r.kind, r.within, r.of,
                   r.least, r.median, r.most);
}

void write(const std::string& path, const std::vector<explain::foretold_case>& all,
           std::uint64_t seed, const results::document& like) {
    nlohmann::json told = explain::to_json(all, seed);
    told["command"] = command_line();
    told["date"] = like.date;
    told["revision"] = like.revision;
    told["machine"] = like.machine;
    files::write_whole(path, told.dump(1) + "\n");
}

}  // namespace

int explain_set(const set_options& o) {
    const seed_and_count set = parse_set(o.what);
    const std::vector<dtype> types = request::parse_dtypes(o.types);
    if (const std::string why = gpu::unavailable(gpu::in_use()); !why.empty())
        throw error(error_code::unsupported, "--set compares predictions of GPU plans: " + why);
    const rows::implementation& engine = lab::catalogue().find("cuda.engine");
    const auto keys = explain::draw(set.seed, set.count, types);
    std::vector<explain::foretold_case> all;
    results::document doc;
    fmt::print("{:<5} {:<19} {:<12} {:>10} {:>10} {:>8}\n", "type", "m x n x k", "kernel",
               "predicted", "measured", "ratio");
    bool failed = false;
    for (const dtype type : types) {
        const request::measurement r = request_of(engine, type, o.budget_s, keys);
        if (r.shapes.empty()) continue;
        const known_machine known = know_machine(r);
        if (!known.gpu)
            throw error(error_code::unsupported,
                        "--set needs the peaks of the GPU: carat info --measure");
        session_options options;
        options.command = command_line();
        options.quiet = true;
        const session_result result = measure(r, options);
        if (result.interrupted) return interrupted_by_user;
        doc = result.doc;
        failed = failed || result.failed();
        for (const request::case_key& key : keys) {
            if (key.type != type) continue;
            all.push_back(foretold_of(engine, key, known.gpu->limits, doc));
            fmt::print("{}", line_of(all.back()));
        }
    }
    print_rates(all);
    if (!o.json.empty()) write(o.json, all, set.seed, doc);
    return failed ? bad_answer : success;
}

}  // namespace carat::cli
