// The control groups of this process, by which containers limit processor time.
#pragma once

#include <functional>
#include <string>

namespace carat::core {

// Calls visit(folder) for every control group of this process and all its ancestors, up to the
// mounts. Version 2 has one tree; version 1 has one for each controller, and inside a container the
// tree often begins at its mount. `root` stands for "/" in tests.
void for_each_control_group(const std::string& root,
                            const std::function<void(const std::string& folder)>& visit);

// The processor time that this group grants, in processors; 0 if unlimited.
[[nodiscard]] double cpu_quota_of(const std::string& folder);

// The tightest limit of all groups; 0 if none sets a limit.
[[nodiscard]] double cpu_quota(const std::string& root = "");

// The threads that the tightest limit keeps busy: rounded up, since a thread's leftover time is
// better used than lost, and at least 1. The largest int if none sets a limit.
[[nodiscard]] int threads_in_quota(const std::string& root = "");

}  // namespace carat::core
