#include "cli/builds.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <carat/error.hpp>

#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "cli/worker.hpp"
#include "lab/process/shared_memory.hpp"

namespace carat::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::array names = {"A", "B"};

[[noreturn]] void refuse(const std::string& message) {
    throw error(error_code::invalid_argument, "--ab: " + message);
}

bool is_command(const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

std::string command_at(const std::string& path) {
    for (const char* inside : {"", "cli/carat", "bin/carat", "carat"}) {
        const fs::path candidate = *inside == '\0' ? fs::path(path) : fs::path(path) / inside;
        if (is_command(candidate)) return fs::absolute(candidate).string();
    }
    refuse("'" + path + "' is no carat command, nor a folder with cli/carat, bin/carat or carat");
}

// What its worker says it is. Older ones say nothing.
std::string revision_of(const std::string& path, const std::string& command) {
    constexpr double patience_s = 30;
    try {
        const process::shared_memory memory;
        process::child one = start_worker_of(command, memory.descriptor());
        const auto answer = nlohmann::json::parse(one.ask(R"({"do":"build"})", patience_s));
        return answer.value("revision", "");
    } catch (const process::lost& failure) {
        refuse("'" + path + "' serves no implementations (" + failure.what() +
               "): name a carat that measures in processes");
    } catch (const nlohmann::json::exception&) {
        refuse("'" + path + "' gives answers of another carat's kind: build both anew");
    }
}

// Entries of each build, which its workers are told apart by.
class pairs {
  public:
    explicit pairs(const std::array<build, 2>& builds) : builds_(builds) {}

    // The same of both builds, next to each other.
    std::vector<request::selection> of(const request::selection& s) {
        std::vector<request::selection> both;
        for (std::size_t i = 0; i < builds_.size(); ++i) {
            entries_.push_back(*s.entry);
            command_of_[&entries_.back()] = builds_[i].command;
            both.push_back({&entries_.back(), s.tunables, true, names[i]});
        }
        return both;
    }

    [[nodiscard]] process::child start(int memory, const rows::implementation* entry) const {
        return start_worker_of(command_of_.at(entry), memory);
    }

  private:
    const std::array<build, 2>& builds_;
    std::deque<rows::implementation> entries_;
    std::map<const rows::implementation*, std::string> command_of_;
};

void require_processes(const request::measurement& r) {
    for (const request::selection& s : r.chosen)
        if (s.entry->where != rows::device::cpu)
            refuse(std::string(s.entry->name) +
                   " shares a process with all that run on the GPU, of this build alone: name "
                   "implementations on the CPU, or compare two files");
    if (r.processes == 0) refuse("--processes 0 runs all in this process: give 3 or more");
    request::validate(r);
}

// Each build's results by the names both have.
void divide(const results::document& doc, std::array<results::document, 2>& docs) {
    for (std::size_t i = 0; i < docs.size(); ++i) {
        const std::string prefix = names[i] + std::string(":");
        for (results::result c : doc.results) {
            if (!c.implementation.starts_with(prefix)) continue;
            c.implementation.erase(0, prefix.size());
            docs[i].results.push_back(std::move(c));
        }
    }
}

// What the earlier build can't do, the later one can't have lost.
void require_figures(const results::document& before) {
    const auto without = [](const results::result& c) { return !c.has_figure(); };
    if (before.results.empty() || !std::ranges::all_of(before.results, without)) return;
    const results::result& first = before.results.front();
    refuse(fmt::format("build {} has no figure; {}: {}", names[0], first.implementation,
                       first.reason));
}

}  // namespace

build build_at(const std::string& path) {
    const std::string command = command_at(path);
    return {path, command, revision_of(path, command)};
}

side_by_side measure_builds(const measured_flags& flags, const std::array<build, 2>& builds,
                            const comparing::analysis_options& how) {
    request::measurement all = request_of(flags);
    all.alpha = how.alpha;
    all.equivalence_margin = how.equivalence_margin;
    require_processes(all);
    pairs both(builds);
    session_options options;
    options.command = command_line();
    options.quiet = true;
    options.start = [&](int memory, const rows::implementation* entry) {
        return both.start(memory, entry);
    };
    side_by_side out;
    for (const request::selection& s : all.chosen) {
        request::measurement one = all;
        one.chosen = both.of(s);
        one.base = request::label_of(one.chosen.front(), one.chosen);
        session_result measured = measure(one, options);
        divide(measured.doc, out.docs);
        measured.doc.results.clear();
        measured.doc.comparisons.clear();
        measured.doc.build = nlohmann::json::object();  // this command's is neither's
        for (std::size_t i = 0; i < builds.size(); ++i) {
            std::vector<results::result> kept = std::move(out.docs[i].results);
            out.docs[i] = measured.doc;
            out.docs[i].results = std::move(kept);
            out.docs[i].revision = builds[i].revision;
        }
        out.interrupted = measured.interrupted;
        if (out.interrupted) return out;
    }
    require_figures(out.docs[0]);
    return out;
}

}  // namespace carat::cli
