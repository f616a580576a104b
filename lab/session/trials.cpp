#include "lab/session/trials.hpp"

#include <algorithm>
#include <cmath>

#include "lab/machine/affinity.hpp"
#include "lab/measure/busy.hpp"
#include "lab/measure/idle.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::session {

namespace {

int divided_up(int whole, int parts) {
    return (whole + parts - 1) / parts;
}

bool runs_on_gpu(const contender& c) {
    return c.what->entry->where == rows::device::cuda;
}

bool is_timed(const contender& c) {
    return !c.result.trials_s.empty();
}

double whole_microseconds(double time_s) {
    return std::round(1e6 * time_s) / 1e6;
}

// What is beside the trials of `c`; nothing where it is all 0.
void keep_disturbances(contender& c) {
    results::result& r = c.result;
    r.trials_displaced.clear();
    r.trials_waited_s.clear();
    r.trials_stolen_s.clear();
    for (const workers::timing& t : c.in_trials) {
        r.trials_displaced.push_back(t.displaced);
        r.trials_waited_s.push_back(whole_microseconds(t.waited_s.value_or(0)));
        r.trials_stolen_s.push_back(whole_microseconds(t.stolen_s));
    }
    const auto drop_zeros = [&](auto& values) {
        const bool all = values.size() == r.trials_s.size();
        if (!all || std::ranges::all_of(values, [](auto v) { return v == 0; })) values.clear();
    };
    drop_zeros(r.trials_displaced);
    drop_zeros(r.trials_waited_s);
    drop_zeros(r.trials_stolen_s);
}

void judge_conditions(contender& c, const measure::conditions& seen) {
    c.result.busy = measure::reason_against_verdict(seen);
    c.result.remark = c.result.busy.empty() ? measure::remark_on(seen) : "";
}

// Those of its trials that others disturbed, as a share.
double disturbed_share(const contender& c, double fastest_s, bool waits_for_itself) {
    if (c.in_trials.empty() || c.in_trials.size() != c.result.trials_s.size()) return 0;
    int disturbed = 0;
    for (std::size_t i = 0; i < c.in_trials.size(); ++i) {
        const workers::timing& t = c.in_trials[i];
        disturbed += measure::is_disturbed({.time_s = t.time_s,
                                            .run_s = c.result.trials_s[i],
                                            .fastest_run_s = fastest_s,
                                            .threads = c.result.threads_used,
                                            .displaced = t.displaced,
                                            .waited_s = t.waited_s.value_or(0),
                                            .stolen_s = t.stolen_s,
                                            .tick_s = measure::tick_s(),
                                            .waits_for_itself = waits_for_itself});
    }
    return static_cast<double>(disturbed) / static_cast<double>(c.in_trials.size());
}

// The earliest reason that more would have been wanted: interruption, then the budget.
std::string stop_of(const std::string& earlier, measure::stop_reason latest) {
    const std::string now(measure::name(latest));
    const auto is = [&](measure::stop_reason why) {
        return earlier == measure::name(why) || now == measure::name(why);
    };
    for (const auto why : {measure::stop_reason::interrupted, measure::stop_reason::budget})
        if (is(why)) return std::string(measure::name(why));
    return now;
}

}  // namespace

// The interval of all is narrower than that of one by the root of their number.
measure::options share_of(const measure::options& whole, int generation, int generations) {
    constexpr int fewest_in_one = 5;
    measure::options part = whole;
    if (generations == 1) return part;
    part.trials = whole.trials / generations + (generation < whole.trials % generations ? 1 : 0);
    part.ci_width = whole.ci_width * std::sqrt(generations);
    part.fewest_trials = std::max(fewest_in_one, divided_up(whole.fewest_trials, generations));
    part.fewest_at_any_cost = divided_up(whole.fewest_at_any_cost, generations);
    part.most_trials = std::max(part.fewest_trials, whole.most_trials / generations);
    part.budget_s = whole.budget_s / generations;
    part.seed = whole.seed + static_cast<std::uint64_t>(generation);
    return part;
}

