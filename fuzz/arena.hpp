// Memory between two inaccessible pages, mapped once and reused by many cases: an overrun at either
// end faults, and canaries show writes elsewhere.
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

    // `size_bytes` of memory, `offset_bytes` away from that end. Earlier addresses become invalid.
    [[nodiscard]] std::byte* place(std::size_t size_bytes, flush side, std::size_t offset_bytes);

    [[nodiscard]] std::byte* begin() const { return first_; }
    [[nodiscard]] std::byte* end() const { return first_ + size_bytes_; }

  private:
    void grow(std::size_t size_bytes);
    void release();

    std::byte* first_ = nullptr;
    std::size_t size_bytes_ = 0;
};

// An address amid inaccessible pages, for what must not be read.
[[nodiscard]] std::byte* forbidden_place();

}  // namespace carat::fuzz
