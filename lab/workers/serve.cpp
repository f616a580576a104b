#include "lab/workers/serve.hpp"

#include <map>
#include <optional>
#include <stdexcept>

#include "lab/gpu/gpu.hpp"
#include "lab/gpu/limits.hpp"
#include "lab/process/scheduling.hpp"
#include "lab/process/shared_memory.hpp"
#include "lab/results/build_info.hpp"
#include "lab/workers/messages.hpp"
#include "lab/workers/operand_store.hpp"

namespace carat::workers {

namespace {

using nlohmann::json;

class server {
  public:
    server(int memory, const find_entry& find, const find_space& space)
        : descriptor_(memory), find_(find), find_space_(space) {}

    json answer(const json& question) {
        using to_answer = json (server::*)(const json&);
        static const std::map<std::string, to_answer> known = {
            {"introduce", &server::introduce},
            {"prepare", &server::prepare},
            {"run", &server::run},
            {"place", &server::place},
            {"fill", &server::fill},
            {"fill_ends", &server::fill},
            {"load", &server::load},
            {"poison", &server::poison},
            {"fill_c", &server::fill_c},
            {"fetch", &server::fetch},
            {"check", &server::check},
            {"reference", &server::make_reference},
            {"against_reference", &server::against_reference},
            {"probe", &server::probe},
            {"peaks", &server::peaks},
            {"build", &server::build}};
        const auto found = known.find(question.at("do").get<std::string>());
        if (found == known.end()) return json::object();  // "ready": that it answers says so
        return (this->*found->second)(question);
    }

  private:
    json build(const json&) {
        return {{"version", results::version()}, {"revision", results::revision()}};
    }

    json introduce(const json& question) {
        const task t = task_from(question.at("task"));
        const rows::implementation& entry = find_(t.implementation);
        operation_ = t.operation;
        if (entry.where != rows::device::cpu)
            device_ = &find_space_(question.at("device").get<int>());
        space::execution_space& space =
            entry.where == rows::device::cpu ? space::host_space() : *device_;
        std::unique_ptr<worker>& row = rows_[question.at("row").get<int>()];
        row = worker_here(entry, t.operation, t.settings, space);
        return to_json(row->introduce());
    }

    json prepare(const json& question) {
        if (question.contains("sets")) lay_out(question.at("sets").get<std::size_t>());
        return to_json(row_of(question).prepare(*data_));
    }

    // Threads that a GPU's driver keeps are no part of the product.
    json run(const json& question) {
        const process::scheduling before = process::scheduling_so_far();
        timing t = row_of(question).run(question.at("runs").get<std::int64_t>(),
                                        question.at("set").get<std::size_t>());
        const process::scheduling after = process::scheduling_so_far();
        t.displaced = after.displaced - before.displaced;
        if (device_ == nullptr) t.waited_s = process::waited_s(before, after);
        return to_json(t);
    }

    json place(const json& question) {
        operation_ = operation_from(question.at("problem"));
        device_ = &find_space_(question.at("device").get<int>());
        lay_out(question.at("sets").get<std::size_t>());
        store_ = local_operand_store(operation_, *data_, *device_);
        return {{"sets", store_->sets()}};
    }

    json fill(const json& question) {
        const auto values = distribution_from(question.at("values"));
        const auto seed = question.at("seed").get<std::uint64_t>();
        if (question.at("do") == "fill")
            placed().fill(values, seed);
        else
            placed().fill_ends(values, seed);
        return json::object();
    }

    json load(const json& question) {
        placed().load(pass_from(operation_, question.at("pass")), set_of(question));
        return json::object();
    }

    json poison(const json& question) {
        placed().poison(set_of(question));
        return json::object();
    }

    json fill_c(const json& question) {
        if (question.contains("pass"))
            placed().fill_c(pass_from(operation_, question.at("pass")), set_of(question));
        else
            placed().fill_c(distribution_from(question.at("values")),
                            question.at("seed").get<std::uint64_t>());
        return json::object();
    }

    // The memory of its answer is shared.
    json fetch(const json& question) {
        (void)placed().result(set_of(question));
        return json::object();
    }

    json check(const json& question) {
        return to_json(
            placed().check(pass_from(operation_, question.at("pass")), set_of(question)));
    }

    json make_reference(const json&) { return {{"made", placed().make_reference()}}; }

    json against_reference(const json& question) {
        const auto verdict = placed().against_reference(question.at("claim").get<std::string>());
        if (!verdict) throw std::logic_error("there is no reference");
        return to_json(*verdict);
    }

    // Throws where the device's context is spoilt.
    json probe(const json&) {
        if (device_ == nullptr) return json::object();
        const std::uint64_t word = 0x5eed;
        std::uint64_t back = 0;
        const space::buffer there(*device_, sizeof(word));
        device_->upload(there.data(), &word, sizeof(word));
        device_->wait();
        device_->download(&back, there.data(), sizeof(back));
        if (back != word)
            throw std::runtime_error("the GPU's memory does not keep what it is given");
        return json::object();
    }

    // The peaks of a GPU, for a caller that must make no context there.
    json peaks(const json& question) {
        const int device = question.at("device").get<int>();
        gpu::select(device);
        gpu::known_gpu known;
        if (question.contains("known")) {
            known = {device, 0, machine::peaks_from_json(question.at("known"))};
            known.limits = gpu::refresh(known);
        } else {
            known = gpu::know(device);
        }
        return {{"l2_bytes", known.l2_bytes}, {"limits", machine::to_json(known.limits)}};
    }

    void lay_out(std::size_t sets) {
        if (data_) return;
        memory_.emplace(descriptor_);
        data_.emplace(operation_, sets, &*memory_);
    }

    worker& row_of(const json& question) { return *rows_.at(question.at("row").get<int>()); }
    static std::size_t set_of(const json& question) {
        return question.at("set").get<std::size_t>();
    }
    operand_store& placed() {
        if (!store_) throw std::logic_error("no operands are laid out");
        return *store_;
    }

    int descriptor_;
    const find_entry& find_;
    const find_space& find_space_;
    rows::operation operation_;
    space::execution_space* device_ = nullptr;
    std::optional<process::shared_memory> memory_;
    std::optional<placed_operands> data_;
    std::unique_ptr<operand_store> store_;
    std::map<int, std::unique_ptr<worker>> rows_;
};

}  // namespace

space::execution_space& space_of_gpu(int device) {
    gpu::select(device);
    return gpu::space(device);
}

void serve(process::channel questions, int memory, const find_entry& find,
           const find_space& space) {
    server one(memory, find, space);
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

}  // namespace carat::workers
