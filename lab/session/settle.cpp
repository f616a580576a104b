#include "lab/session/settle.hpp"

#include <algorithm>
#include <cmath>

#include "lab/compare/effort.hpp"

namespace carat::session {

namespace {

constexpr int most_looks = 5;

// Settled verdicts of a case differ by what a few more processes bring; a tenth more spares a look.
constexpr double reserve = 1.1;

double trial_seconds(std::span<const results::result> results) {
    double sum = 0;
    for (const results::result& c : results) {
        for (const double t : c.trials_s) sum += t * static_cast<double>(c.repetitions);
        sum += c.prepare_s + c.cold_s;
    }
    return sum;
}

bool is_busy(const case_result& r) {
    return std::ranges::any_of(r.results, [](const results::result& c) { return !c.busy.empty(); });
}

results::result* find(std::vector<results::result>& among, const results::result& like) {
    const auto found =
        std::ranges::find(among, like.implementation, &results::result::implementation);
    return found == among.end() ? nullptr : &*found;
}

// What stands beside trials; nothing stands for zeros.
template <class Values>
void add_beside(Values& to, std::size_t trials, Values more, std::size_t more_trials) {
    if (to.empty() && more.empty()) return;
    to.resize(trials);
    more.resize(more_trials);
    to.insert(to.end(), more.begin(), more.end());
}

void add_disturbances(results::result& c, const results::result& more) {
    const std::size_t had = c.trials_s.size(), added = more.trials_s.size();
    add_beside(c.trials_displaced, had, more.trials_displaced, added);
    add_beside(c.trials_waited_s, had, more.trials_waited_s, added);
    add_beside(c.trials_stolen_s, had, more.trials_stolen_s, added);
    if (!more.remark.empty()) c.remark = more.remark;
}

void add_trials(results::result& c, const results::result& more) {
    add_disturbances(c, more);
    const bool processes = !c.trials_per_process.empty() || !more.trials_per_process.empty();
    const auto counts = [](const results::result& r) {
        return r.trials_per_process.empty()
                   ? std::vector{static_cast<std::int64_t>(r.trials_s.size())}
                   : r.trials_per_process;
    };
    if (processes) {
        std::vector<std::int64_t> all = counts(c);
        std::ranges::copy(counts(more), std::back_inserter(all));
        c.trials_per_process = std::move(all);
    }
    std::ranges::copy(more.trials_s, std::back_inserter(c.trials_s));
    c.verified = c.verified && more.verified;
    c.above_peak = c.above_peak || more.above_peak;
    if (c.reason.empty()) c.reason = more.reason;
}

// As many rounds of measuring as the first one took to be decided, by the widest of its intervals.
int rounds_to(double more_s, double one_s) {
    return std::max(1, static_cast<int>(std::ceil(reserve * more_s / one_s)));
}

}  // namespace

void add_trials(std::vector<results::result>& results, const std::vector<results::result>& more) {
    for (const results::result& one : more)
        if (results::result* c = find(results, one); c != nullptr && !c->trials_s.empty())
            add_trials(*c, one);
}

case_result settle(case_result first, const settle_options& how,
                   const std::function<case_result(int)>& measure_again) {
    if (how.limit_s <= 0 || is_busy(first)) return first;
    const double one_s =
        first.compared.measured_s > 0 ? first.compared.measured_s : trial_seconds(first.results);
    comparing::analysis_options analysis = how.analysis;
    int number = 0;
    double spent_s = 0;
    bool disturbed = false;
    for (int look = 1; look < most_looks && !first.interrupted && !disturbed && one_s > 0; ++look) {
        const comparing::unsettled left =
            comparing::unsettled_in(first.results, first.compared, how.ci_width);
        if (left.more_s <= 0 || spent_s + one_s > how.limit_s) break;
        const int rounds = std::min(rounds_to(left.more_s, one_s),
                                    static_cast<int>((how.limit_s - spent_s) / one_s));
        for (int i = 0; i < rounds; ++i) {
            case_result more = measure_again(++number);
            first.interrupted = more.interrupted;
            disturbed = is_busy(more);
            if (more.interrupted || disturbed) break;
            add_trials(first.results, more.results);
            first.compared.measured_s += more.compared.measured_s;
            spent_s += one_s;
        }
        analysis.alpha /= 2;
        comparing::analyse_results(first.results, analysis, first.compared);
    }
    return first;
}

}  // namespace carat::session
