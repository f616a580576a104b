#include "cli/files.hpp"

#include <fmt/format.h>

#include <carat/error.hpp>

#include "lab/files/output.hpp"
#include "lab/results/files.hpp"
#include "lab/results/surroundings.hpp"

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

std::string of_file(const std::string& path, const std::function<std::string()>& text) {
    try {
        return text();
    } catch (const error& failure) {
        throw error(failure.code(), path + ": " + failure.what());
    }
}

results::document load_for_report(const std::string& path) {
    results::document doc = results::load(path);
    (void)of_file(path, [&] {
        (void)results::surroundings_of(doc);
        return std::string();
    });
    return doc;
}

}  // namespace carat::cli
