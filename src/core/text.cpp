#include "core/text.hpp"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace carat::core {

std::string first_word(int folder, const std::string& path) {
    const int file = openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    char letters[4096];
    const ssize_t count = read(file, letters, sizeof letters);
    close(file);
    if (count <= 0) return {};
    constexpr std::string_view blanks = " \t\n";
    std::string_view rest(letters, static_cast<std::size_t>(count));
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    return std::string(rest.substr(0, rest.find_first_of(blanks)));
}

}  // namespace carat::core
