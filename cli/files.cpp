#include "cli/files.hpp"

#include <fmt/format.h>

#include <carat/error.hpp>

#include "lab/files/output.hpp"

namespace carat::cli {

std::string file_of(const std::string& name) {
    return name == "-" ? std::string() : name;
}

void require_apart(std::initializer_list<named_file> files) {
    for (const named_file* a = files.begin(); a != files.end(); ++a)
        for (const named_file* b = a + 1; b != files.end(); ++b) {
            if (a->path.empty() || b->path.empty() || !files::same_file(a->path, b->path)) continue;
            throw error(error_code::invalid_argument,
                        fmt::format("{} {} and {} {} are one file, and one would be lost: name "
                                    "two",
                                    a->option, a->path, b->option, b->path));
        }
}

}  // namespace carat::cli
