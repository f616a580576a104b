#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "cli/command.hpp"

namespace carat::cli {

namespace {

std::string& remembered() {
    static std::string text;
    return text;
}

std::span<char*>& arguments() {
    static std::span<char*> all;
    return all;
}

}  // namespace

// The program by its name alone: where it lies on this machine is nobody's business.
void remember_command_line(int argc, char** argv) {
    arguments() = {argv, static_cast<std::size_t>(argc)};
    std::string& text = remembered();
    text = std::filesystem::path(argv[0]).filename().string();
    for (int i = 1; i < argc; ++i) text += std::string(" ") + argv[i];
}

void hide_from_others(const std::string& given) {
    if (given.empty()) return;
    for (char* const argument : arguments().subspan(1))
        for (char* at = argument; (at = std::strstr(at, given.c_str())) != nullptr;)
            std::fill_n(at, given.size(), '*');
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != text.npos && text.substr(equals + 1) == given)
            names.emplace_back(text.substr(0, equals));
    }
    for (const std::string& name : names) unsetenv(name.c_str());
}

const std::string& command_line() {
    return remembered();
}

}  // namespace carat::cli
