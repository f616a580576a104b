// A BLAS opened by its file, and its routines by name.
#pragma once

#include <cstdint>
#include <string>

namespace carat::fuzz {

class blas_library {
  public:
    // Null where none of the files, given with colons between them, opens.
    explicit blas_library(const std::string& files);

    [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
    [[nodiscard]] void* find(const std::string& name) const;
    [[nodiscard]] const std::string& file() const { return file_; }

  private:
    void* handle_ = nullptr;
    std::string file_;
};

// What xerbla_ of this program, which both libraries call, was told last.
struct complaint {
    std::string routine;
    std::int64_t position = 0;

    bool operator==(const complaint&) const = default;
};
complaint take_complaint();

}  // namespace carat::fuzz
