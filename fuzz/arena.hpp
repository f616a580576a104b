// Memory between two forbidden pages, mapped once and used for many cases: whatever lies flush with
// one of its ends can't be overrun there, and a canary shows what is written elsewhere.
#pragma once

#include <cstddef>

namespace carat::fuzz {

enum class flush { front, back };

class arena {
  public:
    arena() = default;
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena();

    // `size_bytes` of it, `offset_bytes` away from that end. Earlier places are invalid afterwards.
    [[nodiscard]] std::byte* place(std::size_t size_bytes, flush side, std::size_t offset_bytes);

    [[nodiscard]] std::byte* begin() const { return first_; }
    [[nodiscard]] std::byte* end() const { return first_ + size_bytes_; }

  private:
    void grow(std::size_t size_bytes);
    void release();

    std::byte* first_ = nullptr;
    std::size_t size_bytes_ = 0;
};

// An address in the middle of pages that can't be touched, for what must not be read.
[[nodiscard]] std::byte* forbidden_place();

}  // namespace carat::fuzz
