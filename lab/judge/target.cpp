#include "lab/judge/target.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <carat/error.hpp>

#include "lab/judge/protocol.hpp"
#include "lab/process/program.hpp"

namespace carat::judge {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : value;
}

fs::path beside_the_command() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

// Its messages go where the command's own go. Returns the exit code.
int run_compiler(std::vector<std::string> words) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    pid_t process = 0;
    const int failure = posix_spawnp(&process, words.front().c_str(), &files, nullptr,
                                     carat::process::pointers_to(words).data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failure != 0)
        throw error(error_code::invalid_argument,
                    fmt::format("judge: there is no compiler '{}' here: install one or name it "
                                "({})",
                                words[0], words[0] == "nvcc" ? "NVCC" : "CC, CXX"));
    int status = 0;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream from(text);
    std::vector<std::string> words;
    for (std::string word; from >> word;) words.push_back(word);
    return words;
}

std::vector<std::string> compiler_for(const std::string& extension) {
    if (extension == ".cu") {
        auto words = words_of(environment("NVCC", "nvcc"));
        for (const char* flag : {"-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler",
                                 "-fPIC,-march=native", "-cudart=static"})
            words.emplace_back(flag);
        return words;
    }
    auto words = words_of(extension == ".c" ? environment("CC", "cc") : environment("CXX", "c++"));
    for (const char* flag : {"-O3", "-march=native", "-shared", "-fPIC", "-pthread", "-fopenmp"})
        words.emplace_back(flag);
    return words;
}

target compile(const fs::path& source) {
    target made;
    made.compiled = std::make_shared<carat::process::scratch_folder>();
    const fs::path object = made.compiled->path() / (source.stem().string() + ".so");
    std::vector<std::string> words = compiler_for(source.extension());
    made.notes.push_back(fmt::format("compiled with {}", fmt::join(words, " ")));
    for (const std::string& word : {std::string("-I"), own_file("include").string(),
                                    std::string("-o"), object.string(), source.string()})
        words.push_back(word);
    if (run_compiler(words) != 0)
        throw does_not_compile("it does not compile (the compiler's messages are above)");
    made.arguments = {object.string()};
    return made;
}

target python_function(const fs::path& file, const std::string& function, bool on_gpu) {
    target made;
    made.arguments = {"--exec",
                      environment("PYTHON", "python3"),
                      "-u",
                      own_file("host.py").string(),
                      fs::absolute(file).string(),
                      function};
    if (on_gpu)
        made.arguments.push_back(own_file("host.py").replace_filename("judge_channel.so").string());
    return made;
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw error(error_code::invalid_argument,
                fmt::format("TARGET '{}' {}: give a shared object, a .c, .cpp or .cu file, or "
                            "FILE.py:FUNCTION",
                            text, why));
}

}  // namespace

fs::path own_file(const char* name) {
    const fs::path command = beside_the_command();
    for (const fs::path& place : {command / "../lib/carat" / name, command / ".." / name}) {
        std::error_code ignored;
        if (fs::exists(place, ignored)) return place.lexically_normal();
    }
    throw error(error_code::unsupported,
                fmt::format("judge: {} is missing beside the command: reinstall carat", name));
}

void target::keep_open(bool open) {
    std::erase(arguments, open_option);
    if (open) arguments.insert(arguments.begin() + 1, open_option);
}

target open_target(const std::string& text, bool python_on_gpu) {
    const std::size_t colon = text.rfind(':');
    const bool python = colon != text.npos && text.substr(0, colon).ends_with(".py");
    const fs::path file = python ? text.substr(0, colon) : text;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) refuse(text, "is no file");
    const std::string extension = file.extension();
    if (python_on_gpu && !python)
        throw error(error_code::invalid_argument,
                    "--gpu is for FILE.py:FUNCTION: a carat_kernel says CARAT_ON_GPU itself");
    target made;
    if (python)
        made = python_function(file, text.substr(colon + 1), python_on_gpu);
    else if (extension == ".c" || extension == ".cpp" || extension == ".cc" || extension == ".cu")
        made = compile(file);
    else if (extension == ".py")
        refuse(text, "names no function");
    else if (text.find(".so") == text.npos)
        refuse(text, "is of no kind known here");
    else
        made.arguments = {fs::absolute(file).string()};
    made.name = python ? file.filename().string() + text.substr(colon) : file.filename().string();
    made.arguments.insert(made.arguments.begin(), own_file("judge_host").string());
    made.keep_open(python_on_gpu || extension == ".cu");
    return made;
}

}  // namespace carat::judge
