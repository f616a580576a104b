// Turns the TARGET that the user named into the arguments of a process that serves it.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/process/program.hpp"

namespace carat::judge {

// A compiler error: the target's fault, reported in the compiler's words.
struct does_not_compile : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct target {
    std::string name;                                          // the file's, with the function's
    std::vector<std::string> arguments;                        // of judge_host
    std::vector<std::string> notes;                            // how it was compiled
    std::shared_ptr<carat::process::scratch_folder> compiled;  // of what was compiled, if it was

    // Omits the boundary, for GPUs, whose drivers and JIT compilers need what it forbids.
    void keep_open(bool open);
};

// TARGET is a shared object, a .c, .cpp or .cu file, or FILE.py:FUNCTION. Throws carat::error if it
// does not exist or cannot be served here, and does_not_compile. `python_on_gpu`: the function
// takes matrices in a GPU's memory; other targets say so themselves.
[[nodiscard]] target open_target(const std::string& text, bool python_on_gpu);

// Finds judge_host, host.py and the header, which lie beside the command.
[[nodiscard]] std::filesystem::path own_file(const char* name);

}  // namespace carat::judge
