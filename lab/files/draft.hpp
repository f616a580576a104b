// A file in the making, under an unpredictable name in the folder of the file that it will replace.
// It never opens, follows or destroys what exists there, and removes an unfinished draft.
#pragma once

#include <filesystem>
#include <string_view>

#include "files/handle.hpp"

namespace carat::files {

/// Returns false with the reason in errno if the file does not take all of it.
bool write_all(const handle& file, std::string_view text);

enum class onto { anything, nothing };

class draft {
  public:
    /// Has the permissions of the file that `target` is, or those of a new one.
    explicit draft(std::filesystem::path target);
    draft(const draft&) = delete;
    draft& operator=(const draft&) = delete;
    ~draft();

    // Returns false with the reason in errno if the draft could not be made or an earlier step
    // failed.
    bool write(std::string_view text);
    /// Writes it to the disk, so that no loss of power leaves a name without its contents.
    bool settle();
    /// Locks the file against other runs from the moment it has its name (see output.hpp).
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
