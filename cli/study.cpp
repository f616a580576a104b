// carat study: the questions of the source documents, measured here, beside their own figures.
#include "lab/study/study.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/crossing.hpp"
#include "cli/measuring.hpp"
#include "cli/terminal.hpp"
#include "cli/values.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/files/output.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/report/report.hpp"
#include "lab/report/text.hpp"
#include "lab/study/hardware.hpp"
#include "lab/study/queries.hpp"

namespace carat::cli {

namespace {

namespace fs = std::filesystem;

struct study_options {
    std::string names = "all", threads, types, device = "all", folder = "carat-study";
    bool quick = false, full = false, as_published = false, resume = false;
    std::uint64_t seed = 1;
    double limit_s = 0, budget_s = 0;
    int processes = request::measurement{}.processes;
};

study::options options_of(const study_options& o) {
    const int cores = machine::describe().cores;
    const auto counts =
        request::parse_threads(o.threads.empty() ? std::to_string(cores) : o.threads, cores);
    if (counts.size() != 1)
        throw error(error_code::invalid_argument,
                    "study takes one --threads: run it once for each count");
    study::options how;
    how.how_much = o.quick  ? study::extent::quick
                   : o.full ? study::extent::full
                            : study::extent::usual;
    how.as_published = o.as_published;
    how.threads = counts.front();
    const std::optional<rows::device> only = choose_device(o.device);
    const std::string no_gpu = gpu::unavailable(gpu::in_use());
    if (only == rows::device::cuda && !no_gpu.empty())
        throw error(error_code::unsupported, "study --device cuda needs a GPU: " + no_gpu);
    how.on_gpu = only != rows::device::cpu && no_gpu.empty();
    how.seed = o.seed;
    if (!o.types.empty()) how.types = request::parse_dtypes(o.types);
    if (o.budget_s > 0) how.most_budget_s = o.budget_s;
    return how;
}

session::outputs files_of(const study_options& o, const study::definition& s) {
    const fs::path base = fs::path(o.folder) / s.name;
    return {base.string() + ".json", base.string() + ".csv"};
}

bool is_there(const fs::path& file) {
    std::error_code unknown;
    return fs::exists(file, unknown);
}

bool has_gpu_rows() {
    return std::ranges::any_of(lab::catalogue().entries(), [](const rows::implementation* entry) {
        return entry->where == rows::device::cuda;
    });
}

// The study's chapter as it stands, into the document and to disk.
void tell(const study::definition& s, const study_options& o, const study::options& how,
          const nlohmann::json& settings, results::document& doc, const session::outputs& out) {
    study::chapter c = s.tell(doc, how);
    if (s.document != nullptr) study::add_hardware(c, *s.document, doc);
    study::withhold_findings(c, doc);
    const std::optional<rows::device> only = choose_device(o.device);
    // What is measured beside single products runs on the CPU.
    if (s.add != nullptr && only != rows::device::cuda && !interrupted())
        s.add(c, how, interrupted);
    if (only)
        c.not_run.push_back(fmt::format("everything on the {}, by --device {}",
                                        only == rows::device::cpu ? "GPU" : "CPU", o.device));
    else if (!has_gpu_rows())
        c.not_run.emplace_back("everything on a GPU: this carat was built without CUDA");
    study::drop_empty_columns(c);
    c.study = s.name;
    c.title = s.title;
    c.question = s.question;
    c.extent = study::name(how.how_much);
    c.settings = settings;
    doc.studies = {c};
    session::save(doc, out);
    fmt::print("{}\n", report::text(c));
    std::fflush(stdout);
}

// What the user leaves of a study: a device, a number of processes, and runs no longer than a limit
// (the shorter of it and the study's own holds).
std::vector<study::part> parts_of(const study::definition& s, const study_options& o,
                                  const study::options& how) {
    const std::optional<rows::device> only = choose_device(o.device);
    std::vector<study::part> parts = s.parts(how);
    for (study::part& part : parts) {
        part.request.processes = o.processes;
        double& limit_s = part.request.slowest_run_s;
        if (o.limit_s > 0) limit_s = limit_s > 0 ? std::min(limit_s, o.limit_s) : o.limit_s;
        std::erase_if(part.request.chosen, [&](const request::selection& of) {
            return only && of.entry->where != *only;
        });
    }
    std::erase_if(parts, [](const study::part& part) { return part.request.chosen.empty(); });
    return parts;
}

session_result run(const study::definition& s, const study_options& o, const study::options& how) {
    const session::outputs out = files_of(o, s);
    session_result result;
    std::optional<results::document> before;
    // The file has the settings of the first part, so that is the one to check them by.
    bool resume = o.resume && is_there(out.json);
    nlohmann::json settings = nlohmann::json::array();
    for (const study::part& part : parts_of(s, o, how)) {
        session_options options;
        options.out = out;
        options.command = command_line();
        options.quiet = true;
        options.resume = std::exchange(resume, false);
        options.onto = std::move(before);
        if (part.finds_crossing && part.request.phases) follow_crossings(options, part.request);
        result = measure(part.request, options);
        settings.push_back(session::settings_of(part.request));
        if (result.interrupted) break;
        before = result.doc;
    }
    tell(s, o, how, settings, result.doc, out);
    return result;
}

// Every study is checked first: a refusal at its turn would waste what was measured before it.
void require_resumable(const std::vector<const study::definition*>& chosen, const study_options& o,
                       const study::options& how) {
    for (const study::definition* s : chosen) {
        const session::outputs out = files_of(o, *s);
        if (!is_there(out.json)) continue;
        const std::vector<study::part> parts = parts_of(*s, o, how);
        if (!parts.empty()) (void)resumable(parts.front().request, out.json);
    }
}

// Results of several studies in one document for one report; where two measured the same case, the
// first stands for both.
void join(results::document& all, const results::document& more) {
    if (all.machine.empty()) {
        all = more;
        return;
    }
    std::set<std::string> known;
    for (const results::result& c : all.results) known.insert(c.id());
    const auto add = [&](auto& to, const auto& from) {
        std::ranges::copy_if(from, std::back_inserter(to),
                             [&](const auto& c) { return !known.contains(c.id()); });
    };
    add(all.results, more.results);
    add(all.comparisons, more.comparisons);
    std::ranges::copy(more.crossovers, std::back_inserter(all.crossovers));
    std::ranges::copy(more.studies, std::back_inserter(all.studies));
    all.complete = all.complete && more.complete;
}

int run_studies(const study_options& o) {
    if (o.quick && o.full)
        throw error(error_code::invalid_argument,
                    "--quick and --full are different extents: give one of them, or none");
    const std::vector<const study::definition*> chosen = study::find(o.names);
    for (const study::definition* s : chosen)
        if (!o.types.empty() && !s->takes_types)
            throw error(error_code::invalid_argument,
                        fmt::format("--dtype {}: {} measures the types of its document: leave "
                                    "--dtype out, or take ladder",
                                    o.types, s->name));
    const study::options how = options_of(o);
    std::error_code failure;
    fs::create_directories(o.folder, failure);
    if (failure)
        throw error(error_code::invalid_argument,
                    fmt::format("--out {}: the folder can't be made ({}): give one that can",
                                o.folder, failure.message()));
    const std::string page = (fs::path(o.folder) / "report.html").string();
    files::require_writable(page);
    if (o.resume) require_resumable(chosen, o, how);
    results::document all;
    bool failed = false, stopped = false;
    for (const study::definition* s : chosen) {
        const session_result result = run(*s, o, how);
        failed = failed || result.failed();
        join(all, result.doc);
        files::write_whole(page, report::html(all));
        stopped = result.interrupted;
        if (stopped) break;
    }
    fmt::print("wrote {} (JSON and CSV of each study beside it)\n", page);
    if (stopped) return interrupted_by_user;
    return failed ? bad_answer : success;
}

std::string names_of_studies() {
    std::string text = "Studies:\n";
    for (const study::definition& s : study::studies())
        text += "  " + wrapped(fmt::format("{:<16} {}", s.name, s.question), 19) + "\n";
    return text;
}

}  // namespace

void add_study(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("study", "repeat published comparisons, done right");
    auto o = std::make_shared<study_options>();
    sub->add_option("names", o->names, "studies, separated by commas, or all")
        ->capture_default_str();
    sub->add_flag("--quick", o->quick, "small sizes: under a minute each on two cores");
    sub->add_flag("--full", o->full, "the sizes and trials of the documents: hours on a CPU");
    sub->add_flag("--as-published", o->as_published,
                  "repeat the originals' method too, where it misled, and show what it changes");
    sub->add_option("--threads", o->threads, "threads of CPU products (default: all cores)")
        ->check(thread_counts());
    sub->add_option("--dtype", o->types,
                    "for ladder only: measure all of its steps for these types");
    sub->add_option("--device", o->device, "cpu, cuda, cuda:N (the N-th GPU) or all")
        ->capture_default_str();
    sub->add_option("--limit", o->limit_s,
                    "skip what would take more seconds than this for one run")
        ->check(not_negative());
    sub->add_option("--budget", o->budget_s,
                    "seconds for each implementation and case, where the study has more")
        ->check(not_negative());
    sub->add_option("--processes", o->processes,
                    "fresh processes of each CPU implementation; intervals need 3; 0: none")
        ->check(whole_number(0, 100))
        ->capture_default_str();
    sub->add_option("--out", o->folder, "folder for JSON, CSV and the report")
        ->check(file_name())
        ->capture_default_str();
    sub->add_flag("--resume", o->resume, "measure only the cases that the files there lack");
    sub->add_option("--seed", o->seed, "of data, order and resampling")
        ->check(whole_number(0))
        ->capture_default_str();
    sub->footer(names_of_studies() +
                "\nExamples:\n"
                "  carat study all --quick\n"
                "  carat study five-algorithms --as-published\n"
                "  carat study tile-size,precision --out mine\n"
                "  carat study ladder --dtype f64\n"
                "  carat study five-algorithms --full --limit 1\n"
                "  carat study tile-size --full --device cuda");
    sub->callback([o, &chosen] { chosen = [o] { return run_studies(*o); }; });
}

}  // namespace carat::cli
