#include "abi/blas/level3/profile.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <string>
#include <string_view>

#include "abi/blas/level3/loaded.hpp"
#include "abi/blas/level3/report.hpp"
#include "abi/blas/level3/report_file.hpp"

namespace carat::blas::profile {

bool enabled = false;

namespace {

// A program that multiplies many shapes (a factorisation, say) would fill the memory and the
// report, so beyond these limits sizes are rounded up to powers of two.
constexpr std::size_t most_exact_shapes = 1000;

// Never destroyed: threads may multiply until the very end.
struct records {
    std::mutex lock;
    ledger entries;
    report_file file;
    std::string heads;  // of the file, while lines are added to it
    bool to_stderr = false;
    bool reported = false;
    bool is_child = false;  // forked: what it has, its parent tells
};
records& book() {
    static auto* const only = new records;
    return *only;
}

void write_line(records& to, const ledger::value_type& entry) {
    if (to.heads.empty()) to.file.write_at(0, to.heads = head(" so far"));
    std::string line = line_of(entry.first, entry.second, 0);
    line.resize(line_length, ' ');
    to.file.write_at(to.heads.size() + entry.second.order * (line_length + 1), line + "\n");
}

void report() {
    records& from = book();
    const std::lock_guard guard(from.lock);
    from.reported = true;
    const bool none = from.entries.empty();
    if (none && from.is_child) return;
    const std::string text = none ? why_no_calls() : report_of(from.entries);
    if (text.empty()) return;
    if (from.to_stderr)
        std::fputs(text.c_str(), stderr);
    else
        from.file.finish(text);
}

// A child starts with its own empty records, and without locks held by threads it does not have.
void before_fork() {
    book().lock.lock();
}
void in_parent() {
    book().lock.unlock();
}
void in_child() {
    records& own = book();
    own.entries.clear();
    own.heads.clear();
    own.is_child = true;
    own.file.leave_to_parent();
    own.lock.unlock();
}

const bool started = [] {
    const char* wanted = std::getenv("CARAT_PROFILE");
    enabled = wanted != nullptr && *wanted != '\0' && std::string_view(wanted) != "0";
    if (!enabled) return false;
    book().to_stderr = std::string_view(wanted) == "1";
    book().file.name(wanted);
    pthread_atfork(before_fork, in_parent, in_child);
    return std::atexit(report) == 0;
}();

}  // namespace

void record(const call& made, std::chrono::steady_clock::duration took) noexcept {
    records& to = book();
    const std::lock_guard guard(to.lock);
    const key exact = {made.routine, made.flags, made.m, made.n, made.k, false, made.forwarded};
    auto at = to.entries.find(exact);
    if (at == to.entries.end()) {
        const bool full = to.entries.size() >= most_exact_shapes;
        const totals fresh{.order = to.entries.size()};
        at = to.entries.try_emplace(full ? rounded(exact) : exact, fresh).first;
    }
    add(at->second, {1, std::chrono::duration<double>(took).count(), made.flop});
    if (!to.to_stderr && !to.reported) write_line(to, *at);
}

}  // namespace carat::blas::profile
