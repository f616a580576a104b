// Reads processes from /proc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace carat::judge {

struct process {
    pid_t id = 0;
    pid_t parent = 0;
    std::string name;
};

// A line of /proc/PID/stat. Names may contain blanks and parentheses.
struct process_line {
    process of;
    double reaped_children_s = 0;
};
[[nodiscard]] process_line parse_stat(std::string_view line);

[[nodiscard]] std::vector<process> all_processes();

// Processor time of the children that the process has waited for, in steps of 10 ms.
[[nodiscard]] double reaped_children_s(pid_t id);

// Processor time of each living thread.
using thread_times = std::map<pid_t, double>;
[[nodiscard]] thread_times times_of_threads(pid_t id);

struct shared_work {
    double of_all_s = 0, of_busiest_s = 0;
};
[[nodiscard]] shared_work work_between(const thread_times& before, const thread_times& after);

// The files mapped as code; empty if the process may not be read.
[[nodiscard]] std::vector<std::string> mapped_code(pid_t id);

// Children started here are known; others became children when their parents ended.
void know_child(pid_t id);
[[nodiscard]] bool is_orphan(pid_t id);

// Prevents other processes of this user from reading this one, and adopts the orphans of its
// children.
void protect_judge();

// Ends adopted orphans.
void end_orphans();

}  // namespace carat::judge
