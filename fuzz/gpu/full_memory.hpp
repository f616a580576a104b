// Nearly full memory: one thread takes it all, and meanwhile calls of the others may be refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carat::fuzz {

// Held while a thread runs a case. Between a call's look at free memory and what it then loads
// nothing may fill memory, or a kernel is spoilt (ADR 0094): memory is taken while no case runs,
// and cases go on when it is.
class case_in_progress {
  public:
    case_in_progress();
    case_in_progress(const case_in_progress&) = delete;
    case_in_progress& operator=(const case_in_progress&) = delete;
    ~case_in_progress();
};

// In a case: all of the memory that is free but `left_bytes`, until the end of the scope; of which
// there may be several.
class taken_memory {
  public:
    explicit taken_memory(std::size_t left_bytes);
    taken_memory(const taken_memory&) = delete;
    taken_memory& operator=(const taken_memory&) = delete;
    ~taken_memory();

    // Whether there was something to take.
    explicit operator bool() const { return !pieces_.empty(); }

  private:
    void take_all_but(std::size_t left_bytes);
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
