#include "core/control_group.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <fcntl.h>
#include <limits>
#include <string_view>
#include <unistd.h>

namespace carat::core {

namespace {

// Avoids streams, since a program's first product waits for this.
std::string read_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::string text;
    char part[1024];
    for (ssize_t got = 0; (got = read(file, part, sizeof part)) > 0;)
        text.append(part, static_cast<std::size_t>(got));
    close(file);
    return text;
}

// Removes the part of `text` before `end`, and the separator, and returns it.
std::string_view take_until(std::string_view& text, char end) {
    const std::size_t length = std::min(text.find(end), text.size());
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return taken;
}

double number(std::string_view text) {
    std::int64_t value = 0;
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc()
               ? static_cast<double>(value)
               : 0;
}

double quotient(double quota, double period) {
    return quota > 0 && period > 0 ? quota / period : 0;
}

double tighter(double one, double other) {
    if (one <= 0) return other;
    return other > 0 && other < one ? other : one;
}

using visitor = std::function<void(const std::string&)>;

// `group` begins with a slash; "/a/b" is below "/a", which is below the mount.
void visit_ancestry(const std::string& mount, std::string_view group, const visitor& visit) {
    while (!group.empty() && group != "/") {
        visit(mount + std::string(group));
        group = group.substr(0, group.rfind('/'));
    }
    visit(mount);
}

}  // namespace

void for_each_control_group(const std::string& root, const visitor& visit) {
    const std::string mounts = root + "/sys/fs/cgroup";
    const std::string all = read_file(root + "/proc/self/cgroup");
    // "hierarchy:controllers:path"
    for (std::string_view rest = all; !rest.empty();) {
        std::string_view line = take_until(rest, '\n');
        take_until(line, ':');
        std::string_view controllers = take_until(line, ':');
        if (line.empty()) continue;
        if (controllers.empty()) {
            visit_ancestry(mounts, line, visit);
            visit_ancestry(mounts + "/unified", line, visit);
            continue;
        }
        visit_ancestry(mounts + "/" + std::string(controllers), line, visit);
        // Controllers that are mounted together have a link each: "cpuacct,cpu" may be at
        // "cpu,cpuacct".
        while (!controllers.empty())
            visit_ancestry(mounts + "/" + std::string(take_until(controllers, ',')), line, visit);
    }
}

double cpu_quota_of(const std::string& folder) {
    // "200000 100000" or "max 100000"
    const std::string both = read_file(folder + "/cpu.max");
    std::string_view rest = both;
    const double quota = number(take_until(rest, ' '));
    return tighter(quotient(quota, number(rest)),
                   quotient(number(read_file(folder + "/cpu.cfs_quota_us")),
                            number(read_file(folder + "/cpu.cfs_period_us"))));
}

double cpu_quota(const std::string& root) {
    double tightest = 0;
    for_each_control_group(root, [&](const std::string& folder) {
        tightest = tighter(tightest, cpu_quota_of(folder));
    });
    return tightest;
}

int threads_in_quota(const std::string& root) {
    constexpr int unlimited = std::numeric_limits<int>::max();
    const double quota = cpu_quota(root);
    return quota > 0 && quota < unlimited ? static_cast<int>(std::ceil(quota)) : unlimited;
}

}  // namespace carat::core
