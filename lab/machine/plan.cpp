#include "lab/machine/plan.hpp"

#include <algorithm>
#include <numbers>

namespace carat::machine {

namespace {

constexpr std::int64_t mebibyte = 1 << 20;

std::int64_t whole_pages(std::int64_t bytes) {
    return std::max<std::int64_t>(4096, bytes / 4096 * 4096);
}

std::vector<int> thread_counts(const description& machine, const std::vector<int>& others) {
    std::vector<int> counts = {1, std::max(1, machine.cores)};
    for (const int threads : others) counts.push_back(std::clamp(threads, 1, counts[1]));
    std::ranges::sort(counts);
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

// A thread's share of the last cache, counting the threads that share it; 0 if no cache is known.
std::int64_t share_of_last_cache(const description& machine, int threads) {
    for (int level = 3; level >= 1; --level)
        if (const cache* c = data_cache(machine, level); c != nullptr && c->size_bytes > 0)
            return c->size_bytes / sharing_cores(machine, *c, threads);
    return 0;
}

std::vector<read_task> plan_for(const description& machine, int threads) {
    const cache* first = data_cache(machine, 1);
    const bool known = first != nullptr && first->size_bytes > 0;
    const auto smallest = static_cast<double>(known ? first->size_bytes / 2 : 16 << 10);
    // Hypervisors hide caches, so sizes have a lower limit.
    const std::int64_t share = share_of_last_cache(machine, threads);
    const std::int64_t largest =
        std::min(std::max(4 * share, 128 * mebibyte / threads), machine.memory_bytes / 8 / threads);
    const std::int64_t left_behind = 2 * std::max(share, 32 * mebibyte / threads);
    std::vector<read_task> tasks;
    const auto add = [&](std::int64_t bytes) {
        bytes = whole_pages(bytes);
        if (tasks.empty() || tasks.back().bytes < bytes)
            tasks.push_back({threads, bytes, bytes > left_behind});
    };
    for (double size = smallest; size < 0.75 * static_cast<double>(largest);
         size *= size < 32 * mebibyte ? std::numbers::sqrt2 : 2)
        add(static_cast<std::int64_t>(size));
    add(largest);
    return tasks;
}

}  // namespace

int sharing_cores(const description& machine, const cache& shared, int threads) {
    const int per_core = std::max(1, machine.threads_per_core);
    const bool unknown = shared.shared_by <= 0;
    const int cores = unknown ? (shared.level < 3 ? 1 : threads) : shared.shared_by / per_core;
    return std::clamp(cores, 1, std::max(1, threads));
}

std::vector<read_task> plan_reading(const description& machine, const std::vector<int>& others) {
    std::vector<read_task> tasks;
    for (const int threads : thread_counts(machine, others)) {
        const std::vector<read_task> own = plan_for(machine, threads);
        tasks.insert(tasks.end(), own.begin(), own.end());
    }
    return tasks;
}

std::int64_t slice_bytes(std::int64_t working_set_bytes) {
    constexpr std::int64_t most = 16 * mebibyte;
    return whole_pages(working_set_bytes / ((working_set_bytes + most - 1) / most));
}

measuring_plan plan_measurement(const description& machine, const std::vector<int>& others) {
    measuring_plan plan;
    for (const leveled_kernel& kernel : compute_kernels())
        for (const int threads : thread_counts(machine, others))
            plan.compute.push_back({kernel, threads});
    plan.read = plan_reading(machine, others);
    return plan;
}

bool covers(const peaks& limits, const measuring_plan& plan) {
    const auto has_compute = [&](const compute_task& task) {
        return std::any_of(limits.compute.begin(), limits.compute.end(), [&](const auto& p) {
            return p.unit == task.what.kernel->unit && p.type == task.what.kernel->operand &&
                   p.level == task.what.level && p.threads == task.threads;
        });
    };
    const auto has_read = [&](const read_task& task) {
        return std::any_of(limits.reading.begin(), limits.reading.end(), [&](const auto& p) {
            return p.threads == task.threads && p.working_set_bytes == task.bytes;
        });
    };
    return std::all_of(plan.compute.begin(), plan.compute.end(), has_compute) &&
           std::all_of(plan.read.begin(), plan.read.end(), has_read);
}

}  // namespace carat::machine
