#include "lab/session/verification.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

namespace carat::session {

namespace {

// Contenders of one operand store that are fed the same operands are fed once.
struct group {
    workers::operand_store* where;
    verify::exact_passes pass;
    std::vector<contender*> members;
};

bool timed(const contender& c) {
    return !c.result.trials_s.empty();
}

bool is_long(const contender& c) {
    constexpr double long_s = 0.25;
    return c.result.cold_s > long_s;
}

std::vector<workers::operand_store*> stores_of(std::span<contender> all) {
    std::vector<workers::operand_store*> found;
    for (const contender& c : all)
        if (!c.ruled_out() && std::ranges::find(found, c.data) == found.end())
            found.push_back(c.data);
    return found;
}

// Who takes long runs two passes instead of five: significands first and sums last, which differ in
// data and operand set, so that verifying three loops of 2000 takes two runs and not four.
bool is_spared(const contender& c, verify::exact_kind kind, bool last_set) {
    return is_long(c) && (kind == verify::exact_kind::sums) != last_set;
}

}  // namespace

std::string seconds(double time_s) {
    const std::string digits = std::to_string(time_s);
    return digits.substr(0, digits.find('.') + 2) + " s";
}

void verification::before_timing(std::span<contender> all) {
    const auto everybody = [](const contender&) { return true; };
    pass_exactly(all, {verify::exact_kind::significands, false, true, ""}, everybody);
    pass_exactly(all, {verify::exact_kind::sums, false, false, ""}, everybody);
    if (std::ranges::all_of(all, &contender::ruled_out)) return;
    if (!tell_("filling matrices", 0)) return;
    fill(all);
    if (!all_.last.is_none() || all_.block_scales) return trust_exact_passes(all);
    compute_references(all);
    for (contender& c : all) {
        if (c.ruled_out()) continue;
        if (!tell_("verifying " + c.result.implementation, 0)) return;
        hold_against_reference(c);
    }
}

// The reference is of sums of what is stored. What an epilogue or scales make of them, the passes
// alone tell.
void verification::trust_exact_passes(std::span<contender> all) {
    for (contender& c : all) {
        if (c.ruled_out()) continue;
        c.result.verification = std::string(verify::name(verify::method::exact));
        c.result.verified = true;
    }
}

// The host's data is always filled: its reference may be needed.
void verification::fill(std::span<contender> all) {
    data_.fill(space::host_space(), request_.values, request_.seed);
    for (workers::operand_store* where : stores_of(all))
        if (!where->on_host()) where->fill(request_.values, request_.seed);
}

// Who takes long is looked at after its very last trial alone.
void verification::change_over(std::span<contender> all, int number) {
    const std::string of = " process " + std::to_string(number);
    pass_exactly(all,
                 {verify::exact_kind::sums, true, false, "after the last trial before" + of + ": "},
                 [](const contender& c) { return timed(c) && !is_long(c); });
    for (contender& c : all)
        if (timed(c) && !c.ruled_out()) (void)c.at->renew();
}

// One that breaks the process it shares leaves the others to be made ready again.
void verification::welcome(std::span<contender> all, int number) {
    const auto waits = [](const contender& c) {
        return c.result.verified && !c.ruled_out() && !c.at->is_ready();
    };
    if (std::ranges::none_of(all, waits)) return;
    const std::string when = "in process " + std::to_string(number) + ": ";
    while (std::ranges::any_of(all, waits)) {
        if (!tell_("verifying", 0)) return;
        pass_exactly(all, {verify::exact_kind::significands, false, true, when}, waits);
    }
    data_.fill_ends(space::host_space(), request_.values, request_.seed);
    for (workers::operand_store* where : stores_of(all))
        if (!where->on_host()) where->fill_ends(request_.values, request_.seed);
    for (contender& c : all)
        if (c.ruled_out()) c.drop_figures();
}

void verification::after_timing(std::span<contender> all) {
    if (std::ranges::none_of(all, timed)) return;
    // Two passes in a row: one has A's full significands at even k, the other at odd k.
    for (const auto kind : {verify::exact_kind::significands, verify::exact_kind::significands,
                            verify::exact_kind::sums})
        pass_exactly(all, {kind, true, false, "after the last trial: "},
                     [](const contender&) { return true; });
    for (contender& c : all)
        if (timed(c) && c.ruled_out()) c.drop_figures();
}

void verification::pass_exactly(std::span<contender> all, const passage& how,
                                const std::function<bool(const contender&)>& takes_part) {
    const std::uint64_t seed = request_.seed + 1001 * ++passes_;
    std::vector<group> groups;
    for (contender& c : all) {
        if (c.ruled_out() || is_spared(c, how.kind, how.last_set) || !takes_part(c)) continue;
        const verify::exact_passes pass(all_, c.result.computes_in, how.kind, seed);
        const auto found = std::ranges::find_if(groups, [&](const group& g) {
            return g.where == c.data && g.pass.same_operands(pass);
        });
        if (found != groups.end())
            found->members.push_back(&c);
        else
            groups.push_back({c.data, pass, {&c}});
    }
    for (const group& g : groups) {
        try {
            g.where->load(g.pass, how.last_set ? g.where->sets() - 1 : 0);
        } catch (const std::exception& failure) {
            for (contender* c : g.members) c->give_up(failure.what());
            continue;
        }
        for (contender* c : g.members) {
            if (!tell_("verifying " + c->result.implementation, 0)) return;
            run_and_check(*c, g.pass, how);
        }
    }
}

void verification::run_and_check(contender& c, const verify::exact_passes& pass,
                                 const passage& how) {
    try {
        const std::size_t set = how.last_set ? c.data->sets() - 1 : 0;
        c.data->poison(set);
        if (all_.one.beta != 0) c.data->fill_c(pass, set);
        if (how.first_run)
            run_first(c, set);
        else
            c.at->run(1, set);
        if (c.at == nullptr) return;  // takes too long
        const verify::verdict v = c.data->check(pass, set);
        if (v.passed) {
            ++c.result.exact_passes;
            return;
        }
        c.result.verification = std::string(verify::name(v.how));
        c.result.max_abs_error = v.max_abs_error;
        c.result.verified = false;
        c.result.reason = how.when + v.reason;
    } catch (const std::exception& failure) {
        c.give_up(how.when + failure.what());
    }
}

// What a second process says of itself, the first has said.
void verification::run_first(contender& c, std::size_t set) const {
    const workers::readiness ready = c.at->prepare(data_);
    const double cold_s = c.at->run(1, set).time_s;
    if (timed(c)) return;
    c.result.prepare_s = ready.prepare_s;
    c.result.cold_s = cold_s;
    c.result.threads_used = ready.threads;
    c.result.kernels = ready.kernels;
    c.result.plan = ready.plan;
    if (!ready.note.empty())
        c.result.vendor.note += (c.result.vendor.note.empty() ? "" : "; ") + ready.note;
    skip_if_too_long(c, set);
}

// Where no smaller product told what to expect, a run does: the cold one, or, if that is too long,
// one that has nothing to load.
void verification::skip_if_too_long(contender& c, std::size_t set) const {
    const double limit_s = request_.slowest_run_s;
    if (limit_s <= 0 || c.result.cold_s <= limit_s) return;
    const double taken_s = c.at->run(1, set).time_s;
    if (taken_s <= limit_s) return;
    c.result.cold_s = taken_s;
    c.give_up("skipped: one run takes " + seconds(taken_s) + " (limit " + seconds(limit_s) + ")");
}

// Each where it is needed. Where a GPU's memory can't hold it, the host's serves.
void verification::compute_references(std::span<contender> all) {
    bool on_host = request_.phases.has_value();
    for (workers::operand_store* where : stores_of(all)) {
        if (!where->on_host() && !tell_("computing the reference", 0)) return;
        on_host = !where->make_reference() || on_host;
    }
    if (on_host) compute_on_host();
}

void verification::compute_on_host() {
    if (all_.one.beta != 0) data_.fill_c(space::host_space(), request_.values, request_.seed);
    verify::options how;
    how.seed = request_.seed;
    how.progress = [&](double share) { return tell_("computing the reference", share); };
    try {
        on_host_.emplace(all_, with_read_c(all_, data_.on(space::host_space()).at(0)),
                         how.componentwise_madds, how);
    } catch (const verify::cancelled&) {
        // Whoever said so runs nothing after this.
    }
}

verify::verdict verification::judge(contender& c) {
    const std::string& claim = c.result.computes_in;
    if (const auto verdict = c.data->against_reference(claim)) return *verdict;
    if (!on_host_) compute_on_host();
    return on_host_->check(c.data->result(0), claim);
}

void verification::hold_against_reference(contender& c) {
    try {
        c.data->poison(0);
        if (all_.one.beta != 0) c.data->fill_c(request_.values, request_.seed);
        c.at->run(1, 0);
        const verify::verdict v = judge(c);
        c.result.verification = std::string(verify::name(v.how));
        c.result.verified = v.passed;
        c.result.error_ulp = v.error_ulp;
        c.result.error_bound_ulp = v.bound_ulp;
        c.result.max_abs_error = v.max_abs_error;
        c.result.error_over_sqrt_k = v.error_ulp / std::sqrt(static_cast<double>(all_.one.k));
        if (!v.passed) c.result.reason = v.reason;
    } catch (const std::exception& failure) {
        c.give_up(failure.what());
    }
}

std::string verification::reason_against(const void* c, const contender& of) const {
    return on_host_->check(c, of.result.computes_in).reason;
}

}  // namespace carat::session
