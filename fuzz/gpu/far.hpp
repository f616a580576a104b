// Matrices that span more than 2^31 elements of a GPU's memory; the host has their lines close
// together.
#pragma once

#include "fuzz/trials.hpp"
#include "gpu_worker.hpp"

namespace carat::fuzz {

// A copy of one of them on the GPU: pieces are copied to `there`, at their final distance.
class far_lines {
  public:
    // Empty if the case has none, or if its lines or the memory do not suit.
    far_lines(const running& r, device_bytes& there);
    far_lines(const far_lines&) = delete;
    far_lines& operator=(const far_lines&) = delete;
    ~far_lines();

    [[nodiscard]] bool has(const operand& o) const { return o_ == &o; }
    void upload(cudaStream_t stream) const;
    void download(cudaStream_t stream) const;

  private:
    template <class Copy>
    void each_piece(const Copy& copy) const;
    [[nodiscard]] std::byte* reserved(std::size_t size_bytes) const;

    operand* o_ = nullptr;
    device_bytes& there_;
    std::size_t lines_ = 0;
    std::ptrdiff_t apart_bytes_ = 0;      // here
    std::ptrdiff_t far_apart_bytes_ = 0;  // there
};

}  // namespace carat::fuzz
