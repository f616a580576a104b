#include "cli/worker.hpp"

#include <string_view>

#include "cli/command.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/session/serve.hpp"

namespace carat::cli {

namespace {

constexpr const char* argument = "--serve-as-worker";

}  // namespace

bool is_worker(int argc, const char* const* argv) {
    return argc == 2 && argv[1] == std::string_view(argument);
}

int serve_as_worker() {
    process::end_with_parent();
    session::serve(process::channel(process::child::channel_descriptor),
                   process::child::memory_descriptor,
                   [](const std::string& name) -> const core::implementation& {
                       return lab::catalogue().find(name);
                   });
    return success;
}

process::child start_worker(const core::implementation&, int memory) {
    return start_worker_of("/proc/self/exe", memory);
}

process::child start_worker_of(const std::string& command, int memory) {
    return process::child::execute({command, argument}, memory);
}

}  // namespace carat::cli
