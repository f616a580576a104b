// Text put together and read without the standard library's streams: these bring its locales along,
// which a program that preloads the BLAS would set up whether it multiplies or not.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace carat::core {

// Written to as a stream is: words and whole numbers.
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

// The first word of a short file (up to 4 KiB, as all of /sys are) of a folder that is open; empty
// where there is none.
[[nodiscard]] std::string first_word(int folder, const std::string& path);

}  // namespace carat::core
