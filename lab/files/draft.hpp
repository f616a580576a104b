// A file in the making: under a name that nobody can foresee, in the folder of the file whose place
// it takes once it is whole. Nothing that lies there is opened, followed or destroyed, and what is
// not finished is removed.
#pragma once

#include <filesystem>
#include <string_view>

#include "files/handle.hpp"

namespace carat::files {

enum class onto { anything, nothing };

class draft {
  public:
    /// With the permissions of the file that `target` is, or those of a new one.
    explicit draft(std::filesystem::path target);
    draft(const draft&) = delete;
    draft& operator=(const draft&) = delete;
    ~draft();

    // False, with the reason in errno, where the draft could not be made or an earlier step failed.
    bool write(std::string_view text);
    /// To the disk, so that no loss of power leaves a name without its contents.
    bool settle();
    /// Holds the file against other runs from the moment it has its name (see output.hpp).
    bool lock();
    /// onto::nothing: fails with EEXIST where there is a file by now.
    bool take_place(onto what = onto::anything);

    /// The file, once it has taken its place.
    [[nodiscard]] handle release() { return std::move(file_); }

  private:
    std::filesystem::path target_, name_;
    handle file_;
};

}  // namespace carat::files
