#include "lab/judge/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>

#include <carat/error.hpp>

#include "lab/judge/peer.hpp"
#include "lab/judge/speed.hpp"
#include "lab/machine/affinity.hpp"
#include "lab/machine/description.hpp"
#include "lab/measure/background_load.hpp"
#include "lab/measure/busy.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/statistics/replicates.hpp"
#include "lab/statistics/summary.hpp"
#include "lab/workload/workload.hpp"

namespace carat::judge {

namespace {

constexpr std::int64_t fewest_calls = 2;
constexpr double go_lasts_s = 0.04;  // a hand-over, some 50 us, is a thousandth of it
constexpr int processes = 5;
constexpr int fewest_trials = 3;  // of one process
constexpr int most_trials = 8;
// A held stream takes about a thousand kernels and copies.
constexpr std::int64_t most_calls_on_gpu = 96;

}  // namespace

std::int64_t least_bytes(request::shape size, dtype type) {
    const core::problem p = problem_of(type, size, row_layout::padded);
    return batch(std::vector(fewest_calls, p), 1).size_bytes();
}

rounds::rounds(table_of_rules& rules, participant& target, const timed_product& product, dtype type)
    : rules_(rules), product_(product), type_(type), entrants_{{&target, 0, {}, {}}} {}

batch rounds::batch_of(std::int64_t calls) {
    return {std::vector(static_cast<std::size_t>(calls), problem()), rules_.asked.threads};
}

std::int64_t rounds::calls_lasting(double run_s) const {
    const std::int64_t two = least_bytes(product_.size, type_) - data_begins;
    const std::int64_t fit = fewest_calls * (rules_.capacity_bytes() - data_begins) / two;
    const auto wanted = static_cast<std::int64_t>(std::ceil(go_lasts_s / std::max(run_s, 1e-9)));
    return std::clamp(
        wanted, fewest_calls,
        std::min(on_gpu() ? most_calls_on_gpu : most_calls, std::max(fewest_calls, fit)));
}

// The first go absorbs the extra cost of a first call and is not counted otherwise.
void rounds::estimate(entrant& e) {
    e.who->enter(batch_of(fewest_calls), nullptr);
    for (int go = 0; go < 2; ++go) {
        before_trial(e);
        e.estimate_s = e.who->go();
        after_trial(e);
    }
    e.who->enter(batch_of(calls_lasting(e.estimate_s)), nullptr);
}

void rounds::before_trial(entrant& e) {
    const bool target = &e == &entrants_.front();
    // Uncounted goes look like counted ones, so a target gains nothing from being fast only for the
    // data of exact passes.
    if (target && rules_.numbers.order.below(4) == 0) {
        e.who->make_ready(data_kind::exact);
        e.who->go();
        e.who->check(0.1);
    }
    e.who->make_ready(data_kind::general);
}

void rounds::after_trial(entrant& e) {
    const bool target = &e == &entrants_.front();
    if (target) e.who->check(std::max(0.2, 2 * e.estimate_s));
}

// Only the target can commit a foul; other failures are errors.
void rounds::blaming(const entrant& e, const std::function<void()>& work) {
    try {
        work();
    } catch (const foul& found) {
        if (e.who->is_target()) throw;
        throw error(error_code::unsupported,
                    fmt::format("judge: {}, to compare with: {}", e.who->name(), found.what()));
    }
}

void rounds::start_peers() {
    const rows::device where = on_gpu() ? rows::device::cuda : rows::device::cpu;
    for (const std::string& name : peers_for(problem(), where, rules_.asked.threads)) {
        try {
            peers_.push_back(std::make_unique<participant>(
                name, std::vector<std::string>{"/proc/self/exe", peer_command, name}, rules_,
                false));
            peers_.back()->load();
            entrants_.push_back({peers_.back().get(), 0, {}, {}});
            estimate(entrants_.back());
        } catch (const foul& failure) {
            if (name.ends_with(".engine"))
                throw error(error_code::unsupported,
                            fmt::format("judge: {}, to compare with: {}", name, failure.what()));
            // A vendor's routine that fails cannot be the best.
            if (entrants_.back().who == peers_.back().get()) entrants_.pop_back();
        }
    }
    if (entrants_.size() == 1)
        throw error(error_code::unsupported,
                    "judge: nothing here multiplies such matrices to compare with: --at-least 0 "
                    "asks whether it is right");
}

// Times all vendors' routines for a few rounds; the fastest goes on.
void rounds::choose_vendor() {
    const auto is_vendor = [](const entrant& e) { return e.who->name().starts_with("vendor."); };
    if (std::ranges::count_if(entrants_, is_vendor) < 2) return;
    std::vector<entrant> all = std::move(entrants_);
    entrants_.assign(1, {nullptr, 0, {}, {}});  // the target's place
    for (entrant& e : all)
        if (is_vendor(e)) entrants_.push_back(e);
    measure(3);
    const auto best =
        std::ranges::min_element(entrants_.begin() + 1, entrants_.end(), {},
                                 [](const entrant& e) { return statistics::median(e.trials_s); });
    const participant* chosen = best->who;
    entrants_.clear();
    for (entrant& e : all)
        if (!is_vendor(e) || e.who == chosen) entrants_.push_back({e.who, e.estimate_s, {}, {}});
    std::erase_if(peers_, [&](const std::unique_ptr<participant>& peer) {
        return std::ranges::find(entrants_, peer.get(), &entrant::who) == entrants_.end();
    });
}

// PyTorch takes seconds to import, so the target's later processes import together before anything
// is timed. Each loads the target in its turn.
void rounds::begin_fresh_targets() {
    if (!on_gpu()) return;
    const entrant& target = entrants_.front();
    for (int process = 1; process < processes; ++process) {
        fresh_targets_.push_back(target.who->again());
        fresh_targets_.back()->begin_imports();
    }
}

void rounds::wait_for_fresh_targets() {
    for (const std::unique_ptr<participant>& one : fresh_targets_)
        blaming(entrants_.front(), [&] { one->wait_for_imports(); });
}

// Every participant continues in a fresh process, with new addresses, pages and start-up choices.
void rounds::renew() {
    std::vector<std::unique_ptr<participant>> fresh;
    for (entrant& e : entrants_) {
        retire(e);
        blaming(e, [&] {
            if (e.who->is_target() && !fresh_targets_.empty()) {
                fresh.push_back(std::move(fresh_targets_.back()));
                fresh_targets_.pop_back();
            } else {
                fresh.push_back(e.who->again());
            }
            fresh.back()->load();
        });
        e.who = fresh.back().get();
    }
    peers_ = std::move(fresh);
    for (entrant& e : entrants_) blaming(e, [&] { estimate(e); });
}

void rounds::distrust(const entrant& e) {
    if (e.who->is_target() && busy_.empty()) busy_ = e.who->reason_against_times();
}

// Records the counts of a process that ends.
void rounds::retire(const entrant& e) {
    retired_s_ += e.who->process().cpu_s();
    distrust(e);
    if (!e.who->is_target() ||
        std::ranges::none_of(peers_, [&](const auto& peer) { return peer.get() == e.who; }))
        return;
    checked_ += e.who->checked();
    const std::vector<std::string> loaded = e.who->process().libraries();
    libraries_.insert(libraries_.end(), loaded.begin(), loaded.end());
}

int rounds::trials_of_one_process() const {
    double round_s = 0;
    for (const entrant& e : entrants_) round_s += e.estimate_s * e.who->calls().calls();
    return std::clamp(static_cast<int>(rules_.asked.time_s / round_s / processes), fewest_trials,
                      most_trials);
}

void rounds::measure(int trials) {
    std::exception_ptr failure;  // of which interleave would keep the words alone
    const auto watched = [&failure](const entrant& e, const std::function<void()>& work) {
        try {
            blaming(e, work);
        } catch (...) {
            failure = std::current_exception();
            throw;
        }
    };
    std::vector<measure::candidate> candidates;
    std::vector<entrant*> of;
    for (entrant& e : entrants_) {
        if (e.who == nullptr) continue;
        of.push_back(&e);
        // Measures by the judge's own clock while the process runs.
        const auto go_s = [&watched, &e](std::int64_t) {
            double taken_s = 0;
            watched(e, [&] { taken_s = e.who->go(); });
            return taken_s;
        };
        candidates.push_back(
            {.run = {},
             .trial_begins = [this, &watched, &e] { watched(e, [&] { before_trial(e); }); },
             .trial_ends = [this, &watched, &e] { watched(e, [&] { after_trial(e); }); },
             .time_runs = go_s});
    }
    measure::options how;
    how.trials = trials;
    how.min_trial_s = 0;  // a go is a trial
    how.settle_s = 0;     // and there is none that doesn't count: it would be time for nothing
    how.seed = rules_.numbers.order.draw();
    const auto asked_to_stop = [&] { return rules_.user.interrupted && rules_.user.interrupted(); };
    how.interrupted = [&] { return failure != nullptr || asked_to_stop(); };
    how.progress = [&](std::size_t i, std::size_t count, double share) {
        if (rules_.user.progress)
            rules_.user.progress(fmt::format("{}, trial {}", of[i]->who->name(), count), share);
    };
    const std::vector<double> estimates_s(candidates.size(), 1);
    const auto all = measure::interleave(candidates, estimates_s, how);
    if (failure != nullptr) std::rethrow_exception(failure);
    for (std::size_t i = 0; i < of.size(); ++i) {
        const std::vector<double>& more = all[i].trials_s;
        of[i]->trials_s.insert(of[i]->trials_s.end(), more.begin(), more.end());
        of[i]->trials_per_process.push_back(static_cast<std::int64_t>(more.size()));
    }
    if (asked_to_stop()) throw interrupted{};
}

timed_case rounds::run() {
    begin_fresh_targets();
    estimate(entrants_.front());
    start_peers();
    wait_for_fresh_targets();
    choose_vendor();
    measure::work_probe probe = measure::processor_time(machine::allowed_cpus());
    probe.displaced = []() -> std::int64_t { return 0; };  // what this process loses disturbs none
    probe.own_s = [this, own = probe.own_s] {
        double all = own() + retired_s_;
        for (const entrant& e : entrants_) all += e.who->process().cpu_s();
        return all;
    };
    const measure::background_load others(probe);
    const int trials = trials_of_one_process();
    measure(trials);
    for (int process = 1; process < processes; ++process) {
        renew();
        measure(trials);
    }
    measure::conditions seen = others.seen();
    const machine::description here = machine::describe();
    seen.threads = rules_.asked.threads;
    seen.cores = here.cores;
    if (!on_gpu()) busy_ = measure::reason_against_verdict(seen);
    retire(entrants_.front());
    return conclude();
}

timed_case rounds::conclude() {
    timed_case done;
    done.size = product_.size;
    done.rows = product_.rows;
    for (const entrant& e : entrants_) {
        timed result = {e.who->name(), e.trials_s, e.trials_per_process, 0};
        result.median_s = std::exp(
            statistics::centre_of(statistics::by_process(e.trials_s, e.trials_per_process)).value);
        if (&e == &entrants_.front())
            done.target = result;
        else
            done.peers.push_back(result);
    }
    std::ranges::sort(done.peers, {}, &timed::median_s);
    done.slower = slower_by(done.target, done.peers.front());
    const speed found = speed_of(done.slower);
    done.ratio = found.ratio;
    done.ci95_ratio = found.ci95;
    return done;
}

}  // namespace carat::judge
