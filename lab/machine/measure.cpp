// Measures the units and memories of this machine in rounds, on threads that share them.
#include <algorithm>
#include <chrono>
#include <memory>
#include <sys/mman.h>

#include <carat/error.hpp>

#include "lab/machine/memory_levels.hpp"
#include "lab/machine/pinned_threads.hpp"
#include "lab/machine/plan.hpp"
#include "lab/machine/rounds.hpp"
#include "lab/machine/sources.hpp"

namespace carat::machine {

namespace {

using monotonic = std::chrono::steady_clock;

double passed_s(monotonic::time_point begin) {
    return std::chrono::duration<double>(monotonic::now() - begin).count();
}

// Untouched memory from the system, so that each thread can place its own part near itself.
// Requests huge pages: a limit should not be that of the TLB.
class pages {
  public:
    explicit pages(std::int64_t size_bytes) : size_bytes_(static_cast<std::size_t>(size_bytes)) {
        memory_ =
            mmap(nullptr, size_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory_ == MAP_FAILED)
            throw error(error_code::out_of_memory,
                        "measuring the machine: no " + std::to_string(size_bytes) +
                            " bytes for a working set; free some memory");
#if defined(MADV_HUGEPAGE)
        (void)madvise(memory_, size_bytes_, MADV_HUGEPAGE);
#endif
    }
    pages(const pages&) = delete;
    pages& operator=(const pages&) = delete;
    ~pages() {
        munmap(memory_, size_bytes_);
    }

    [[nodiscard]] std::byte* data() const {
        return static_cast<std::byte*>(memory_);
    }
    [[nodiscard]] std::size_t size_bytes() const {
        return size_bytes_;
    }

