#include "cli/measuring.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/phases.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "cli/worker.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/report/case_tables.hpp"
#include "lab/report/words.hpp"
#include "lab/results/files.hpp"

namespace carat::cli {

known_machine know_machine(const request::measurement& r) {
    known_machine known{machine::describe(), {}, {}};
    progress_line line;
    machine::measure_options how;
    how.on_progress = [&](const machine::progress& p) { line.show(std::string(p.what), p.done); };
    how.threads = r.threads;
    known.limits = machine::load_or_measure(known.description, how);
    const bool on_gpu = std::ranges::any_of(
        r.chosen, [](const request::selection& s) { return s.entry->where == rows::device::cuda; });
    if (!on_gpu || !gpu::unavailable(gpu::in_use()).empty()) return known;
    try {
        line.show("measuring the peaks of the GPU", 0);
        known.gpu = know_gpu(gpu::in_use());
    } catch (const std::exception& failure) {
        line.clear();
        fmt::print(stderr, "carat: the GPU's peaks are not measured: {}\n", failure.what());
    }
    return known;
}

bool session_result::failed() const {
    return std::ranges::any_of(doc.results, [](const results::result& c) {
        const bool wrong = c.verification != "none" && !c.verified;
        return wrong || c.above_peak;
    });
}

int session_result::exit_code() const {
    if (interrupted) return interrupted_by_user;
    const bool some = std::ranges::any_of(doc.results, &results::result::has_figure);
    return failed() || !some ? bad_answer : success;
}

results::document resumable(const request::measurement& r, const std::string& json) {
    results::document earlier = results::load(json);
    session::require_resumable(earlier, session::new_document(r, machine::describe(), {}, ""),
                               json);
    return earlier;
}

namespace {

// The document as it is before anything is measured: new, with what a file had that is resumed, or
// with what the command measured before.
results::document begun(const request::measurement& r, const session_options& options,
                        results::document earlier, const known_machine& known) {
    results::document doc =
        session::new_document(r, known.description, known.limits, options.command, known.gpu);
    if (options.resume) {
        doc.results = std::move(earlier.results);
        doc.comparisons = std::move(earlier.comparisons);
    }
    if (options.onto) {
        doc.settings = options.onto->settings;
        doc.results = options.onto->results;
        doc.comparisons = options.onto->comparisons;
        doc.crossovers = options.onto->crossovers;
    }
    return doc;
}

session::hooks hooks_of(const session_options& options, const known_machine& known,
                        session_result& result, progress_line& line, told_so_far& told) {
    session::hooks user;
    user.interrupted = interrupted;
    user.progress = [&](const std::string& what, double share) { line.show(what, share); };
    user.case_done = [&](const request::case_key&, const session::case_result& done) {
        line.clear();
        result.saved = true;
        if (options.quiet) return;
        const report::measured_case here = report::case_of(done.results, done.compared);
        const report::table on_gpu = report::gpu_table(told.date, here);
        fmt::print(people(), "{}{}{}\n",
                   ranking(done.results, done.compared, options.all_pairs, told),
                   on_gpu.rows.empty() ? "" : table_text(on_gpu), phase_table(here, told.date));
        std::fflush(people());
    };
    user.measure_again = [&](const machine::peaks& limits, const std::vector<int>& threads) {
        machine::measure_options how;
        how.threads = threads;
        return machine::refresh(known.description, limits, how);
    };
    user.start = options.start ? options.start : start_worker;
    user.measure_gpu_again = [](const gpu::known_gpu& gpu) { return refresh_gpu(gpu); };
    return user;
}

// Measures what is asked for, then the sizes that the figures so far ask for, until there are none.
void run_all(request::measurement all, const session_options& options, const known_machine& known,
             const session::hooks& user, session_result& result) {
    for (bool more = true; more;) {
        result.interrupted = !session::run_session(all, known.description, known.limits,
                                                   options.out, user, result.doc, known.gpu);
        more = false;
        result.saved = result.saved || !result.interrupted;
        if (result.interrupted || !options.next_sizes) continue;
        for (const request::shape& next : options.next_sizes(result.doc)) {
            if (std::ranges::find(all.shapes, next) != all.shapes.end()) continue;
            all.shapes.push_back(next);
            more = true;
        }
    }
}

}  // namespace

session_result measure(const request::measurement& r, const session_options& options) {
    request::validate(r);
    results::document earlier;
    if (options.resume) earlier = resumable(r, options.out.json);
    session::require_writable(options.out);

    catch_interrupts();
    const known_machine known = know_machine(r);
    session_result result;
    result.doc = begun(r, options, std::move(earlier), known);
    progress_line line;
    told_so_far told(r);
    told.date = result.doc.date;
    told.gpu = report::gpu_name(result.doc);
    const session::hooks user = hooks_of(options, known, result, line, told);
    // One context: that of the process which measures.
    if (r.processes > 0 && !r.phases) gpu::leave();
    run_all(r, options, known, user, result);
    if (options.conclude) {
        options.conclude(result.doc);
        session::save(result.doc, options.out);
        result.saved = true;
    }
    return result;
}

}  // namespace carat::cli
