// Memory and a clock: what the laboratory needs of a device to fill operands, run products on them
// and time what ran. The CPU's is here, a GPU's in cuda/. Nothing here knows a GEMM.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace carat::space {

class execution_space {
  public:
    execution_space() = default;
    execution_space(const execution_space&) = delete;
    execution_space& operator=(const execution_space&) = delete;
    virtual ~execution_space() = default;

    // At least 64-byte aligned, not cleared. Throws carat::error(out_of_memory).
    [[nodiscard]] virtual void* allocate(std::size_t size_bytes) = 0;
    virtual void deallocate(void* memory) noexcept = 0;
    virtual void upload(void* target, const void* host, std::size_t size_bytes) = 0;
    virtual void download(void* host, const void* source, std::size_t size_bytes) = 0;
    // Returns when all work started here is done.
    virtual void wait() {}
    // Locks host memory to its place, so that copies between it and here need no staging buffer;
    // nothing where there are no copies. Throws carat::error when the memory can't be locked.
    virtual void pin(void* /*host*/, std::size_t /*size_bytes*/) {}
    virtual void unpin(void* /*host*/) noexcept {}
    [[nodiscard]] virtual std::size_t available_bytes() const = 0;
    // Of the largest cache before this memory; 0 where the machine description knows better.
    [[nodiscard]] virtual std::size_t cache_bytes() const { return 0; }

    // Seconds from before the first to after the last of the work that `work` starts, measured on
    // the device's own clock and including its completion.
    [[nodiscard]] virtual double time_s(const std::function<void()>& work) = 0;
};

[[nodiscard]] execution_space& host_space();

// Memory of a space, given back at the end of its scope.
class buffer {
  public:
    buffer() = default;
    buffer(execution_space& space, std::size_t size_bytes)
        : memory_(space.allocate(size_bytes), release{&space}), size_bytes_(size_bytes) {}

    [[nodiscard]] void* data() const { return memory_.get(); }
    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  private:
    // No default member initializer: with one, buffer() above could not be instantiated.
    struct release {
        execution_space* space;
        void operator()(void* memory) const noexcept { space->deallocate(memory); }
    };
    std::unique_ptr<void, release> memory_;
    std::size_t size_bytes_ = 0;
};

// Host memory locked for copies to and from a space, until the end of its scope.
class page_lock {
  public:
    page_lock(execution_space& space, void* host, std::size_t size_bytes)
        : host_(pinned(space, host, size_bytes), release{&space}) {}

  private:
    static void* pinned(execution_space& space, void* host, std::size_t size_bytes) {
        space.pin(host, size_bytes);
        return host;
    }

    struct release {
        execution_space* space;
        void operator()(void* host) const noexcept { space->unpin(host); }
    };
    std::unique_ptr<void, release> host_;
};

}  // namespace carat::space
