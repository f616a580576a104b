#include "lab/session/case.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/machine/affinity.hpp"
#include "lab/machine/roofline.hpp"
#include "lab/measure/busy.hpp"
#include "lab/measure/idle.hpp"
#include "lab/measure/other_work.hpp"
#include "lab/session/analyse.hpp"
#include "lab/session/contender.hpp"
#include "lab/session/judge.hpp"
#include "lab/session/operands.hpp"
#include "lab/session/phase_trials.hpp"
#include "lab/session/verification.hpp"
#include "lab/verify/verify.hpp"

namespace carat::session {

namespace {

std::string text(std::string_view s) {
    return std::string(s);
}

core::settings settings_of(const selection& s, int threads) {
    core::settings out;
    out.threads = s.entry->threaded ? threads : 1;
    out.tunables = s.tunables;
    return out;
}

core::execution_space& space_of(core::device where) {
    return where == core::device::cpu ? core::host_space() : gpu::space(gpu::in_use());
}

// Every tunable with the value that will be used: a result must not depend on knowing a default.
core::tunable_values resolved(const selection& s) {
    core::settings asked;
    asked.tunables = s.tunables;
    core::tunable_values all;
    for (const core::tunable& t : s.entry->tunables) all[text(t.name)] = asked.value(t);
    return all;
}

results::library library_of(const core::implementation& entry) {
    if (entry.library == nullptr) return {};
    const core::library_facts facts = entry.library();
    return {facts.name, facts.version, facts.path, facts.kernel, facts.note};
}

class runner {
  public:
    runner(const request& r, const case_key& key, const surroundings& around)
        : request_(r), key_(key), around_(around), problem_(problem_of(key)) {
        if (r.phases) phases_.emplace(problem_, *r.phases, r.seed);
    }

    case_result run() {
        for (const selection& s : request_.chosen) contenders_.push_back(enter(s));
        if (std::ranges::any_of(contenders_,
                                [](const contender& c) { return c.result.available; })) {
            verify_all();
            time_all();
            if (!stopped()) checks_->after_timing(contenders_);
        }
        return finish();
    }

  private:
    [[nodiscard]] bool stopped() const { return around_.interrupted && around_.interrupted(); }

    void tell(const std::string& what, double share) const {
        if (around_.progress) around_.progress(what, share);
    }

    contender enter(const selection& s) const {
        contender c;
        c.what = &s;
        c.settings = settings_of(s, key_.threads);
        results::result& result = c.result;
        result.implementation = label_of(s, request_.chosen);
        result.device = text(core::name(s.entry->where));
        result.dtype = text(name(key_.type));
        result.m = key_.size.m;
        result.n = key_.size.n;
        result.k = key_.size.k;
        result.layout = to_string(key_.stored);
        result.threads = key_.threads;
        result.threads_used = c.settings.threads;
        result.flop = operations(key_.size, request_.convention);
        result.arithmetic_intensity = machine::arithmetic_intensity(problem_);
        result.reason = why_not(s, c.settings);
        result.available = result.reason.empty();
        if (!result.available) {
            result.tunables = s.tunables;
            return c;
        }
        c.space = &space_of(s.entry->where);
        result.tunables = resolved(s);
        result.computes_in = text(core::find_signature(*s.entry, problem_)->computes_in);
        result.vendor = library_of(*s.entry);
        return c;
    }

    [[nodiscard]] std::string why_not(const selection& s, const core::settings& settings) const {
        if (std::string why = core::reason_against(*s.entry, problem_, settings); !why.empty())
            return why;
        const double expected = around_.expected_run_s ? around_.expected_run_s(s, key_) : 0;
        if (request_.slowest_run_s > 0 && expected > request_.slowest_run_s)
            return "skipped: one run would take about " + seconds(expected) + " (limit " +
                   seconds(request_.slowest_run_s) + ")";
        return {};
    }

    void verify_all() {
        lay_out();
        checks_->before_timing(contenders_);
        for (contender& c : contenders_)
            if (c.result.verified && phases_ && c.space != &core::host_space() && !stopped())
                enter_phases(c);
    }

    void lay_out() {
        tell("filling matrices", 0);
        const machine::cache* last = machine::data_cache(around_.machine, 3);
        if (last == nullptr) last = machine::data_cache(around_.machine, 2);
        const std::int64_t cache_bytes =
            last == nullptr ? std::int64_t{32} << 20 : last->size_bytes;
        const std::size_t sets = request_.rotate_inputs ? sets_to_defeat(cache_bytes, problem_) : 1;
        data_.emplace(problem_, sets);
        checks_.emplace(request_, problem_, *data_, [this](const std::string& what, double share) {
            tell(what, share);
            return !stopped();
        });
    }

    void enter_phases(contender& c) {
        phases_->enter(c.result, *c.space, *c.ready, data_->on(core::host_space()).at(0),
                       [&](const void* back) { return checks_->reason_against(back, c); });
    }

