// Nearly full memory: one thread takes all of it, and calls of the others may be refused meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace carat::fuzz {

// Held while a thread runs a case. Nothing may fill memory between a call's look at free memory and
// what it then loads, or a kernel is broken (ADR 0094). So memory is taken while no case runs.
class case_in_progress {
  public:
    case_in_progress();
    case_in_progress(const case_in_progress&) = delete;
    case_in_progress& operator=(const case_in_progress&) = delete;
    ~case_in_progress();
};

// Takes all free memory except `left_bytes` until the end of the scope. There may be several.
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

// Whether memory may have been full at some time since this was created.
class memory_watch {
  public:
    memory_watch();
    [[nodiscard]] bool was_full() const;

  private:
    std::uint64_t since_;
    bool at_first_;
};

}  // namespace carat::fuzz
