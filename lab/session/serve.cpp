#include "lab/session/serve.hpp"

#include <optional>

#include "core/execution_space.hpp"
#include "lab/process/scheduling.hpp"
#include "lab/process/shared_memory.hpp"
#include "lab/session/build_info.hpp"
#include "lab/session/messages.hpp"

namespace carat::session {

namespace {

using nlohmann::json;

class server {
  public:
    server(int memory, const find_entry& find) : descriptor_(memory), find_(find) {}

    json answer(const json& question) {
        const auto what = question.at("do").get<std::string>();
        if (what == "introduce") return introduce(question);
        if (what == "prepare") return prepare(question);
        if (what == "run") return run(question);
        if (what == "build") return {{"version", version()}, {"revision", revision()}};
        return json::object();  // "ready": that it answers says so
    }

  private:
    json introduce(const json& question) {
        task_ = task_from(question.at("task"));
        entry_ = &find_(task_.implementation);
        return to_json(session::introduce(*entry_, task_.problem, task_.settings));
    }

    json prepare(const json& question) {
        map_.emplace(task_.problem, question.at("sets").get<std::size_t>());
        memory_.emplace(descriptor_);
        map_->use_huge_pages(*memory_);
        const double prepare_s = core::host_space().time_s(
            [&] { ready_ = entry_->prepare(task_.problem, task_.settings); });
        return to_json(facts_of(*ready_, prepare_s));
    }

    json run(const json& question) {
        const auto runs = question.at("runs").get<std::int64_t>();
        auto set = question.at("set").get<std::size_t>();
        const process::scheduling before = process::scheduling_so_far();
        timing t;
        t.time_s = core::host_space().time_s([&] {
            for (std::int64_t i = 0; i < runs; ++i) {
                ready_->run(map_->at(memory_->data(), set));
                set = (set + 1) % map_->sets();
            }
        });
        const process::scheduling after = process::scheduling_so_far();
        t.displaced = after.displaced - before.displaced;
        t.waited_s = process::waited_s(before, after);
        return to_json(t);
    }

    int descriptor_;
    const find_entry& find_;
    task task_;
    const core::implementation* entry_ = nullptr;
    std::optional<process::shared_memory> memory_;
    std::optional<operand_map> map_;
    std::unique_ptr<core::runnable> ready_;
};

}  // namespace

void serve(process::channel questions, int memory, const find_entry& find) {
    server one(memory, find);
    // Words of libraries may be in any encoding.
    constexpr auto replace = json::error_handler_t::replace;
    try {
        for (;;) {
            const std::optional<std::string> question = questions.receive(process::forever_s);
            if (!question) continue;
            json answer;
            try {
                answer = one.answer(json::parse(*question));
            } catch (const std::exception& failure) {
                answer = {{"error", failure.what()}};
            }
            questions.send(answer.dump(-1, ' ', false, replace));
        }
    } catch (const process::closed&) {
        // Whoever asked has what it wanted, or is gone.
    }
}

}  // namespace carat::session
