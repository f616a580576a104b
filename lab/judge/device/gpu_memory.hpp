// The judge's matrices in a GPU's memory: they are drawn into a private image, copied to memory
// shared with the target's process, and compared afterwards. The kernels share nothing with the
// judged ones. Functions use the current GPU, return when the work is done, and throw carat::error.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/problem.hpp"
#include "lab/judge/device/channel.hpp"

namespace carat::judge {

// The bytes of a matrix whose rows do not touch.
struct device_rows {
    std::int64_t offset, pitch, width, height;
};

class gpu_memory {
  public:
    explicit gpu_memory(std::int64_t size_bytes);
    gpu_memory(const gpu_memory&) = delete;
    gpu_memory& operator=(const gpu_memory&) = delete;
    ~gpu_memory();

    [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] carat_gpu_channel channel() const;
    [[nodiscard]] char* image() const;           // as drawn
    [[nodiscard]] const char* snapshot() const;  // C when the stream was done

    // Writes guard words everywhere, the same as in host memory.
    void draw_guards(std::uint64_t seed);
    // Draws uniformly from [-most, most); for integers, whole numbers from -most to most - 1.
    void draw(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where, char* to,
              double most, std::uint64_t seed);
    // Copies the image to the target's memory, and fills the snapshot with bytes that are no
    // result.
    void publish();

    // Keeps a private copy of what the target's memory holds now.
    void remember();

    // The offset of the first byte that differs, or -1. The entries of `c` are compared with the
    // snapshot and the private copy, all other bytes with the image.
    [[nodiscard]] std::int64_t changed_since_snapshot(std::span<const device_rows> c);
    [[nodiscard]] std::int64_t changed_outside(std::span<const device_rows> c);

    void download(void* to, const char* from, std::int64_t bytes) const;

    struct capacity {
        std::int64_t free_bytes, total_bytes;
    };
    [[nodiscard]] static capacity memory();

  private:
    [[nodiscard]] std::int64_t first_difference(const char* a, const char* b) const;

    struct buffers;
    std::int64_t size_bytes_;
    std::unique_ptr<buffers> own_;
};

// The stream on which the catalogue's implementations run in this process.
[[nodiscard]] void* stream_of_products();

}  // namespace carat::judge
