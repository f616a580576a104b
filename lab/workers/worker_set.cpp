#include "lab/workers/worker_set.hpp"

#include "lab/gpu/gpu.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace carat::workers {

using nlohmann::json;

// Asks its process, and gives it the turn first.
class process_worker final : public worker {
  public:
    process_worker(process_pool& all, const rows::implementation& entry,
                   const rows::operation& what, const core::settings& how)
        : all_(all),
          entry_(entry),
          task_{std::string(entry.name), what, how},
          process_(all, &entry) {}

    // Code of our own is asked here: that costs no process where it can't run.
    introduction introduce() override {
        if (entry_.library == nullptr)
            return carat::workers::introduce(entry_, task_.operation, task_.settings);
        return introduction_from(ask(to_json_question(), "while its library was loaded", 0));
    }

    readiness prepare(placed_operands& data) override {
        const std::size_t sets = data.on(space::host_space()).size();
        if (!process_.alive()) (void)ask(to_json_question(), "while its library was loaded", 0);
        const readiness ready =
            readiness_from(ask({{"do", "prepare"}, {"sets", sets}}, "while it was made ready", 0));
        is_ready_ = true;
        return ready;
    }

    timing run(std::int64_t runs, std::size_t first) override {
        const timing t = timing_from(ask({{"do", "run"}, {"runs", runs}, {"set", first}},
                                         run_s_ > 0 ? "in a later product" : "in its first product",
                                         static_cast<double>(runs) * longest_run_s()));
        run_s_ = t.time_s / static_cast<double>(runs);
        all_.displaced += t.displaced;
        return t;
    }

    [[nodiscard]] bool has_process() const override { return true; }
    [[nodiscard]] bool is_ready() const override { return is_ready_ && process_.alive(); }

    bool renew() override {
        process_.dismiss();
        is_ready_ = false;
        run_s_ = 0;
        return true;
    }

    [[nodiscard]] std::vector<double> hand_overs_s() const override {
        return process_.hand_overs_s();
    }

  private:
    [[nodiscard]] json to_json_question() const {
        return {{"do", "introduce"}, {"task", to_json(task_)}};
    }

    // Generous: the slowest loop on the slowest machine, and 20 times what the last run took.
    [[nodiscard]] double longest_run_s() const {
        constexpr double slowest_flops = 1e7;
        return run_s_ > 0 ? 20 * run_s_ : 2 * multiply_adds(task_.operation) / slowest_flops;
    }

    json ask(json question, const char* when, double expected_s) {
        question["row"] = 0;
        return process_.ask(question, when, expected_s);
    }

    process_pool& all_;
    const rows::implementation& entry_;
    const task task_;
    lazy_process process_;
    bool is_ready_ = false;
    double run_s_ = 0;  // of the last one; 0: none yet
};

worker_set::worker_set(options how, const rows::operation& all) : how_(std::move(how)), all_(all) {
    pool_.start = how_.start;
    pool_.patience_s = how_.patience_s;
    if (pool_.start) pool_.memory = std::make_unique<process::shared_memory>();
}

worker_set::~worker_set() = default;

bool worker_set::has_device() const {
    return how_.device_space || gpu::count() > 0;
}

space::execution_space& worker_set::device_space() const {
    return how_.device_space ? how_.device_space() : gpu::space(gpu::in_use());
}

std::unique_ptr<worker> worker_set::make_worker(const rows::implementation& entry,
                                                const core::settings& how) {
    const bool on_host = entry.where == rows::device::cpu;
    if (!on_host && uses_device_process()) {
        if (!device_) device_ = std::make_unique<device_process>(pool_, all_, gpu::in_use());
        return device_->make_worker(entry, how);
    }
    if (on_host && pool_.start) return std::make_unique<process_worker>(pool_, entry, all_, how);
    return worker_here(entry, all_, how, on_host ? space::host_space() : device_space());
}

operand_store& worker_set::operands_of(rows::device where, placed_operands& data) {
    if (where == rows::device::cpu) {
        if (!host_operands_) host_operands_ = local_operand_store(all_, data, space::host_space());
        return *host_operands_;
    }
    if (device_) {
        device_->lay_out(data);
        return *device_;
    }
    if (!device_operands_) device_operands_ = local_operand_store(all_, data, device_space());
    return *device_operands_;
}

double worker_set::cpu_s() const {
    double sum_s = pool_.cpu_of_ended_s;
    for (const process::child* one : pool_.alive) sum_s += one->cpu_s();
    return sum_s;
}

}  // namespace carat::workers
