#include "cli/not_run.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "cli/terminal.hpp"
#include "lab/gpu/gpu.hpp"

namespace carat::cli {

namespace {

std::string reason_of(const results::result& c) {
    return c.reason.empty() ? "interrupted before it was timed" : c.reason;
}

// What it lacks, in words that many share; empty where its own must be read.
std::string lack(const results::result& c) {
    const auto says = [&](std::string_view begin, std::string_view later) {
        return c.reason.starts_with(begin) && c.reason.find(later) != c.reason.npos;
    };
    if (c.available) return {};
    if (!c.on_cpu() && c.reason == gpu::unavailable(gpu::in_use())) return "no GPU";
    if (says("no ", " to use")) return "not installed";
    if (says("this machine has no ", "")) return "not for this CPU";
    if (says("it has no ", " version")) return "not for " + c.dtype;
    if (says("skipped: ", "")) return "too slow here";
    return {};
}

using counts = std::vector<std::pair<std::string, std::size_t>>;  // in the order first met

void count(counts& all, const std::string& what) {
    const auto known = std::ranges::find(all, what, &counts::value_type::first);
    if (known == all.end())
        all.emplace_back(what, 1);
    else
        ++known->second;
}

std::string summary_of(const counts& lacking, bool installable) {
    std::string text;
    std::size_t sum = 0;
    for (const auto& [what, times] : lacking) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", what, times);
        sum += times;
    }
    if (sum == 0) return {};
    return fmt::format("{} not run: {}: {}carat list", sum, text,
                       installable ? "./dev peers; " : "");
}

}  // namespace

told_so_far::told_so_far(const request::measurement& r) {
    for (const request::selection& s : r.chosen)
        if (s.asked_for) asked_for.insert(request::label_of(s, r.chosen));
}

std::string not_run(std::span<const results::result> results, told_so_far& told) {
    std::string text, again;
    counts lacking;
    bool installable = false;
    for (const results::result& c : results) {
        if (c.has_figure() || (c.reason.empty() && c.stop != "interrupted")) continue;
        if (const std::string what = lack(c);
            !what.empty() && !told.asked_for.contains(c.implementation)) {
            count(lacking, what);
            installable = installable || c.reason.find("./dev peers") != c.reason.npos;
            continue;
        }
        if (!told.reasons.insert(c.implementation + reason_of(c)).second) {
            again += (again.empty() ? "" : ", ") + c.implementation;
            continue;
        }
        const bool wrong = c.available && !c.reason.empty();
        const std::string line = wrapped(fmt::format("{}: {}", c.implementation, reason_of(c)), 6);
        text += "   " + styled(line, wrong ? style::bad : style::faint) + "\n";
    }
    if (!again.empty())
        text += "   " + styled(wrapped("not run, as above: " + again, 6), style::faint) + "\n";
    const std::string summary = summary_of(lacking, installable);
    if (!summary.empty() && summary != told.summary)
        text += "   " + styled(wrapped(summary, 6), style::faint) + "\n";
    told.summary = summary;
    return text;
}

}  // namespace carat::cli
