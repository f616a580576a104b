#include "cli/measuring.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/gpu_lines.hpp"
#include "cli/phases.hpp"
#include "cli/tables.hpp"
#include "cli/terminal.hpp"
#include "cli/worker.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/results/files.hpp"

namespace carat::cli {

known_machine know_machine(const session::request& r) {
    known_machine known{machine::describe(), {}, {}};
    progress_line line;
    machine::measure_options how;
    how.on_progress = [&](const machine::progress& p) { line.show(std::string(p.what), p.done); };
    how.threads = r.threads;
    known.limits = machine::load_or_measure(known.description, how);
    const bool on_gpu = std::ranges::any_of(
        r.chosen, [](const session::selection& s) { return s.entry->where == core::device::cuda; });
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

results::document resumable(const session::request& r, const std::string& json) {
    results::document earlier = results::load(json);
    session::require_resumable(earlier, session::new_document(r, machine::describe(), {}, ""),
                               json);
    return earlier;
}

session_result measure(const session::request& r, const session_options& options) {
    session::validate(r);
    session_result result;
    results::document earlier;
    if (options.resume) earlier = resumable(r, options.out.json);
    session::require_writable(options.out);

    catch_interrupts();
    const known_machine known = know_machine(r);
    result.doc =
        session::new_document(r, known.description, known.limits, options.command, known.gpu);
    if (options.resume) {
        result.doc.results = std::move(earlier.results);
        result.doc.comparisons = std::move(earlier.comparisons);
    }
    if (options.onto) {
        result.doc.settings = options.onto->settings;
        result.doc.results = options.onto->results;
        result.doc.comparisons = options.onto->comparisons;
        result.doc.crossovers = options.onto->crossovers;
    }
    progress_line line;
    told_so_far told(r);
    told.date = result.doc.date;
    session::hooks user;
    user.interrupted = interrupted;
    user.progress = [&](const std::string& what, double share) { line.show(what, share); };
    user.case_done = [&](const session::case_key&, const session::case_result& done) {
        line.clear();
        result.saved = true;
        if (options.quiet) return;
        fmt::print(people(), "{}{}\n",
                   ranking(done.results, done.compared, options.all_pairs, told),
                   gpu_table(done.results) + phase_table(done.results));
        std::fflush(people());
    };
    user.measure_again = [&](const machine::peaks& limits, const std::vector<int>& threads) {
        machine::measure_options how;
        how.threads = threads;
        return machine::refresh(known.description, limits, how);
    };
    user.start = options.start ? options.start : start_worker;
    user.measure_gpu_again = [](const gpu::known_gpu& gpu) { return refresh_gpu(gpu); };
    // One context: that of the process which measures.
    if (r.processes > 0 && !r.phases) gpu::leave();
    session::request all = r;
    for (bool more = true; more;) {
        result.interrupted = !session::run_session(all, known.description, known.limits,
                                                   options.out, user, result.doc, known.gpu);
        more = false;
        result.saved = result.saved || !result.interrupted;
        if (result.interrupted || !options.next_sizes) continue;
        for (const session::shape& next : options.next_sizes(result.doc)) {
            if (std::ranges::find(all.shapes, next) != all.shapes.end()) continue;
            all.shapes.push_back(next);
            more = true;
        }
    }
    if (options.conclude) {
        options.conclude(result.doc);
        session::save(result.doc, options.out);
        result.saved = true;
    }
    return result;
}

}  // namespace carat::cli
