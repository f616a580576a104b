// Files that options name: each a file of its own, and what a report is made of.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

// "-" is standard output, which is no file: empty.
[[nodiscard]] std::string file_of(const std::string& name);

struct named_file {
    std::string option, path;  // path empty: not given
};

// Throws carat::error when two of them are one file: what is written last would be all that is
// left.
void require_apart(std::initializer_list<named_file> files);

// What `text` returns; carat::error that it throws of the file's contents names the file.
[[nodiscard]] std::string of_file(const std::string& path,
                                  const std::function<std::string()>& text);

// The results in a file, every field of which a report can use; throws carat::error that names the
// file and the field where one is something else.
[[nodiscard]] results::document load_for_report(const std::string& path);

}  // namespace carat::cli
