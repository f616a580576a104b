#include "lab/judge/freezer.hpp"

#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

#include "lab/judge/clock.hpp"

namespace carat::judge {

namespace fs = std::filesystem;

namespace {

bool put(const fs::path& file, const std::string& text) {
    const int to = open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (to < 0) return false;
    const bool done = write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(to);
    return done;
}

// Where control groups version 2 are mounted, or empty. See proc(5), mountinfo.
fs::path mounted_at() {
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
        const std::size_t dash = line.find(" - ");
        if (dash == line.npos || line.compare(dash + 3, 8, "cgroup2 ") != 0) continue;
        std::istringstream fields(line);
        std::string id, parent, device, root, place;
        fields >> id >> parent >> device >> root >> place;
        if (root == "/") return place;
    }
    return {};
}

std::string own_group() {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);)
        if (line.starts_with("0::/")) return line.substr(4);
    return {};
}

bool says_frozen(const fs::path& folder) {
    std::ifstream events(folder / "cgroup.events");
    for (std::string line; std::getline(events, line);)
        if (line == "frozen 1") return true;
    return false;
}

}  // namespace

freezer freezer::make() {
    static std::atomic<int> made = 0;
    const fs::path root = mounted_at();
    if (root.empty()) return {};
    freezer one;
    one.folder_ = root / own_group() /
                  ("carat-judge-" + std::to_string(getpid()) + "-" + std::to_string(++made));
    std::error_code failure;
    if (!fs::create_directory(one.folder_, failure) || !put(one.folder_ / "cgroup.freeze", "0"))
        one.folder_.clear();
    return one;
}

freezer::freezer(freezer&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

freezer& freezer::operator=(freezer&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
}

freezer::~freezer() {
    if (!exists()) return;
    put(folder_ / "cgroup.kill", "1");
    const double until_s = now_s() + 2;  // what was killed is still to be waited for
    while (rmdir(folder_.c_str()) != 0 && now_s() < until_s) poll(nullptr, 0, 1);
}

bool freezer::add(pid_t process) const {
    return exists() && put(folder_ / "cgroup.procs", std::to_string(process));
}

void freezer::freeze() const {
    if (!exists() || !put(folder_ / "cgroup.freeze", "1")) return;
    const double until_s = now_s() + 1;
    while (!says_frozen(folder_) && now_s() < until_s) usleep(20);
}

void freezer::thaw() const {
    if (exists()) put(folder_ / "cgroup.freeze", "0");
}

}  // namespace carat::judge
