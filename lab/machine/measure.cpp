// Measures the plan in short rounds, every item once per sweep, until the time is up, so that a
// disturbance or a change of clock hits all alike. The best round is the limit: whatever goes wrong
// in a round makes it slower, never faster.
#include <algorithm>
#include <chrono>
#include <memory>
#include <sys/mman.h>

#include <carat/error.hpp>

#include "lab/machine/plan.hpp"
#include "lab/machine/together.hpp"

namespace carat::machine {

namespace {

using monotonic = std::chrono::steady_clock;

double seconds_since(monotonic::time_point begin) {
    return std::chrono::duration<double>(monotonic::now() - begin).count();
}

// Memory from the system, not yet touched, so that each thread can place its own near itself.
// Asks for huge pages: a limit should not be one of the TLB.
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

// As much for each thread as its largest task needs, placed by that thread and written once, since
// pages never written all share one page of zeros.
thread_memory place_memory(const std::vector<int>& cpus, const std::vector<read_task>& tasks) {
    thread_memory memory;
    for (std::size_t i = 0; i < cpus.size(); ++i) {
        std::int64_t bytes = 4096;
        for (const read_task& task : tasks)
            if (static_cast<int>(i) < task.threads) bytes = std::max(bytes, task.bytes);
        memory.push_back(std::make_unique<pages>(bytes));
    }
    run_together(cpus, [&](int i) {
        const pages& own = *memory[static_cast<std::size_t>(i)];
        std::fill_n(own.data(), own.size_bytes(), std::byte{1});
    });
    return memory;
}

// Something measured again and again. `work` is called on each thread with its index.
struct item {
    int threads = 1;
    double amount = 0;  // operations or bytes of one repetition of all threads
    std::function<void(int thread, std::int64_t repetitions)> work;
    std::int64_t repetitions = 1;
    std::vector<double> rates = {};

