#include <filesystem>

#include "cli/command.hpp"

namespace carat::cli {

namespace {

std::string& remembered() {
    static std::string text;
    return text;
}

}  // namespace

// The program by its name alone: where it lies on this machine is nobody's business.
void remember_command_line(int argc, const char* const* argv) {
    std::string& text = remembered();
    text = std::filesystem::path(argv[0]).filename().string();
    for (int i = 1; i < argc; ++i) text += std::string(" ") + argv[i];
}

const std::string& command_line() {
    return remembered();
}

}  // namespace carat::cli