void trials::take(std::span<contender> all) {
    if (std::ranges::none_of(all, [](const contender& c) { return c.result.verified; })) return;
    const bool fresh_ones = std::ranges::any_of(
        all, [](const contender& c) { return c.result.verified && c.at->has_process(); });
    int generations = fresh_ones ? std::max(1, request_.processes) : 1;
    if (request_.timing.trials > 0) generations = std::min(generations, request_.timing.trials);
    probe_ = probe();
    const measure::background_load others(probe_);
    for (int generation = 0; generation < generations && !stopped(); ++generation) {
        if (generation > 0) checks_.change_over(all, generation + 1);
        bool whole = false;
        while (!whole && !stopped()) {
            if (crew_.losses() != losses_) renew_shared(all);
            checks_.welcome(all, generation + 1);
            whole = stopped() || one_generation(all, generation, generations);
        }
    }
    conclude(all, others);
}

// Whoever was made ready again in a process that replaced a broken one has not passed there.
void trials::renew_shared(std::span<contender> all) const {
    for (contender& c : all)
        if (runs_on_gpu(c) && c.result.verified && !c.ruled_out()) (void)c.at->renew();
}

// False where an implementation broke the process that others share: it is ruled out, and what all
// took meanwhile is forgotten, so that nobody's trials are of two processes.
bool trials::one_generation(std::span<contender> all, int generation, int generations) {
    std::vector<measure::candidate> candidates;
    std::vector<double> estimates_s;
    timed_.clear();
    for (contender& c : all) {
        if (!c.result.verified || c.ruled_out()) continue;
        timed_.push_back(&c);
        candidates.push_back(
            {.run = {},
             .space = nullptr,
             .trial_ends = [&c] { c.in_trials.push_back(c.latest); },
             .time_runs = [this, &c](std::int64_t runs) { return time_runs(c, runs); },
             .repetitions = c.result.repetitions});
        estimates_s.push_back(is_timed(c) ? c.result.trials_s.back() : c.result.cold_s);
    }
    if (timed_.empty()) return true;
    if (phases_ != nullptr) phases_->join(candidates, estimates_s);
    const std::vector<measure::series> found =
        measure::interleave(candidates, estimates_s, how(generation, generations));
    const bool whole = crew_.losses() == losses_;
    for (std::size_t i = 0; i < timed_.size(); ++i)
        if (whole || !found[i].failure.empty())
            keep(*timed_[i], found[i]);
        else
            timed_[i]->in_trials.resize(timed_[i]->result.trials_s.size());
    if (whole) keep_phases(std::span(found).subspan(timed_.size()));
    return whole;
}

measure::options trials::how(int generation, int generations) {
    measure::options whole = request_.timing;
    whole.seed = request_.seed;
    measure::options part = share_of(whole, generation, generations);
    losses_ = crew_.losses();
    part.interrupted = [this] { return stopped() || crew_.losses() != losses_; };
    // Threads of other processes are stopped, and need not be waited for.
    if (key_.threads > 1 && !crew_.has_processes())
        part.wait_until_idle = [] { measure::wait_until_idle(); };
    part.progress = [this, generation, generations](std::size_t i, std::size_t n, double share) {
        look_and_tell(i, n, (generation + share) / generations);
    };
    return part;
}

void trials::look_and_tell(std::size_t i, std::size_t taken, double share) {
    if (i >= timed_.size())
        return tell(phases_->name(i - timed_.size()) + ", trial " + std::to_string(taken), share);
    contender& c = *timed_[i];
    if (runs_on_gpu(c)) c.watch.look(sensors());
    tell(c.result.implementation + ", trial " + std::to_string(c.result.trials_s.size() + taken),
         share);
}

void trials::keep(contender& c, const measure::series& more) const {
    if (!more.failure.empty()) {
        std::unique_ptr<workers::worker> at = std::move(c.at);
        c.give_up(more.failure);
        if (!at->has_process()) c.at = std::move(at);  // its phases refer to it
        return;
    }
    results::result& result = c.result;
    const bool first = result.trials_s.empty();
    result.trials_s.insert(result.trials_s.end(), more.trials_s.begin(), more.trials_s.end());
    result.repetitions = more.repetitions;
    result.stop = stop_of(first ? "" : result.stop, more.stop);
    if (c.at->has_process() && !more.trials_s.empty())
        result.trials_per_process.push_back(static_cast<std::int64_t>(more.trials_s.size()));
}

void trials::keep_phases(std::span<const measure::series> more) {
    if (phased_.empty()) {
        phased_.assign(more.begin(), more.end());
        return;
    }
    for (std::size_t i = 0; i < more.size(); ++i) {
        phased_[i].trials_s.insert(phased_[i].trials_s.end(), more[i].trials_s.begin(),
                                   more[i].trials_s.end());
        phased_[i].stop = more[i].stop;
    }
}

