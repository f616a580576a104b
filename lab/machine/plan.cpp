#include "lab/machine/plan.hpp"

#include <algorithm>

namespace carat::machine {

namespace {

constexpr std::int64_t mebibyte = 1 << 20;

std::int64_t whole_pages(std::int64_t bytes) {
    return std::max<std::int64_t>(4096, bytes / 4096 * 4096);
}

std::vector<int> thread_counts(const description& machine) {
    if (machine.cores > 1) return {1, machine.cores};
    return {1};
}

std::vector<read_task> plan_for(const description& machine, int threads) {
    std::vector<read_task> tasks;
    std::int64_t inner = 0;  // what a thread has of the cache before
    for (int level = 1; level <= 3; ++level) {
        const cache* c = data_cache(machine, level);
        if (c == nullptr || c->size_bytes <= 0) continue;
        const std::int64_t share = c->size_bytes / sharing_cores(machine, *c, threads);
        const std::int64_t half = share / 2;
        const std::int64_t bytes = half < 2 * inner ? inner + half : half;
        tasks.push_back({"L" + std::to_string(level), threads, whole_pages(bytes)});
        inner = share;
    }
    // Hypervisors hide caches, hence a least size.
    const std::int64_t wanted = std::max(4 * inner, 128 * mebibyte / threads);
    const std::int64_t available = machine.memory_bytes / 8 / threads;
    if (available >= wanted / 2)
        tasks.push_back({"DRAM", threads, whole_pages(std::min(wanted, available))});
    return tasks;
}

}  // namespace

int sharing_cores(const description& machine, const cache& shared, int threads) {
    const int per_core = std::max(1, machine.threads_per_core);
    const bool unknown = shared.shared_by <= 0;
    const int cores = unknown ? (shared.level < 3 ? 1 : threads) : shared.shared_by / per_core;
    return std::clamp(cores, 1, std::max(1, threads));
}

std::vector<read_task> plan_reading(const description& machine) {
    std::vector<read_task> tasks;
    for (const int threads : thread_counts(machine))
        for (read_task& task : plan_for(machine, threads)) tasks.push_back(std::move(task));
    return tasks;
}

std::int64_t slice_bytes(std::int64_t working_set_bytes) {
    constexpr std::int64_t most = 16 * mebibyte;
    return whole_pages(working_set_bytes / ((working_set_bytes + most - 1) / most));
}

measuring_plan plan_measurement(const description& machine) {
    measuring_plan plan;
    for (const leveled_kernel& kernel : compute_kernels())
        for (const int threads : thread_counts(machine)) plan.compute.push_back({kernel, threads});
    plan.read = plan_reading(machine);
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
        return std::any_of(limits.bandwidth.begin(), limits.bandwidth.end(), [&](const auto& p) {
            return p.level == task.level && p.threads == task.threads &&
                   p.working_set_bytes == task.bytes;
        });
    };
    return std::all_of(plan.compute.begin(), plan.compute.end(), has_compute) &&
           std::all_of(plan.read.begin(), plan.read.end(), has_read);
}

}  // namespace carat::machine
