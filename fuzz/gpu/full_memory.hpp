// Nearly full memory: one thread takes it all, and meanwhile calls of the others may be refused.
#pragma once

#include <cstddef>
#include <cstdint>

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
    explicit operator bool() const { return memory_ != nullptr; }

  private:
    void* memory_ = nullptr;
};

// Whether memory may have been full at some time since this was made.
class memory_watch {
  public:
    memory_watch();
    [[nodiscard]] bool was_full() const;

  private:
    std::uint64_t since_;
};

}  // namespace carat::fuzz
