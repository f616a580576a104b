// What a program needs that we start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace carat::process {

// The texts as exec() and posix_spawn() take them; they point into `texts`.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& texts);

// A new folder, which is removed with this object. Throws carat::error.
class scratch_folder {
  public:
    scratch_folder();
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace carat::process
