#include "cli/distributed.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <carat/error.hpp>

#include "cli/command.hpp"
#include "cli/files.hpp"

namespace carat::cli {

namespace {

[[noreturn]] void refuse_over_ranks(const std::string& why) {
    throw error(error_code::invalid_argument, "--distributed " + why);
}

// A program of lib/carat beside the command, in a build and once installed. ./dev bench builds the
// command alone.
std::string file_of_program(const char* name, const std::string& needed = {}) {
    std::error_code unknown;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
    const auto build = own.parent_path().parent_path();
    const auto file = build / "lib/carat" / name;
    if (std::filesystem::exists(file)) return file.string();
    const bool is_build = std::filesystem::exists(build / "CMakeCache.txt");
    throw error(error_code::unsupported,
                "--distributed: lib/carat/" + std::string(name) + " is not there: " +
                    (is_build ? "run cmake --build " + build.string() : "install all of carat") +
                    needed);
}

[[noreturn]] void become_program(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(words.front().c_str(), arguments.data());
    throw error(error_code::unsupported,
                "--distributed: " + words.front() + " can't be started: build carat again");
}

dtype type_of(const measured_flags& what) {
    const auto types = request::parse_dtypes(what.types);
    if (types.size() != 1) refuse_over_ranks("takes one --dtype: run it once for each");
    return types.front();
}

request::shape size_of(const measured_flags& what, const char* otherwise) {
    return request::parse_one_shape(what.sizes == measured_flags{}.sizes ? otherwise : what.sizes);
}

std::vector<std::string> over_processes(const measured_flags& what) {
    const request::shape size = size_of(what, "2048");
    std::vector<std::string> words = {
        file_of_program("ranks_bench",
                        "; it needs an MPI (libopenmpi-dev) where carat is configured"),
        "--m",
        std::to_string(size.m),
        "--n",
        std::to_string(size.n),
        "--k",
        std::to_string(size.k),
        "--dtype",
        std::string(name(type_of(what)))};
    if (!what.threads.empty()) words.insert(words.end(), {"--threads", what.threads});
    return words;
}

// The product in the layouts that suit it, all-gather + product, and product + reduce-scatter.
std::vector<std::string> over_gpus(const measured_flags& what) {
    if (type_of(what) != dtype::bf16)
        refuse_over_ranks("--device cuda measures bf16, not " + std::string(name(type_of(what))) +
                          ": give --dtype bf16");
    const request::shape size = size_of(what, "8192");
    const std::string text =
        std::to_string(size.m) + "x" + std::to_string(size.n) + "x" + std::to_string(size.k);
    return {file_of_program("gpus_bench"),
            "--size",
            text,
            "--gather",
            text,
            "--scatter",
            text,
            "--by",
            "local,copies,nccl,cublasmp,cublasmp.serial"};
}

}  // namespace

int bench_distributed(const measured_flags& what, const output_flags& files) {
    if (!files.csv.empty() || files.resume)
        refuse_over_ranks("writes --json and --report: leave --csv and --resume out");
    require_apart({{"--json", files.json}, {"--report", files.report}});
    std::vector<std::string> words = what.device == "cuda" ? over_gpus(what) : over_processes(what);
    const auto add = [&](const char* flag, const std::string& value) {
        words.insert(words.end(), {flag, value});
    };
    if (what.effort.trials > 0) add("--trials", std::to_string(what.effort.trials));
    if (!files.json.empty()) add("--json", files.json);
    if (!files.report.empty()) {
        add("--report", files.report);
        add("--command", command_line());
    }
    become_program(std::move(words));
}

}  // namespace carat::cli
