#include "cli/worker.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/command.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/workers/serve.hpp"

namespace carat::cli {

namespace {

constexpr const char* argument = "--serve-as-worker";

nlohmann::json ask_for_peaks(const nlohmann::json& question) {
    workers::process_pool alone;
    alone.start = start_worker;
    alone.patience_s = 300;
    alone.memory = std::make_unique<process::shared_memory>();
    return workers::lazy_process(alone).ask(question, "while the GPU's peaks were measured", 0);
}

}  // namespace

bool is_worker(int argc, const char* const* argv) {
    return argc == 2 && argv[1] == std::string_view(argument);
}

int serve_as_worker() {
    process::end_with_parent();
    workers::serve(process::channel(process::child::channel_descriptor),
                   process::child::memory_descriptor,
                   [](const std::string& name) -> const rows::implementation& {
                       return lab::catalogue().find(name);
                   });
    return success;
}

process::child start_worker(int memory, const rows::implementation*) {
    return start_worker_of("/proc/self/exe", memory);
}

process::child start_worker_of(const std::string& command, int memory) {
    return process::child::execute({command, argument}, memory);
}

gpu::known_gpu know_gpu(int device) {
    const nlohmann::json found = ask_for_peaks({{"do", "peaks"}, {"device", device}});
    return {device, found.at("l2_bytes").get<std::int64_t>(),
            machine::peaks_from_json(found.at("limits"))};
}

machine::peaks refresh_gpu(const gpu::known_gpu& known) {
    return machine::peaks_from_json(
        ask_for_peaks(
            {{"do", "peaks"}, {"device", known.device}, {"known", machine::to_json(known.limits)}})
            .at("limits"));
}

}  // namespace carat::cli
