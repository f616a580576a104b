#include "cli/distributed.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <carat/error.hpp>

namespace carat::cli {

namespace {

// lib/carat beside the command, in a build and once installed.
std::filesystem::path ranks_program() {
    std::error_code unknown;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
    return own.parent_path() / "../lib/carat/ranks_bench";
}

}  // namespace

int bench_over_processes(const measured_flags& what, const std::string& json) {
    const std::filesystem::path file = ranks_program();
    if (!std::filesystem::exists(file))
        throw error(error_code::unsupported,
                    "--distributed: this build has no MPI: install one (libopenmpi-dev) and build "
                    "again");
    const request::shape size =
        request::parse_one_shape(what.sizes == measured_flags{}.sizes ? "2048" : what.sizes);
    const auto types = request::parse_dtypes(what.types);
    if (types.size() != 1)
        throw error(error_code::invalid_argument,
                    "--distributed takes one --dtype: run it once for each");
    std::vector<std::string> words = {file.string(),
                                      "--m",
                                      std::to_string(size.m),
                                      "--n",
                                      std::to_string(size.n),
                                      "--k",
                                      std::to_string(size.k),
                                      "--dtype",
                                      std::string(name(types.front()))};
    const auto add = [&](const char* flag, const std::string& value) {
        words.insert(words.end(), {flag, value});
    };
    if (!what.threads.empty()) add("--threads", what.threads);
    if (what.effort.trials > 0) add("--trials", std::to_string(what.effort.trials));
    if (!json.empty()) add("--json", json);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(file.c_str(), arguments.data());
    throw error(error_code::unsupported, "--distributed: " + file.string() + " can't be started");
}

}  // namespace carat::cli
