#include "lab/session/case.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/dtype_traits.hpp"
#include "lab/machine/roofline.hpp"
#include "lab/session/contender.hpp"
#include "lab/session/phase_trials.hpp"
#include "lab/session/roofline.hpp"
#include "lab/session/trials.hpp"
#include "lab/session/verification.hpp"
#include "lab/space/cuda/device_space.hpp"
#include "lab/verify/verify.hpp"
#include "lab/workers/operands.hpp"
#include "lab/workers/worker_set.hpp"

namespace carat::session {

namespace {

core::settings settings_of(const request::selection& s, int threads) {
    core::settings out;
    out.threads = s.entry->threaded ? threads : 1;
    out.tunables = s.tunables;
    return out;
}

// Every tunable with the value that will be used: a result must not depend on knowing a default.
core::tunable_values resolved(const request::selection& s) {
    core::settings asked;
    asked.tunables = s.tunables;
    core::tunable_values all;
    for (const core::tunable& t : s.entry->tunables) all[std::string(t.name)] = asked.value(t);
    return all;
}

class runner {
  public:
    runner(const request::measurement& r, const request::case_key& key, const surroundings& around)
        : request_(r),
          key_(key),
          around_(around),
          all_(operation_of(key)),
          crew_({r.processes > 0 ? around.start : workers::start_process(), r.patience_s,
                 r.phases.has_value(), around.device_space},
                all_) {
        if (r.phases) phases_.emplace(all_, *r.phases, r.seed);
    }

    case_result run() {
        for (const request::selection& s : request_.chosen) contenders_.push_back(enter(s));
        if (std::ranges::any_of(contenders_,
                                [](const contender& c) { return c.result.available; })) {
            verify_all();
            if (!stopped())
                trials(request_, key_, around_, crew_, *checks_, phases_ ? &*phases_ : nullptr)
                    .take(contenders_);
            if (!stopped()) checks_->after_timing(contenders_);
        }
        crew_.rest();
        return finish();
    }

  private:
    [[nodiscard]] bool stopped() const { return around_.interrupted && around_.interrupted(); }

    void tell(const std::string& what, double share) const {
        if (around_.progress) around_.progress(what, share);
    }

    contender enter(const request::selection& s) {
        contender c;
        c.what = &s;
        c.settings = settings_of(s, key_.threads);
        results::result& result = c.result;
        result.implementation = label_of(s, request_.chosen);
        result.device = std::string(rows::name(s.entry->where));
        static_cast<results::product_case&>(result) = product_case_of(key_);
        result.layout = to_string(key_.stored);
        result.threads_used = c.settings.threads;
        result.flop = operations(key_, request_.convention);
        result.arithmetic_intensity = machine::arithmetic_intensity(all_);
        introduce(c);
        result.available = result.reason.empty();
        if (!result.available) {
            result.tunables = s.tunables;
            return c;
        }
        result.tunables = resolved(s);
        result.computes_in = std::string(rows::find_signature(*s.entry, all_.one)->computes_in);
        return c;
    }

    void introduce(contender& c) {
        const rows::implementation& entry = *c.what->entry;
        if (std::string why = too_long(*c.what); !why.empty()) {
            c.result.reason = std::move(why);
            return;
        }
        // A device that isn't there has no memory to name.
        if (entry.where != rows::device::cpu && !crew_.has_device())
            c.result.reason = rows::reason_against(entry, all_, c.settings);
        if (!c.result.reason.empty()) return;
        try {
            c.at = crew_.make_worker(entry, c.settings);
            const workers::introduction known = c.at->introduce();
            c.result.reason = known.reason;
            c.result.vendor = known.library;
        } catch (const std::exception& failure) {
            c.result.reason = failure.what();
        }
        if (!c.result.reason.empty()) c.at.reset();
    }

    [[nodiscard]] std::string too_long(const request::selection& s) const {
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
            if (c.result.verified && phases_ && !c.data->on_host() && !stopped()) enter_phases(c);
    }

