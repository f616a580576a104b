// The control groups of this process: containers limit processor time by them.
#pragma once

#include <functional>
#include <string>

namespace carat::core {

// Calls visit(folder) for every control group of this process and all above each, up to the mounts.
// Version 2 has one tree; version 1 one for each controller, and inside a container the tree often
// begins at its mount. `root` stands for "/" in tests.
void for_each_control_group(const std::string& root,
                            const std::function<void(const std::string& folder)>& visit);

// Processors' worth of time that this one group grants; 0 where it sets no limit.
[[nodiscard]] double cpu_quota_of(const std::string& folder);

// The tightest of all; 0 where none sets a limit.
[[nodiscard]] double cpu_quota(const std::string& root = "");

}  // namespace carat::core
