#include "lab/process/scheduling.hpp"

#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <memory>
#include <string>
#include <sys/resource.h>

namespace carat::process {

namespace {

struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
    void operator()(DIR* folder) const { closedir(folder); }
};

// The second number of "RAN WAITED SLICES", in nanoseconds.
std::optional<std::uint64_t> waited_ns(const std::string& thread) {
    const std::unique_ptr<std::FILE, close_file> file(
        std::fopen(("/proc/self/task/" + thread + "/schedstat").c_str(), "re"));
    unsigned long long ran = 0, waited = 0;
    if (!file || std::fscanf(file.get(), "%llu %llu", &ran, &waited) != 2) return std::nullopt;
    return waited;
}

}  // namespace

scheduling scheduling_so_far() {
    scheduling now;
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    now.displaced = use.ru_nivcsw;
    const std::unique_ptr<DIR, close_file> threads(opendir("/proc/self/task"));
    if (!threads) return now;
    while (const dirent* one = readdir(threads.get())) {
        const int id = std::atoi(one->d_name);
        if (id <= 0) continue;  // "." and ".."
        if (const auto waited = waited_ns(one->d_name)) now.waited_ns[id] = *waited;
    }
    return now;
}

std::optional<double> waited_s(const scheduling& before, const scheduling& now) {
    if (before.waited_ns.empty() || now.waited_ns.empty()) return std::nullopt;
    double sum_s = 0;
    for (const auto& [id, waited] : now.waited_ns) {
        const auto was = before.waited_ns.find(id);
        const std::uint64_t since = was == before.waited_ns.end() ? 0 : was->second;
        sum_s += 1e-9 * static_cast<double>(waited > since ? waited - since : 0);
    }
    return sum_s;
}

}  // namespace carat::process
