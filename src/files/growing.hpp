// A file that grows line by line, hidden beside an output (output.hpp) that is too long to rewrite
// each time. Appended lines survive the end of the program at once, and a loss of power after about
// a second. Only the run that holds the output's lock may use it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "files/handle.hpp"

namespace carat::files {

/// Where the growing file of an output is: ".NAME.journal" in the folder of what it leads to.
[[nodiscard]] std::filesystem::path growing_beside(const std::filesystem::path& output);

class growing {
  public:
    /// Empty. What an earlier run left there is removed; nothing there is opened or followed.
    /// @throws carat::error(invalid_argument) where it can't be made.
    explicit growing(std::filesystem::path path);
    growing(growing&&) = default;
    growing& operator=(growing&&) = default;

    /// Adds the line and its end.
    /// @throws carat::error(invalid_argument); the file is then as it was.
    void append(std::string_view line);

    void remove();

  private:
    std::filesystem::path path_;
    handle file_;
    std::int64_t size_ = 0;
    std::chrono::steady_clock::time_point settled_;
};

}  // namespace carat::files