    [[nodiscard]] double share_of(const contender& c) const {
        return static_cast<double>(&c - contenders_.data()) /
               static_cast<double>(contenders_.size());
    }

    void time_all() {
        std::vector<contender*> timed;
        std::vector<measure::candidate> candidates;
        std::vector<double> estimates_s;
        for (contender& c : contenders_) {
            if (!c.result.verified) continue;
            timed.push_back(&c);
            candidates.push_back({[this, &c] { run_once(c); }, c.space});
            estimates_s.push_back(c.result.cold_s);
        }
        if (timed.empty() || stopped()) return;
        if (phases_) phases_->join(candidates, estimates_s);
        measure::options how = request_.timing;
        how.seed = request_.seed;
        how.interrupted = around_.interrupted;
        if (key_.threads > 1) how.wait_until_idle = [] { measure::wait_until_idle(); };
        how.progress = [&](std::size_t i, std::size_t trials, double share) {
            if (i < timed.size() && on_gpu(*timed[i])) timed[i]->watch.look(sensors());
            const std::string& what = i < timed.size() ? timed[i]->result.implementation
                                                       : phases_->name(i - timed.size());
            tell(what + ", trial " + std::to_string(trials), share);
        };
        const measure::other_work others(probe());
        const std::vector<measure::series> all = measure::interleave(candidates, estimates_s, how);
        const measure::conditions seen = under_load(others.seen(), timed);
        const std::string busy = measure::reason_against_verdict(seen);
        for (std::size_t i = 0; i < timed.size(); ++i) {
            timed[i]->result.trials_s = all[i].trials_s;
            timed[i]->result.repetitions = all[i].repetitions;
            timed[i]->result.stop = text(measure::name(all[i].stop));
            timed[i]->result.background_cpu_share = seen.other_share;
            if (!all[i].trials_s.empty()) timed[i]->result.busy = busy;
            if (!on_gpu(*timed[i])) continue;
            if (request_.measure_energy) measure_energy(*timed[i]);
            timed[i]->result.gpu = timed[i]->watch.facts();
        }
        if (phases_) phases_->finish(std::span(all).subspan(timed.size()));
    }

    [[nodiscard]] measure::work_probe probe() const {
        return around_.probe ? around_.probe() : measure::processor_time(machine::allowed_cpus());
    }

    // They are interleaved, so the one with the most threads suffers for all.
    [[nodiscard]] measure::conditions under_load(measure::conditions seen,
                                                 const std::vector<contender*>& timed) const {
        const machine::description& here = around_.machine;
        for (const contender* c : timed)
            if (!on_gpu(*c)) seen.threads = std::max(seen.threads, c->result.threads_used);
        seen.cores =
            std::max(here.cores, here.hardware_threads / std::max(1, here.threads_per_core));
        return seen;
    }

    [[nodiscard]] static bool on_gpu(const contender& c) {
        return c.what->entry->where == core::device::cuda;
    }

    [[nodiscard]] gpu_sensors& sensors() {
        if (!sensors_) sensors_ = around_.sensors ? around_.sensors() : sensors_in_use();
        return *sensors_;
    }

    // Energy is counted too coarsely for interleaved trials: it gets runs of its own.
    void measure_energy(contender& c) {
        if (stopped() || c.result.trials_s.empty()) return;
        tell("measuring the energy of " + c.result.implementation, share_of(c));
        constexpr double batch_s = 0.01;
        const double run_s = *std::ranges::min_element(c.result.trials_s);
        const auto runs = static_cast<std::int64_t>(std::ceil(batch_s / run_s));
        const auto batch = [&]() -> gpu_watch::batch {
            return {runs, c.space->time_s([&] {
                        for (std::int64_t i = 0; i < runs; ++i) run_once(c);
                    })};
        };
        c.watch.measure_energy(sensors(), batch, c.result.flop);
    }

    void run_once(contender& c) {
        const operand_sets& sets = data_->on(*c.space);
        c.ready->run(sets.at(c.next_set));
        c.next_set = (c.next_set + 1) % sets.size();
    }

    [[nodiscard]] known_limits limits() const {
        return {around_.machine, around_.limits, around_.gpu};
    }

    [[nodiscard]] std::int64_t rotating_bytes(const contender& c) {
        return static_cast<std::int64_t>(data_->on(*c.space).size()) *
               workload::bytes_needed(problem_).total();
    }

    // A figure above the peak accuses the peak first: it may have been measured in a bad minute.
    void doubt_the_peaks() const {
        for (const core::device where : {core::device::cpu, core::device::cuda}) {
            const auto above = [&](const contender& c) {
                return c.what->entry->where == where && above_peak(c.result, limits(), key_.type);
            };
            if (!around_.measure_again || std::ranges::none_of(contenders_, above)) continue;
            tell("measuring this machine again", 1);
            around_.measure_again(where);
        }
    }

