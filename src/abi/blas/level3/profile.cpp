#include "abi/blas/level3/profile.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <pthread.h>
#include <string>
#include <string_view>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace carat::blas::profile {

bool enabled = false;

namespace {

// A program that multiplies many different shapes (a factorisation, say) would fill the memory and
// the report: beyond these, sizes are rounded up to powers of two.
constexpr std::size_t most_exact_shapes = 1000;
constexpr std::size_t most_lines = 30;

struct key {
    std::string_view routine;
    std::array<char, 4> flags;
    std::int64_t m;
    std::int64_t n;
    std::int64_t k;
    bool rounded;
    auto operator<=>(const key&) const = default;  // NOLINT(modernize-use-nullptr): no pointer here
};

struct totals {
    std::uint64_t calls = 0;
    double time_s = 0;
    double flop = 0;
};

using line = std::pair<key, totals>;

// Never destroyed: threads may multiply until the very end.
struct ledger {
    std::mutex lock;
    std::map<key, totals> entries;
    bool in_child = false;
};
ledger& book() {
    static auto* const only = new ledger;
    return *only;
}

// Set while libraries are initialised, in whatever order.
constinit counter forwarded = nullptr;

std::int64_t power_of_two_above(std::int64_t size) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
}

key rounded(key of) {
    for (std::int64_t* size : {&of.m, &of.n, &of.k})
        if (*size > 0) *size = power_of_two_above(*size);
    of.rounded = true;
    return of;
}

key without_shape(const key& of) {
    return {of.routine, {}, -1, -1, -1, false};
}

std::string shape_of(const key& of) {
    if (of.m < 0) return "all shapes";
    std::string text = of.rounded ? "<=" : "";
    text += std::to_string(of.m) + "x" + std::to_string(of.n);
    if (of.k >= 0) text += "x" + std::to_string(of.k);
    return text;
}

void print_line(std::FILE* to, std::string_view routine, std::string_view flags,
                const std::string& shape, const totals& of, double whole_s) {
    std::fprintf(to, "%-13.*s %-4.*s %-24s %10llu %10.4f %5.1f %8.2f\n",
                 static_cast<int>(routine.size()), routine.data(), static_cast<int>(flags.size()),
                 flags.data(), shape.c_str(), static_cast<unsigned long long>(of.calls), of.time_s,
                 whole_s > 0 ? 100 * of.time_s / whole_s : 0.0,
                 of.time_s > 0 ? of.flop / of.time_s / 1e9 : 0.0);
}

void add(totals& to, const totals& more) {
    to.calls += more.calls;
    to.time_s += more.time_s;
    to.flop += more.flop;
}

std::string_view flags_of(const key& of) {
    return {of.flags.data(), strnlen(of.flags.data(), of.flags.size())};
}

void print_lines(std::FILE* to, const std::vector<line>& lines, double whole_s) {
    totals rest;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto& [what, of] = lines[i];
        if (i >= most_lines) {
            add(rest, of);
            continue;
        }
        print_line(to, what.routine, flags_of(what), shape_of(what), of, whole_s);
    }
    if (rest.calls != 0)
        print_line(to, "others", "", std::to_string(lines.size() - most_lines) + " more shapes",
                   rest, whole_s);
}

// Slowest first, those of the same time in the order of their names.
std::vector<line> sorted(const std::map<key, totals>& entries) {
    std::vector<line> lines(entries.begin(), entries.end());
    std::ranges::sort(lines, [](const line& x, const line& y) {
        return std::tie(y.second.time_s, x.first) < std::tie(x.second.time_s, y.first);
    });
    return lines;
}

// The routines, then what they were called with.
void print_table(std::FILE* to, const std::map<key, totals>& entries) {
    totals whole;
    std::map<key, totals> routines;
    std::map<key, totals> shapes;
    for (const auto& [what, of] : entries) {
        add(whole, of);
        add(routines[without_shape(what)], of);
        add(shapes[entries.size() > most_lines ? rounded(what) : what], of);
    }
    std::fprintf(to, "%-13s %-4s %-24s %10s %10s %5s %8s\n", "routine", "", "m x n x k", "calls",
                 "seconds", "%", "GFLOP/s");
    print_lines(to, sorted(routines), whole.time_s);
    print_line(to, "all", "", "", whole, whole.time_s);
    std::fputs("by shape:\n", to);
    print_lines(to, sorted(shapes), whole.time_s);
}

void print_forwarded(std::FILE* to) {
    if (forwarded == nullptr) return;
    bool first = true;
    forwarded([&](const char* symbol, std::uint64_t calls) {
        if (first) std::fputs("left to the other BLAS, counted but not timed:\n", to);
        first = false;
        std::fprintf(to, "%-43s %10llu\n", symbol, static_cast<unsigned long long>(calls));
    });
}

bool anything(const ledger& from) {
    bool found = !from.entries.empty();
    if (!found && forwarded != nullptr)
        forwarded([&](const char*, std::uint64_t) { found = true; });
    return found;
}

// stderr for CARAT_PROFILE=1; else the file it names, and for a forked child one beside it.
std::FILE* open_report(const std::string& wanted, bool in_child) {
    if (wanted == "1") return stderr;
    const std::string path = in_child ? wanted + "." + std::to_string(getpid()) : wanted;
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file != nullptr) return file;
    std::fprintf(stderr, "carat_blas: CARAT_PROFILE=%s can't be written; here it is instead\n",
                 wanted.c_str());
    return stderr;
}

void report() {
    const char* wanted = std::getenv("CARAT_PROFILE");
    ledger& from = book();
    const std::lock_guard guard(from.lock);
    if (wanted == nullptr || !anything(from)) return;
    std::FILE* to = open_report(wanted, from.in_child);
    std::fprintf(to, "carat_blas: calls of process %d\n", static_cast<int>(getpid()));
    if (!from.entries.empty()) print_table(to, from.entries);
    print_forwarded(to);
    if (to != stderr) std::fclose(to);
}

// A child starts with empty pages of its own, and no lock held by a thread it doesn't have.
void before_fork() {
    book().lock.lock();
}
void in_parent() {
    book().lock.unlock();
}
void in_child() {
    book().entries.clear();
    book().in_child = true;
    book().lock.unlock();
}

const bool started = [] {
    const char* wanted = std::getenv("CARAT_PROFILE");
    enabled = wanted != nullptr && *wanted != '\0' && std::string_view(wanted) != "0";
    if (!enabled) return false;
    (void)book();
    pthread_atfork(before_fork, in_parent, in_child);
    return std::atexit(report) == 0;
}();

}  // namespace

void add_counter(counter of_forwarded) {
    forwarded = of_forwarded;
}

void record(const call& made, std::chrono::steady_clock::duration took) noexcept {
    ledger& to = book();
    const std::lock_guard guard(to.lock);
    const key exact = {made.routine, made.flags, made.m, made.n, made.k, false};
    auto at = to.entries.find(exact);
    if (at == to.entries.end()) {
        const bool full = to.entries.size() >= most_exact_shapes;
        at = to.entries.try_emplace(full ? rounded(exact) : exact).first;
    }
    add(at->second, {1, std::chrono::duration<double>(took).count(), made.flop});
}

}  // namespace carat::blas::profile
