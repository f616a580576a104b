// Nearly full memory: one thread takes it all, and meanwhile calls of the others may be refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carat::fuzz {

// All of the memory that is free but `left_bytes`, until the end of the scope; of which there may
// be several.
class taken_memory {
  public:
    explicit taken_memory(std::size_t left_bytes);
    taken_memory(const taken_memory&) = delete;
    taken_memory& operator=(const taken_memory&) = delete;
    ~taken_memory();

    // Whether there was something to take.
    explicit operator bool() const { return !pieces_.empty(); }

  private:
    void take(std::size_t piece_bytes, std::size_t left_bytes);

    std::vector<void*> pieces_;
};

// Whether memory may have been full at some time since this was made.
class memory_watch {
  public:
    memory_watch();
    [[nodiscard]] bool was_full() const;

  private:
    std::uint64_t since_;
    bool at_first_;
};

}  // namespace carat::fuzz
