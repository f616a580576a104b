#include "lab/judge/processes.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace carat::judge {

namespace {

std::set<pid_t>& known() {
    static std::set<pid_t> all;
    return all;
}

std::string line_of(pid_t id) {
    std::ifstream file("/proc/" + std::to_string(id) + "/stat");
    std::string line;
    std::getline(file, line);
    return line;
}

}  // namespace

process_line parse_stat(std::string_view line) {
    process_line found;
    const std::size_t open = line.find('(');
    const std::size_t end = line.rfind(')');
    if (open == line.npos || end == line.npos || end < open) return found;
    std::from_chars(line.data(), line.data() + open, found.of.id);
    found.of.name = line.substr(open + 1, end - open - 1);
    std::istringstream rest{std::string(line.substr(end + 1))};
    std::string field;
    double ticks = 0;
    for (int i = 3; i <= 17 && rest >> field; ++i) {  // numbered as in proc(5)
        if (i == 4) found.of.parent = std::atoi(field.c_str());
        if (i == 16 || i == 17) ticks += std::atof(field.c_str());
    }
    found.reaped_children_s = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    return found;
}

std::vector<process> all_processes() {
    std::vector<process> all;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        pid_t id = 0;
        const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), id);
        if (failure != std::errc() || end != name.data() + name.size()) continue;
        process found = parse_stat(line_of(id)).of;
        if (found.id == id) all.push_back(std::move(found));
    }
    return all;
}

double reaped_children_s(pid_t id) {
    return parse_stat(line_of(id)).reaped_children_s;
}

thread_times times_of_threads(pid_t id) {
    thread_times all;
    std::error_code ignored;
    const std::string folder = "/proc/" + std::to_string(id) + "/task";
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        double nanoseconds = 0;
        std::ifstream(entry.path() / "schedstat") >> nanoseconds;
        all[std::atoi(entry.path().filename().c_str())] = 1e-9 * nanoseconds;
    }
    return all;
}

shared_work work_between(const thread_times& before, const thread_times& after) {
    shared_work done;
    for (const auto& [thread, time_s] : after) {
        const auto found = before.find(thread);
        const double worked_s = time_s - (found == before.end() ? 0 : found->second);
        done.of_all_s += worked_s;
        done.of_busiest_s = std::max(done.of_busiest_s, worked_s);
    }
    return done;
}

std::vector<std::string> mapped_code(pid_t id) {
    std::set<std::string> found;
    std::ifstream maps("/proc/" + std::to_string(id) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        const std::size_t path = line.find('/');
        const bool is_code = line.size() > 30 && line.find(" r-xp ") != line.npos;
        if (is_code && path != line.npos) found.insert(line.substr(path));
    }
    return {found.begin(), found.end()};
}

void know_child(pid_t id) {
    known().insert(id);
}

bool is_orphan(pid_t id) {
    return !known().contains(id);
}

void protect_judge() {
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void end_orphans() {
    for (int round = 0; round < 100; ++round) {
        bool some = false;
        for (const process& other : all_processes()) {
            if (other.parent != getpid() || !is_orphan(other.id)) continue;
            some = true;
            kill(other.id, SIGKILL);
            waitpid(other.id, nullptr, 0);
        }
        if (!some) return;
    }
}

}  // namespace carat::judge