void trials::conclude(std::span<contender> all, const measure::background_load& others) {
    const measure::conditions seen = under_load(others.seen(), all);
    for (contender& c : all) {
        if (!c.result.verified || c.ruled_out()) continue;
        c.result.background_cpu_share = seen.other_share;
        if (c.waited_s && c.ran_s > 0)
            c.result.waiting_share = *c.waited_s / (c.ran_s * c.result.threads_used);
        if (is_timed(c)) judge_conditions(c, of_one(seen, c));
        keep_disturbances(c);
        if (const auto costs_s = c.at->hand_overs_s(); !costs_s.empty())
            c.result.hand_over_s = statistics::median(costs_s);
        if (!runs_on_gpu(c)) continue;
        try {
            if (request_.measure_energy) measure_energy(c);
        } catch (const std::exception& failure) {
            c.give_up(failure.what());
            continue;
        }
        c.result.gpu = c.watch.facts();
    }
    if (phases_ != nullptr) phases_->finish(phased_);
}

double trials::time_runs(contender& c, std::int64_t runs) {
    if (!c.at->has_process()) crew_.rest();
    const std::size_t sets = c.data->sets();
    const double stolen_s = stolen_so_far_s();
    workers::timing t = c.at->run(runs, c.next_set);
    t.stolen_s = stolen_so_far_s() - stolen_s;
    c.latest = t;
    c.next_set = (c.next_set + static_cast<std::size_t>(runs)) % sets;
    if (t.waited_s) {
        c.ran_s += t.time_s;
        c.waited_s = c.waited_s.value_or(0) + *t.waited_s;
    }
    return t.time_s;
}

// Only a guest has a host that takes its processors; to ask takes a while where there are many.
double trials::stolen_so_far_s() const {
    if (around_.machine.hypervisor.empty() || !probe_.all_s) return 0;
    const std::optional<measure::processor_use> now = probe_.all_s();
    return now ? now->stolen : 0;
}

// The work of the workers is this session's own. Where they do all of it, what this process loses
// to their waking, some hundred times a second between short trials, disturbs none.
measure::work_probe trials::probe() const {
    measure::work_probe all =
        around_.probe ? around_.probe() : measure::processor_time(machine::allowed_cpus());
    const auto own_s = all.own_s;
    const auto displaced = all.displaced;
    all.own_s = [this, own_s] { return own_s() + crew_.cpu_s(); };
    all.displaced = [this, displaced] {
        return crew_.displaced() + (crew_.has_processes() ? 0 : displaced());
    };
    return all;
}

// They are interleaved, so the one with the most threads suffers for all.
measure::conditions trials::under_load(measure::conditions seen,
                                       std::span<const contender> all) const {
    const machine::description& here = around_.machine;
    for (const contender& c : all)
        if (c.result.verified && !runs_on_gpu(c))
            seen.threads = std::max(seen.threads, c.result.threads_used);
    seen.cores = std::max(here.cores, here.hardware_threads / std::max(1, here.threads_per_core));
    return seen;
}

// What disturbed this one alone.
measure::conditions trials::of_one(measure::conditions seen, const contender& c) const {
    if (runs_on_gpu(c)) return seen;
    seen.threads_of_one = c.result.threads_used;
    seen.waiting_share = c.result.waiting_share;
    seen.median_s = statistics::median(c.result.trials_s);
    seen.fastest_s = *std::ranges::min_element(c.result.trials_s);
    seen.tick_s = measure::tick_s();
    seen.granted_cpus = around_.machine.cpu_quota;
    seen.disturbed_share = disturbed_share(c, seen.fastest_s, measure::waits_for_itself(seen));
    if (around_.one_thread_s && seen.threads_of_one > 1)
        seen.one_thread_s = around_.one_thread_s(*c.what, key_);
    return seen;
}

gpu_sensors& trials::sensors() {
    if (!sensors_) sensors_ = around_.sensors ? around_.sensors() : sensors_in_use();
    return *sensors_;
}

// Energy is counted too coarsely for interleaved trials: it gets runs of its own.
void trials::measure_energy(contender& c) {
    if (stopped() || !is_timed(c)) return;
    tell("measuring the energy of " + c.result.implementation, 1);
    c.watch.measure_energy(
        sensors(), *std::ranges::min_element(c.result.trials_s),
        [&](std::int64_t runs) { return time_runs(c, runs); }, c.result.flop);
}

}  // namespace carat::session
