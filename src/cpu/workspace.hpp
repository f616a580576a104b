// Memory for packed operands: it grows on demand, is kept for the next product, and is freed with
// its owner. Each calling thread has its own, so callers neither wait nor race.
#pragma once

#include <cstddef>
#include <memory>

#include "core/memory.hpp"

namespace carat::cpu_engine {

class workspace {
  public:
    // Returns at least size_bytes, on a page of its own; previous contents are lost. Throws
    // carat::error(out_of_memory) and then holds nothing.
    [[nodiscard]] std::byte* reserve(std::size_t size_bytes);

    // Frees the memory if there is more of it than a thread should keep between calls.
    void trim() noexcept;

    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  private:
    // Returns memory to its allocator.
    struct release {
        core::allocator from;
        std::size_t size_bytes;
        void operator()(std::byte* memory) const noexcept;
    };
    std::unique_ptr<std::byte, release> memory_{nullptr, release{}};
    std::size_t size_bytes_ = 0;
};

// The calling thread's own workspace, which keeps at most 64 MiB between calls.
[[nodiscard]] workspace& thread_workspace();

// This many bytes of the calling thread's workspace, for one call; none if it needs none.
class call_memory {
  public:
    explicit call_memory(std::size_t size_bytes)
        : own_(size_bytes == 0 ? nullptr : &thread_workspace()),
          data_(own_ == nullptr ? nullptr : own_->reserve(size_bytes)) {}
    call_memory(const call_memory&) = delete;
    call_memory& operator=(const call_memory&) = delete;
    ~call_memory() {
        if (own_ != nullptr) own_->trim();
    }

    [[nodiscard]] std::byte* data() const { return data_; }

  private:
    workspace* own_;
    std::byte* data_;
};

}  // namespace carat::cpu_engine
