#include "lab/session/crew.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <carat/error.hpp>

namespace carat::session {

using nlohmann::json;

// Asks its process, and gives it the turn first.
class process_worker final : public worker {
  public:
    process_worker(crew& all, const core::implementation& entry, const core::problem& p,
                   const core::settings& how)
        : crew_(all), entry_(entry), task_{std::string(entry.name), p, how} {}

    ~process_worker() override { dismiss(); }

    // Code of our own is asked here: that costs no process where it can't run.
    introduction introduce() override {
        if (entry_.library == nullptr)
            return session::introduce(entry_, task_.problem, task_.settings);
        return introduction_from(ask(to_json_question(), "while its library was loaded", 0));
    }

    readiness prepare(placed_operands& data) override {
        sets_ = data.on(core::host_space()).size();
        if (!child_) (void)ask(to_json_question(), "while its library was loaded", 0);
        return readiness_from(
            ask({{"do", "prepare"}, {"sets", sets_}}, "while it was made ready", 0));
    }

    timing run(std::int64_t runs, std::size_t first) override {
        const timing t = timing_from(ask({{"do", "run"}, {"runs", runs}, {"set", first}},
                                         run_s_ > 0 ? "in a later product" : "in its first product",
                                         static_cast<double>(runs) * longest_run_s()));
        run_s_ = t.time_s / static_cast<double>(runs);
        crew_.displaced_ += t.displaced;
        return t;
    }

    [[nodiscard]] bool has_process() const override { return true; }

    bool renew() override {
        dismiss();
        run_s_ = 0;
        return true;
    }

    [[nodiscard]] std::vector<double> hand_overs_s() const override { return hand_overs_s_; }

  private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] json to_json_question() const {
        return {{"do", "introduce"}, {"task", to_json(task_)}};
    }

    // Generous: the slowest loop on the slowest machine, and 20 times what the last run took.
    [[nodiscard]] double longest_run_s() const {
        constexpr double slowest_flops = 1e7;
        const core::problem& p = task_.problem;
        if (run_s_ > 0) return 20 * run_s_;
        return 2 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) /
               slowest_flops;
    }

    void start() {
        crew_.turns_.give(nullptr);  // nobody disturbs what is loaded
        child_.emplace(crew_.start_(entry_, crew_.memory_->descriptor()));
        crew_.alive_.push_back(&*child_);
        crew_.turns_.give(&*child_);
    }

    void take_turn() {
        if (crew_.turns_.current() == &*child_) return;
        const auto begin = clock::now();
        crew_.turns_.give(&*child_);
        (void)child_->ask(R"({"do":"ready"})", crew_.patience_s_);
        hand_overs_s_.push_back(std::chrono::duration<double>(clock::now() - begin).count());
    }

    json ask(const json& question, const char* when, double expected_s) {
        std::string text;
        try {
            if (!child_) start();
            take_turn();
            text = child_->ask(question.dump(), crew_.patience_s_ + expected_s);
        } catch (const process::lost& failure) {
            dismiss();
            throw process::lost(failure.what() + (" " + std::string(when)));
        }
        const json answer = json::parse(text, nullptr, false);
        if (!answer.is_object())
            throw process::lost("the process sent something that is no answer " +
                                std::string(when));
        if (const auto error = answer.find("error"); error != answer.end())
            throw std::runtime_error(error->get<std::string>());
        return answer;
    }

    void dismiss() {
        if (!child_) return;
        crew_.turns_.forget(&*child_);
        std::erase(crew_.alive_, &*child_);
        crew_.cpu_of_ended_s_ += child_->cpu_s();
        child_.reset();
    }

    crew& crew_;
    const core::implementation& entry_;
    const task task_;
    std::optional<process::child> child_;
    std::size_t sets_ = 0;
    double run_s_ = 0;  // of the last one; 0: none yet
    std::vector<double> hand_overs_s_;
};

crew::crew(start_process start, double patience_s)
    : start_(std::move(start)), patience_s_(patience_s) {
    if (start_) memory_ = std::make_unique<process::shared_memory>();
}

crew::~crew() = default;

std::unique_ptr<worker> crew::hire(const core::implementation& entry, const core::problem& p,
                                   const core::settings& how, core::execution_space& space) {
    if (start_ && &space == &core::host_space())
        return std::make_unique<process_worker>(*this, entry, p, how);
    return worker_here(entry, p, how, space);
}

double crew::cpu_s() const {
    double sum_s = cpu_of_ended_s_;
    for (const process::child* one : alive_) sum_s += one->cpu_s();
    return sum_s;
}

}  // namespace carat::session
