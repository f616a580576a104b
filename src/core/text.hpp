// Formats and parses text without the standard library's streams. These bring its locales, which a
// program that preloads the BLAS would set up even if it never multiplies.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace carat::core {

// A minimal stream for words and whole numbers.
class text {
  public:
    text& operator<<(std::string_view words) {
        whole_ += words;
        return *this;
    }
    text& operator<<(std::integral auto number) {
        whole_ += std::to_string(number);
        return *this;
    }
    [[nodiscard]] const std::string& str() const { return whole_; }

  private:
    std::string whole_;
};

// The first word of a short file (up to 4 KiB, like all of /sys) in an open folder; empty if there
// is none.
[[nodiscard]] std::string first_word(int folder, const std::string& path);

}  // namespace carat::core
