// Memory between inaccessible pages: an operand ends or begins at a page that faults. All other
// bytes around it are ones, a NaN in every floating-point type, so that reading too much shows in
// C, and writing too much shows in the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carat::test {

enum class flush : std::uint8_t { front, back };

class guarded_block {
  public:
    // The data start `offset_bytes` after the guard page (flush::front), or end that far before one
    // (flush::back).
    guarded_block(std::size_t size_bytes, flush side, std::size_t offset_bytes);
    guarded_block(const guarded_block&) = delete;
    guarded_block& operator=(const guarded_block&) = delete;
    ~guarded_block();

    [[nodiscard]] std::byte* data() const { return data_; }
    // Everything accessible: the data and the ones around it.
    [[nodiscard]] std::span<std::byte> accessible() const { return {base_ + page_bytes, middle_}; }
    // Makes every later access fault.
    void forbid() const;

    static constexpr std::size_t page_bytes = 4096;

  private:
    std::byte* base_;     // of the front guard page
    std::size_t middle_;  // bytes between the guard pages
    std::byte* data_;
};

// What to print if a bad access kills the process from now on.
void describe_for_crash(const std::string& what);

}  // namespace carat::test
