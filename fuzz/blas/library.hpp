// A BLAS opened as a file, with its routines by name.
#pragma once

#include <cstdint>
#include <string>

namespace carat::fuzz {

class blas_library {
  public:
    // Null if none of the files, separated by colons, can be opened.
    explicit blas_library(const std::string& files);

    // The same library under other names: those of wheels, or with 64-bit integers.
    [[nodiscard]] blas_library named(const std::string& prefix, const std::string& suffix) const;

    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
    // Whether this program's error handler replaces its own.
    [[nodiscard]] bool complains_here() const { return suffix_.empty(); }
    [[nodiscard]] void* find(const std::string& name) const;
    [[nodiscard]] const std::string& file() const { return file_; }

  private:
    void* handle_ = nullptr;
    std::string file_;
    std::string prefix_;
    std::string suffix_;
};

// The last report to this program's xerbla_, which both libraries call.
struct complaint {
    std::string routine;
    std::int64_t position = 0;

    bool operator==(const complaint&) const = default;
};
complaint take_complaint();

}  // namespace carat::fuzz
