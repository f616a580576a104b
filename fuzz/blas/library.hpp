// A BLAS opened by its file, and its routines by name.
#pragma once

#include <cstdint>
#include <string>

namespace carat::fuzz {

class blas_library {
  public:
    // Null where none of the files, given with colons between them, opens.
    explicit blas_library(const std::string& files);

    // The same library under other names: of wheels, or with 64-bit integers.
    [[nodiscard]] blas_library named(const std::string& prefix, const std::string& suffix) const;

    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
    // Whether this program's handler of wrong arguments takes the place of its own.
    [[nodiscard]] bool complains_here() const { return suffix_.empty(); }
    [[nodiscard]] void* find(const std::string& name) const;
    [[nodiscard]] const std::string& file() const { return file_; }

  private:
    void* handle_ = nullptr;
    std::string file_;
    std::string prefix_;
    std::string suffix_;
};

// What xerbla_ of this program, which both libraries call, was told last.
struct complaint {
    std::string routine;
    std::int64_t position = 0;

    bool operator==(const complaint&) const = default;
};
complaint take_complaint();

}  // namespace carat::fuzz
