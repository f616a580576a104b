#include "lab/measure/busy.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace carat::measure {

namespace {

// What daemons and the kernel take on a quiet machine, in processors.
constexpr double background = 0.25;

// A slice lasts 3 to 6 ms: beside one busy process a thread is preempted 150 to 300 times in a
// second of its own time, by the daemons of a quiet machine some ten times.
constexpr double most_displaced_per_s = 100;

// The system counts whole ticks of 10 ms: three standard deviations of that error, in processors.
double uncertainty(const conditions& seen) {
    constexpr double ticks_per_s = 100;
    return 3 * std::sqrt(seen.cpus / (4 * ticks_per_s * seen.passed_s));
}

// The time in which runnable threads wait: below 1 % on a quiet machine.
constexpr double most_waiting = 0.05;
constexpr double some_waiting = 0.01;

// A process that takes a processor makes one thread wait as long, or two that would have shared
// another.
bool others_explain(const conditions& seen, double waiting_cpus) {
    if (!seen.other_share || !seen.sees_all) return true;
    return 2 * *seen.other_share * seen.cpus >= waiting_cpus;
}

// A group of processes that has used up its quota waits as well.
bool may_be_held_back(const conditions& seen) {
    return seen.granted_cpus > 0 && seen.threads_of_one > seen.granted_cpus;
}

// A share of trials that moves a median, and more than chance disturbs.
constexpr double most_disturbed = 0.25;

bool is_near_a_multiple(double time_s, double tick_s) {
    constexpr double near = 0.03;
    if (tick_s <= 0) return false;
    const double ticks = time_s / tick_s;
    return std::round(ticks) >= 1 && std::abs(ticks - std::round(ticks)) <= near;
}

// The time is near a multiple of the tick, and not by chance: its threads waited, or it can be much
// faster.
bool is_tick_shaped(const conditions& seen) {
    if (seen.threads_of_one < 2 || !is_near_a_multiple(seen.median_s, seen.tick_s)) return false;
    return seen.waiting_share.value_or(0) > some_waiting || seen.fastest_s < seen.median_s / 2;
}

// Short products may be slower on several threads without any disturbance.
bool loses_to_one(const conditions& seen) {
    constexpr double least_s = 1e-3;
    constexpr double margin = 1.1;
    return seen.threads_of_one > 1 && seen.one_thread_s > least_s &&
           seen.median_s > margin * seen.one_thread_s;
}

std::string whole(double value) {
    return std::to_string(std::lround(value));
}

bool waits_long(const conditions& seen) {
    return seen.waiting_share.value_or(0) > most_waiting;
}

std::string of_one(const conditions& seen) {
    constexpr const char* remedy = ": stop other work, or ask for fewer threads";
    const bool own = waits_for_itself(seen);
    if (waits_long(seen) && !own)
        return "its threads waited for a processor " + whole(100 * *seen.waiting_share) +
               " % of their time" + remedy;
    if (is_tick_shaped(seen) && !own)
        return "its time is a multiple of the scheduler's tick of " + whole(1e3 * seen.tick_s) +
               " ms, which threads waited for" + remedy;
    if (loses_to_one(seen) && !(own && waits_long(seen)))
        return whole(seen.threads_of_one) + " threads take " +
               whole(100 * seen.median_s / seen.one_thread_s) + " % of the time of one" + remedy;
    if (seen.disturbed_share > most_disturbed)
        return "others disturbed " + whole(100 * seen.disturbed_share) + " % of its trials" +
               remedy;
    return {};
}

std::string of_others(const conditions& seen) {
    if (!seen.other_share || seen.passed_s <= 0) return {};
    const double taken = *seen.other_share * seen.cpus;
    const double idle = std::max(0, seen.cores - seen.threads);
    if (taken - idle <= std::max(background, uncertainty(seen))) return {};
    const std::string share = whole(100 * *seen.other_share) + " % of the processors' time: ";
    if (seen.stolen_share > 0.5 * *seen.other_share)
        return "the host's other guests took " + share + "measure again when they are quiet";
    return "other work took " + share + "stop it and measure again";
}

// Others must have taken slices, since threads of one process displace each other as often.
bool is_displaced(const conditions& seen) {
    const bool by_others =
        !seen.other_share || !seen.sees_all || *seen.other_share * seen.cpus > background;
    return by_others && seen.displaced_per_s > most_displaced_per_s;
}

}  // namespace

bool waits_for_itself(const conditions& seen) {
    const double share = seen.waiting_share.value_or(0);
    return seen.threads_of_one > 1 && share > some_waiting && !may_be_held_back(seen) &&
           !others_explain(seen, share * seen.threads_of_one);
}

bool is_disturbed(const trial_conditions& seen) {
    const double threads_s = seen.time_s * seen.threads;
    if (threads_s <= 0) return false;
    if (seen.stolen_s > most_waiting * threads_s) return true;
    if (seen.waits_for_itself) return false;
    if (seen.waited_s > most_waiting * threads_s) return true;
    if (static_cast<double>(seen.displaced) > 1 + most_displaced_per_s * threads_s) return true;
    return seen.threads > 1 && is_near_a_multiple(seen.run_s, seen.tick_s) &&
           (seen.waited_s > some_waiting * threads_s || seen.fastest_run_s < seen.run_s / 2);
}

double tick_s() {
    timespec tick{};
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    return static_cast<double>(tick.tv_sec) + 1e-9 * static_cast<double>(tick.tv_nsec);
}

std::string reason_against_verdict(const conditions& seen) {
    if (std::string why = of_others(seen); !why.empty()) return why;
    if (std::string why = of_one(seen); !why.empty()) return why;
    if (!is_displaced(seen)) return {};
    return "its threads lost their processors " + whole(seen.displaced_per_s) +
           " times a second: stop other work, or ask for fewer threads";
}

std::string remark_on(const conditions& seen) {
    if (!waits_long(seen) || !waits_for_itself(seen)) return {};
    return "its threads waited for one another " + whole(100 * *seen.waiting_share) +
           " % of their time";
}

}  // namespace carat::measure
