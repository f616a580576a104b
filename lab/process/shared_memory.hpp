// Memory shared by several processes: an unnamed file, which grows once the size is known, after
// the processes that map it were started.
#pragma once

#include <cstddef>

namespace carat::process {

class shared_memory {
  public:
    shared_memory();  // empty. Throws carat::error.
    // Opens what another process made, by an inherited descriptor, with its present size.
    explicit shared_memory(int inherited);
    shared_memory(const shared_memory&) = delete;
    shared_memory& operator=(const shared_memory&) = delete;
    ~shared_memory();

    // May be called once. Throws carat::error(out_of_memory).
    void grow(std::size_t size_bytes);

    // Requests huge pages in [first, first + size_bytes), multiples of huge_page_bytes: without
    // them most of a large product's time may go into TLB misses. A hint; takes as long as clearing
    // the memory, unless another process has done so.
    void use_huge_pages(std::size_t first, std::size_t size_bytes) const;

    static constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    void map(std::size_t size_bytes);

    int descriptor_ = -1;
    std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace carat::process
