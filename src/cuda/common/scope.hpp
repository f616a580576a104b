// A call that was given its device and its stream. While such a scope lives, device_in_use() and
// stream_in_use() are the caller's on this thread, and memory that products need while they run is
// taken and given back in the order of that stream. Nothing waits for the GPU, so that calls on
// several streams run side by side and a stream that is captured into a graph captures them.
#pragma once

#include <array>
#include <cstddef>

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace carat::cuda {

/// Gives the system back what calls were lent and no work uses any more.
void give_back_unused(int device);

class call_scope {
  public:
    static constexpr int current_device = -1;

    /// `device` of current_device: the calling thread's. Makes it current until the scope's end.
    /// @throws carat::error(unsupported) with the reason unavailable() gives.
    call_scope(int device, CUstream_st* stream);
    call_scope(const call_scope&) = delete;
    call_scope& operator=(const call_scope&) = delete;
    ~call_scope();

    /// This thread's innermost scope; null outside of calls.
    [[nodiscard]] static call_scope* innermost();

    [[nodiscard]] int device() const { return device_; }
    [[nodiscard]] CUstream_st* stream() const { return stream_; }
    [[nodiscard]] bool is_captured() const;  // into a graph

    /// Memory for the work that this scope starts, `size_bytes` for each `owner`; later work of the
    /// same owner finds the same memory.
    /// @throws carat::error(out_of_memory).
    [[nodiscard]] void* lend(const void* owner, std::size_t size_bytes);

    /// The same of memory that is all 0, and that its users leave so. Streams keep a little of it,
    /// each its own, so that nothing has to be cleared; in a graph it is, each time.
    /// @throws carat::error(out_of_memory).
    [[nodiscard]] void* lend_zeros(const void* owner, std::size_t size_bytes);

  private:
    struct loan {
        const void* owner;
        void* memory;
    };
    // A batch may need plans for A and B aligned or not, with gates on the way and after it: eight,
    // each with both packed, what it counts in meanwhile, sums on their way, their flags and those
    // that a pass reads.
    static constexpr std::size_t most_loans = 48;

    // Builds without CUDA have no use for some of them.
    int device_;
    [[maybe_unused]] int device_before_;
    CUstream_st* stream_;
    [[maybe_unused]] call_scope* outer_;
    [[maybe_unused]] std::array<loan, most_loans> loans_;
    [[maybe_unused]] std::size_t loan_count_ = 0;
};

}  // namespace carat::cuda