  private:
    std::size_t size_bytes_;
    void* memory_;
};

using thread_memory = std::vector<std::unique_ptr<pages>>;

// Each thread gets as much as its largest task needs. The thread places it and writes it once,
// since pages never written all share one page of zeros.
thread_memory place_memory(const std::vector<int>& cpus, const std::vector<read_task>& tasks) {
    thread_memory memory;
    for (std::size_t i = 0; i < cpus.size(); ++i) {
        std::int64_t bytes = 4096;
        for (const read_task& task : tasks)
            if (static_cast<int>(i) < task.threads) bytes = std::max(bytes, task.bytes);
        memory.push_back(std::make_unique<pages>(bytes));
    }
    run_pinned(cpus, [&](int i) {
        const pages& own = *memory[static_cast<std::size_t>(i)];
        std::fill_n(own.data(), own.size_bytes(), std::byte{1});
    });
    return memory;
}

using round_work = std::function<void(int thread, std::int64_t repetitions)>;

struct core_set {
    std::span<const int> cpus;
    bool of_several_kinds;
};

// `amount` is that of one repetition of one thread. All threads do the same, which understates
// cores of several kinds: the fast ones wait for the slow ones. `before`, if present, is not timed.
repeated shared_item(const core_set& cores, int threads, double amount, round_work work,
                     std::function<void(int thread)> before = {}) {
    return {amount * threads, [first = cores.cpus.first(static_cast<std::size_t>(threads)),
                               balance = cores.of_several_kinds, work = std::move(work),
                               before = std::move(before)](std::int64_t repetitions) {
                if (before) (void)run_pinned(first, before);
                shared_time taken =
                    run_pinned(first, [&](int thread) { work(thread, repetitions); });
                if (balance) taken.span_s = taken.balanced_s;
                return taken;
            }};
}

repeated compute_item(const compute_task& task, const core_set& cores) {
    const compute_kernel& kernel = *task.what.kernel;
    const auto size = static_cast<std::int64_t>(state_bytes(kernel));
    auto states = std::make_shared<thread_memory>();
    for (int i = 0; i < task.threads; ++i) {
        states->push_back(std::make_unique<pages>(size));
        fill_state(kernel, states->back()->data());
    }
    return shared_item(cores, task.threads, operations_per_step(kernel),
                       [states, run = kernel.run](int thread, std::int64_t steps) {
                           run(steps, (*states)[static_cast<std::size_t>(thread)]->data());
                       });
}

// A set that fits in a cache is read once before each round, as others have used the cache
// meanwhile.
repeated whole_item(const read_task& task, const core_set& cores, const thread_memory& memory,
                    read_kernel read) {
    const auto work = [=, &memory](int thread, std::int64_t repetitions) {
        (void)read(memory[static_cast<std::size_t>(thread)]->data(), task.bytes, repetitions);
    };
    return shared_item(cores, task.threads, static_cast<double>(task.bytes), work,
                       [work](int thread) { work(thread, 1); });
}

// A set that fits in none continues where the last repetition stopped: rounds stay short, and the
// data has been evicted since.
repeated sliced_item(const read_task& task, const core_set& cores, const thread_memory& memory,
                     read_kernel read) {
    const std::int64_t slice = slice_bytes(task.bytes);
    const std::int64_t slices = task.bytes / slice;
    auto position = std::make_shared<std::vector<std::int64_t>>(task.threads);
    return shared_item(cores, task.threads, static_cast<double>(slice),
                       [=, &memory](int thread, std::int64_t repetitions) {
                           const auto i = static_cast<std::size_t>(thread);
                           const std::byte* data = memory[i]->data();
                           for (std::int64_t& at = (*position)[i]; repetitions > 0;
                                --repetitions, ++at)
                               (void)read(data + at % slices * slice, slice, 1);
                       });
}

void require_sense(const description& machine, const measure_options& options) {
    if (!(options.budget_s >= 0)) {
        throw error(error_code::invalid_argument, "measuring the machine: budget_s is " +
                                                      std::to_string(options.budget_s) +
                                                      "; must be 0 or more");
    }
    if (machine.cores < 1 || machine.core_cpus.size() != static_cast<std::size_t>(machine.cores)) {
        throw error(error_code::invalid_argument,
                    "measuring the machine: " + std::to_string(machine.cores) + " cores but " +
                        std::to_string(machine.core_cpus.size()) +
                        " to pin to; pass what describe() returned");
    }
}

// Verifies, then times: a unit with a wrong result gets no figure.
measuring_plan checked_plan(const description& machine, const std::vector<int>& threads) {
    measuring_plan plan = plan_measurement(machine, threads);
    std::erase_if(plan.compute,
                  [](const compute_task& task) { return !computes_right(*task.what.kernel, 6); });
    return plan;
}

// `items` are in the plan's order.
peaks collect(const description& machine, const measuring_plan& plan,
              const std::vector<repeated>& items) {
    peaks found;
    auto one = items.begin();
    for (const compute_task& task : plan.compute) {
        const compute_kernel& kernel = *task.what.kernel;
        found.compute.push_back({kernel.unit, kernel.operand, task.what.level, task.threads,
                                 one->best() * 1e-9, one->spread(), one->rounds()});
        ++one;
    }
    for (const read_task& task : plan.read) {
        found.reading.push_back(
            {task.threads, task.bytes, one->best() * 1e-9, one->spread(), one->rounds()});
        ++one;
    }
    found.bandwidth = levels_of(machine, found.reading);
    return found;
}

}  // namespace

peaks measure_peaks(const description& machine, const measure_options& options) {
    require_sense(machine, options);
    const auto begin = monotonic::now();
    const std::vector<int>& cpus = machine.core_cpus;

    const measuring_plan plan = checked_plan(machine, options.threads);
    const thread_memory memory = place_memory(cpus, plan.read);
    std::vector<repeated> items;
    const core_set cores = {cpus, of_several_kinds(cpus, "/")};
    for (const compute_task& task : plan.compute) items.push_back(compute_item(task, cores));
    const read_kernel read = reader(machine.isa_in_use);
    for (const read_task& task : plan.read)
        items.push_back(task.in_slices ? sliced_item(task, cores, memory, read)
                                       : whole_item(task, cores, memory, read));
    const double budget_s = options.budget_s > 0 ? options.budget_s : options.thorough ? 20 : 4;
    measure_in_rounds(items, budget_s - passed_s(begin), options);
    return stamped(collect(machine, plan, items), options);
}

}  // namespace carat::machine
