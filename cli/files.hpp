// Files that options name: each a file of its own.
#pragma once

#include <initializer_list>
#include <string>

namespace carat::cli {

// "-" is standard output, which is no file: empty.
[[nodiscard]] std::string file_of(const std::string& name);

struct named_file {
    std::string option, path;  // path empty: not given
};

// Throws carat::error when two of them are one file: what is written last would be all that is
// left.
void require_apart(std::initializer_list<named_file> files);

}  // namespace carat::cli
