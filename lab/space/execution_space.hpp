// Memory and a clock: what the laboratory needs of a device to fill operands, run products and time
// them. The CPU's is here, a GPU's in cuda/. Nothing here knows a GEMM.
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

    // Returns uncleared memory, aligned to 64 bytes or more. Throws carat::error(out_of_memory).
    [[nodiscard]] virtual void* allocate(std::size_t size_bytes) = 0;
    virtual void deallocate(void* memory) noexcept = 0;
    virtual void upload(void* target, const void* host, std::size_t size_bytes) = 0;
    virtual void download(void* host, const void* source, std::size_t size_bytes) = 0;
    // Returns when all work started here is done.
    virtual void wait() {}
    // Pins host memory, so that copies between it and the device need no staging buffer; does
    // nothing on a CPU. Throws carat::error if the memory cannot be pinned.
    virtual void pin(void* /*host*/, std::size_t /*size_bytes*/) {}
    virtual void unpin(void* /*host*/) noexcept {}
    [[nodiscard]] virtual std::size_t available_bytes() const = 0;
    // The size of the largest cache of this device; 0 if the machine description knows better.
    [[nodiscard]] virtual std::size_t cache_bytes() const { return 0; }

    // Seconds from the first to the last of the work that `work` starts, completion included, on
    // the device's own clock.
    [[nodiscard]] virtual double time_s(const std::function<void()>& work) = 0;
};

[[nodiscard]] execution_space& host_space();

// Memory of a space, freed at the end of its scope.
class buffer {
  public:
    buffer() = default;
    buffer(execution_space& space, std::size_t size_bytes)
        : memory_(space.allocate(size_bytes), release{&space}), size_bytes_(size_bytes) {}

    [[nodiscard]] void* data() const { return memory_.get(); }
    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  private:
    // Has no default member initializer, since buffer() above could not be instantiated with one.
    struct release {
        execution_space* space;
        void operator()(void* memory) const noexcept { space->deallocate(memory); }
    };
    std::unique_ptr<void, release> memory_;
    std::size_t size_bytes_ = 0;
};

// Pins host memory for copies to and from a space, until the end of its scope.
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
