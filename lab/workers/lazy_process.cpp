#include "lab/workers/lazy_process.hpp"

#include <chrono>
#include <stdexcept>

namespace carat::workers {

using nlohmann::json;

void lazy_process::start() {
    all_.turns.give(nullptr);  // nobody disturbs what is loaded
    child_.emplace(all_.start(all_.memory->descriptor(), entry_));
    ++number_;
    all_.alive.push_back(&*child_);
    all_.turns.give(&*child_);
}

void lazy_process::take_turn() {
    using clock = std::chrono::steady_clock;
    if (all_.turns.current() == &*child_) return;
    const auto begin = clock::now();
    all_.turns.give(&*child_);
    (void)child_->ask(R"({"do":"ready"})", all_.patience_s);
    hand_overs_s_.push_back(std::chrono::duration<double>(clock::now() - begin).count());
}

json lazy_process::ask(const json& question, const char* when, double expected_s) {
    std::string text;
    try {
        if (!child_) start();
        take_turn();
        text = child_->ask(question.dump(), all_.patience_s + expected_s);
    } catch (const process::lost& failure) {
        dismiss();
        throw process::lost(failure.what() + (" " + std::string(when)));
    }
    const json answer = json::parse(text, nullptr, false);
    if (!answer.is_object()) {
        dismiss();
        throw process::lost("the process sent something that is no answer " + std::string(when));
    }
    if (const auto error = answer.find("error"); error != answer.end())
        throw std::runtime_error(error->get<std::string>());
    return answer;
}

void lazy_process::dismiss() {
    if (!child_) return;
    all_.turns.forget(&*child_);
    std::erase(all_.alive, &*child_);
    all_.cpu_of_ended_s += child_->cpu_s();
    child_.reset();
}

}  // namespace carat::workers
