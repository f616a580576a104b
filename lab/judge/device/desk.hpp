// Where matrices of a judgement lie in a GPU's memory, and what the referee does to them there:
// draws them into an image that only it has, copies that to what the target's process shares, and
// compares. Kernels are plain and share nothing with those that are judged. All of it goes to the
// GPU in use and is done on return; failures are carat::error.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/problem.hpp"
#include "lab/judge/device/door.hpp"

namespace carat::judge {

// Bytes of a matrix: rows that do not touch.
struct device_rows {
    std::int64_t offset, pitch, width, height;
};

class desk {
  public:
    explicit desk(std::int64_t size_bytes);
    desk(const desk&) = delete;
    desk& operator=(const desk&) = delete;
    ~desk();

    [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] carat_door door() const;
    [[nodiscard]] char* image() const;           // as drawn
    [[nodiscard]] const char* snapshot() const;  // C when the stream was done

    // Guard words everywhere, the same as host memory has.
    void draw_guards(std::uint64_t seed);
    // Uniform in [-most, most); of integers the whole numbers from -most to most - 1.
    void draw(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where, char* to,
              double most, std::uint64_t seed);
    // To where the target looks; the snapshot's bytes become none of a result.
    void publish();

    // What the target is given as it is now, in memory that it can't reach.
    void remember();

    // The first byte that differs, -1: none. Of `c` from its snapshot and from what was remembered;
    // elsewhere from the image.
    [[nodiscard]] std::int64_t changed_since_snapshot(std::span<const device_rows> c);
    [[nodiscard]] std::int64_t changed_outside(std::span<const device_rows> c);

    void download(void* to, const char* from, std::int64_t bytes) const;

    struct room {
        std::int64_t free_bytes, total_bytes;
    };
    [[nodiscard]] static room memory();

  private:
    [[nodiscard]] std::int64_t first_difference(const char* a, const char* b) const;

    struct buffers;
    std::int64_t size_bytes_;
    std::unique_ptr<buffers> own_;
};

// The stream on which implementations of the catalogue run in this process.
[[nodiscard]] void* stream_of_products();

}  // namespace carat::judge