    void lay_out() {
        tell("filling matrices", 0);
        const machine::cache* last = machine::data_cache(around_.machine, 3);
        if (last == nullptr) last = machine::data_cache(around_.machine, 2);
        const std::int64_t cache_bytes =
            last == nullptr ? std::int64_t{32} << 20 : last->size_bytes;
        const std::size_t sets =
            request_.rotate_inputs ? workers::sets_to_defeat(cache_bytes, all_) : 1;
        data_.emplace(all_, sets, crew_.memory());
        for (contender& c : contenders_)
            if (c.at) c.data = &crew_.operands_of(c.what->entry->where, *data_);
        checks_.emplace(request_, all_, *data_, [this](const std::string& what, double share) {
            tell(what, share);
            return !stopped();
        });
    }

    void enter_phases(contender& c) {
        phases_->enter(c.result, crew_.device_space(), *c.at->here(),
                       data_->on(space::host_space()).at(0),
                       [&](const void* back) { return checks_->reason_against(back, c); });
    }

    [[nodiscard]] known_limits limits() const {
        return {around_.machine, around_.limits, around_.gpu};
    }

    [[nodiscard]] std::int64_t rotating_bytes(const contender& c) const {
        return static_cast<std::int64_t>(c.data->sets()) * workload::bytes_needed(all_).total();
    }

    [[nodiscard]] std::string exceeded(const contender& c) const {
        if (c.result.trials_s.empty()) return {};
        return exceeded_limit(c.result, limits(), all_, rotating_bytes(c));
    }

    // A figure above a limit accuses the limit first: it may have been measured in a bad minute, or
    // with another number of threads.
    void doubt_the_limits() const {
        for (const rows::device where : {rows::device::cpu, rows::device::cuda}) {
            std::vector<int> threads;
            for (const contender& c : contenders_)
                if (c.what->entry->where == where && !exceeded(c).empty())
                    threads.push_back(c.result.threads_used);
            if (!around_.measure_again || threads.empty()) continue;
            tell("measuring this machine again", 1);
            around_.measure_again(where, threads);
        }
    }

    static std::string accusation(const std::string& limit) {
        const std::string what = limit == "compute"
                                     ? "the measured peak of the unit it computes with"
                                     : "its operands can come from " + limit + " as measured";
        return "faster than " + what + ": wrong work or wrong time, so it is not ranked";
    }

    case_result finish() {
        case_result out;
        out.interrupted = stopped();
        doubt_the_limits();
        for (contender& c : contenders_) {
            const bool timed = !c.result.trials_s.empty();
            if (out.interrupted && c.result.available && !timed)
                c.result.stop = std::string(measure::name(measure::stop_reason::interrupted));
            if (timed) {
                fill_roofline(c.result, limits(), all_, rotating_bytes(c));
                const std::string limit = exceeded(c);
                // A busy machine disturbs limits as much as rows, which bear no verdict then.
                c.result.above_peak = !limit.empty() && c.result.busy.empty();
                if (c.result.above_peak) c.result.reason = accusation(limit);
            }
            out.results.push_back(std::move(c.result));
        }
        static_cast<results::product_case&>(out.compared) = product_case_of(key_);
        out.compared.measured_s =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
        comparing::analyse_results(out.results, analysis_of(request_), out.compared);
        return out;
    }

    const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    const request::measurement& request_;
    const request::case_key key_;
    const surroundings& around_;
    const rows::operation all_;
    workers::worker_set crew_;
    std::optional<workers::placed_operands> data_;
    std::vector<contender> contenders_;  // before what they run on goes
    std::optional<verification> checks_;
    std::optional<phase_trials> phases_;  // after what it refers to
};

}  // namespace

comparing::analysis_options analysis_of(const request::measurement& r) {
    return {r.alpha, r.equivalence_margin, r.base};
}

case_result run_case(const request::measurement& r, const request::case_key& key,
                     const surroundings& around) {
    return runner(r, key, around).run();
}

}  // namespace carat::session