    case_result finish() {
        case_result out;
        out.interrupted = stopped();
        doubt_the_peaks();
        for (contender& c : contenders_) {
            const bool timed = !c.result.trials_s.empty();
            if (out.interrupted && c.result.available && !timed)
                c.result.stop = text(measure::name(measure::stop_reason::interrupted));
            if (timed) {
                place_under_roof(c.result, limits(), problem_, rotating_bytes(c));
                c.result.above_peak = above_peak(c.result, limits(), key_.type);
                if (c.result.above_peak)
                    c.result.reason =
                        "faster than the measured peak of the unit it computes with: "
                        "wrong work or wrong time, so it is not ranked";
            }
            out.results.push_back(std::move(c.result));
        }
        out.compared.dtype = text(name(key_.type));
        out.compared.m = key_.size.m;
        out.compared.n = key_.size.n;
        out.compared.k = key_.size.k;
        out.compared.threads = key_.threads;
        out.compared.measured_s =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
        analyse_results(out.results, analysis_of(request_), out.compared);
        return out;
    }

    const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    const request& request_;
    const case_key key_;
    const surroundings& around_;
    const core::problem problem_;
    std::vector<contender> contenders_;
    std::optional<placed_operands> data_;
    std::optional<verification> checks_;
    std::optional<gpu_sensors> sensors_;  // of the GPU, once asked for
    std::optional<phase_trials> phases_;  // after what it refers to
};

}  // namespace

// Narrow types are multiplied as their users do: into the type they are accumulated in.
core::problem problem_of(const case_key& key) {
    core::problem p = core::row_major_problem(key.type, key.size.m, key.size.n, key.size.k);
    p.c_type = core::accumulator_of(key.type);
    if (key.type == dtype::u8) p.b_type = dtype::i8;
    if (key.type == dtype::e5m2) p.b_type = dtype::e4m3;
    if (key.stored.a == 't') p.a_layout = core::column_major(key.size.m);
    if (key.stored.b == 't') p.b_layout = core::column_major(key.size.k);
    return p;
}

std::string describe(const case_key& key) {
    const auto& [m, n, k] = key.size;
    return text(name(key.type)) + " " + std::to_string(m) + "x" + std::to_string(n) + "x" +
           std::to_string(k) + ", " + std::to_string(key.threads) +
           (key.threads == 1 ? " thread" : " threads");
}

std::vector<case_key> cases_of(const request& r) {
    std::vector<case_key> cases;
    for (const dtype type : r.types)
        for (const int threads : r.threads)
            for (const shape& size : r.shapes) cases.push_back({size, type, threads, r.stored});
    return cases;
}

case_result run_case(const request& r, const case_key& key, const surroundings& around) {
    return runner(r, key, around).run();
}

namespace {

// Of the machine or of the control group; 0: unknown.
double memory_left_bytes() {
    const auto machine = static_cast<double>(core::host_space().available_bytes());
    const auto group = static_cast<double>(machine::memory_left_by_group());
    return group > 0 && (machine == 0 || group < machine) ? group : machine;
}

// Three matrices that fit in 64 bits each need not do so together.
double operand_bytes(const core::problem& p) {
    const workload::operand_bytes each = workload::bytes_needed(p);
    return static_cast<double>(each.a) + static_cast<double>(each.b) + static_cast<double>(each.c);
}

std::string mebibytes(double bytes) {
    return std::to_string(static_cast<std::int64_t>(bytes / (1 << 20))) + " MiB";
}

}  // namespace

void require_sensible(const request& r) {
    for (const selection& s : r.chosen) {
        if (const std::string why = core::reason_against_tunables(s.entry->tunables, s.tunables);
            !why.empty())
            throw error(error_code::invalid_argument, text(s.entry->name) + ": " + why);
        const auto tile = s.tunables.find("tile-size");
        if (tile == s.tunables.end()) continue;
        std::int64_t largest = 0;
        for (const shape& size : r.shapes) largest = std::max({largest, size.m, size.n, size.k});
        if (tile->second > largest)
            throw error(error_code::invalid_argument,
                        "tile-size " + std::to_string(tile->second) + " of " + text(s.entry->name) +
                            " is larger than the largest matrix (" + std::to_string(largest) +
                            "): choose at most " + std::to_string(largest));
    }
    const double available = memory_left_bytes();
    for (const case_key& key : cases_of(r)) {
        const core::problem p = problem_of(key);
        const double needed = operand_bytes(p) * (r.rotate_inputs ? 2 : 1) +
                              static_cast<double>(verify::bytes_needed(p));
        if (available > 0 && needed > available)
            throw error(error_code::out_of_memory, describe(key) + " needs " + mebibytes(needed) +
                                                       " with its reference, and " +
                                                       mebibytes(available) +
                                                       " are free: choose a smaller size");
    }
}

}  // namespace carat::session
