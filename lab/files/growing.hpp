// A file that grows line by line, hidden beside an output (output.hpp) that is too long to rewrite
// each time. Appended lines survive the end of the program at once, and a loss of power after about
// a second. Only the run that holds the output's lock may use it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "files/handle.hpp"

namespace carat::files {

/// The path of an output's growing file: ".NAME.journal" in the folder of the output's target.
[[nodiscard]] std::filesystem::path growing_beside(const std::filesystem::path& output);

class growing {
  public:
    /// Creates it empty and removes what an earlier run left there, without opening or following
    /// it.
    /// @throws carat::error(invalid_argument) if it cannot be made.
    explicit growing(std::filesystem::path path);
    growing(growing&&) = default;
    growing& operator=(growing&&) = default;

    /// Appends the line and a newline.
    /// @throws carat::error(invalid_argument) and leaves the file as it was.
    void append(std::string_view line);

    void remove();

  private:
    std::filesystem::path path_;
    handle file_;
    std::int64_t size_ = 0;
    std::chrono::steady_clock::time_point settled_;
};

}  // namespace carat::files