    [[nodiscard]] double best() const { return *std::max_element(rates.begin(), rates.end()); }
    [[nodiscard]] double spread() const {
        const std::vector<double> sorted = ranked();
        return 1 - sorted[sorted.size() / 2] / sorted.front();
    }
    // Whether another round came within 1 % of the best.
    [[nodiscard]] bool settled() const {
        const std::vector<double> sorted = ranked();
        return sorted.size() > 1 && sorted[1] > 0.99 * sorted[0];
    }
    [[nodiscard]] std::vector<double> ranked() const {
        std::vector<double> sorted = rates;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        return sorted;
    }
};

item compute_item(const compute_task& task) {
    const compute_kernel& kernel = *task.what.kernel;
    const auto size = static_cast<std::int64_t>(state_bytes(kernel));
    auto states = std::make_shared<thread_memory>();
    for (int i = 0; i < task.threads; ++i) {
        states->push_back(std::make_unique<pages>(size));
        fill_state(kernel, states->back()->data());
    }
    return {task.threads, operations_per_step(kernel) * task.threads,
            [states, run = kernel.run](int thread, std::int64_t steps) {
                run(steps, (*states)[static_cast<std::size_t>(thread)]->data());
            }};
}

// Small sets are read over and over; large ones go on where the last repetition stopped, so that a
// round stays short and what it reads was evicted since.
item read_item(const read_task& task, const thread_memory& memory, read_kernel read) {
    constexpr std::int64_t most = 16 << 20;
    const std::int64_t slice = std::min(task.bytes, most);
    const std::int64_t slices = task.bytes / slice;
    auto position = std::make_shared<std::vector<std::int64_t>>(task.threads);
    return {task.threads, static_cast<double>(slice * task.threads),
            [=, &memory](int thread, std::int64_t repetitions) {
                const auto i = static_cast<std::size_t>(thread);
                const std::byte* data = memory[i]->data();
                if (slices == 1) {
                    (void)read(data, slice, repetitions);
                    return;
                }
                for (std::int64_t& at = (*position)[i]; repetitions > 0; --repetitions, ++at)
                    (void)read(data + at % slices * slice, slice, 1);
            }};
}

shared_time time_round(const item& one, const std::vector<int>& cpus) {
    return run_together(std::span(cpus).first(static_cast<std::size_t>(one.threads)),
                        [&](int thread) { one.work(thread, one.repetitions); });
}

// Finds the repetitions that last about `round_s`, from the shortest time of any thread in three
// rounds: a longer one may be a stall.
void calibrate(item& one, const std::vector<int>& cpus, double round_s) {
    for (;; one.repetitions *= 4) {
        const double elapsed_s =
            std::min({time_round(one, cpus).shortest_s, time_round(one, cpus).shortest_s,
                      time_round(one, cpus).shortest_s});
        if (elapsed_s < round_s / 10) continue;
        const double factor = std::max(1.0, round_s / elapsed_s);
        one.repetitions = static_cast<std::int64_t>(static_cast<double>(one.repetitions) * factor);
        return;
    }
}

void measure_round(item& one, const std::vector<int>& cpus, double round_s) {
    shared_time elapsed = time_round(one, cpus);
    // Too short a round: calibration met nothing but stalls. Its figure would be mostly clock.
    while (elapsed.shortest_s < round_s / 2) {
        one.repetitions *= 2;
        elapsed = time_round(one, cpus);
    }
    one.rates.push_back(one.amount * static_cast<double>(one.repetitions) / elapsed.span_s);
}

// Sweeps over all items for two thirds of the budget, and at least three times. The rest is for
// those whose best round stands alone: on a busy machine it is likely not the limit yet.
void measure_all(std::vector<item>& items, const std::vector<int>& cpus, double budget_s,
                 double round_s, const measure_options& options) {
    constexpr std::size_t least_sweeps = 3;
    const auto begin = monotonic::now();
    for (bool more = true; more;) {
        more = false;
        for (item& one : items) {
            const double spent_s = seconds_since(begin);
            const bool due = one.rates.size() < least_sweeps || spent_s < budget_s * 2 / 3 ||
                             (spent_s < budget_s && !one.settled());
            if (!due) continue;
            more = true;
            measure_round(one, cpus, round_s);
            if (options.on_progress)
                options.on_progress({std::min(1.0, spent_s / budget_s),
                                     std::max(0.0, budget_s - spent_s), "measuring the machine"});
        }
    }
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

// Verify, then time: a unit whose result is wrong gets no figure.
measuring_plan checked_plan(const description& machine) {
    measuring_plan plan = plan_measurement(machine);
    std::erase_if(plan.compute,
                  [](const compute_task& task) { return !computes_right(*task.what.kernel, 6); });
    return plan;
}

// `items` are those of the plan, in its order.
ceilings collect(const measuring_plan& plan, const std::vector<item>& items) {
    ceilings found;
    auto one = items.begin();
    for (const compute_task& task : plan.compute) {
        const compute_kernel& kernel = *task.what.kernel;
        found.compute.push_back({kernel.unit, kernel.operand, task.what.level, task.threads,
                                 one->best() * 1e-9, one->spread(),
                                 static_cast<int>(one->rates.size())});
        ++one;
    }
    for (const read_task& task : plan.read) {
        found.bandwidth.push_back({task.level, task.threads, one->best() * 1e-9, one->spread(),
                                   static_cast<int>(one->rates.size()), task.bytes});
        ++one;
    }
    found.measured_at_s = std::chrono::duration_cast<std::chrono::seconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
    return found;
}

}  // namespace

ceilings measure_ceilings(const description& machine, const measure_options& options) {
    require_sense(machine, options);
    const auto begin = monotonic::now();
    const double budget_s = options.budget_s > 0 ? options.budget_s : options.thorough ? 20 : 4;
    const double round_s = options.thorough ? 0.003 : 0.001;
    const std::vector<int>& cpus = machine.core_cpus;

    const measuring_plan plan = checked_plan(machine);
    const thread_memory memory = place_memory(cpus, plan.read);
    std::vector<item> items;
    for (const compute_task& task : plan.compute) items.push_back(compute_item(task));
    for (const read_task& task : plan.read)
        items.push_back(read_item(task, memory, reader(machine.isa_in_use)));
    for (item& one : items) calibrate(one, cpus, round_s);
    measure_all(items, cpus, std::max(0.1, budget_s - seconds_since(begin)), round_s, options);

    ceilings found = collect(plan, items);
    found.thorough = options.thorough;
    return found;
}

}  // namespace carat::machine
