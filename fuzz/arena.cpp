#include "arena.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <sys/mman.h>

namespace carat::fuzz {

namespace {

constexpr std::size_t page_bytes = 4096;

std::byte* map_forbidden(std::size_t size_bytes) {
    void* const mapped =
        mmap(nullptr, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::byte*>(mapped);
}

}  // namespace

arena::~arena() {
    release();
}

void arena::release() {
    if (first_ != nullptr) munmap(first_ - page_bytes, size_bytes_ + 2 * page_bytes);
    first_ = nullptr;
}

void arena::grow(std::size_t size_bytes) {
    release();
    size_bytes_ = std::bit_ceil(std::max(size_bytes, std::size_t{1} << 16));
    first_ = map_forbidden(size_bytes_ + 2 * page_bytes) + page_bytes;
    if (mprotect(first_, size_bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

std::byte* arena::place(std::size_t size_bytes, flush side, std::size_t offset_bytes) {
    const std::size_t needed = size_bytes + offset_bytes;
    if (needed > size_bytes_ || first_ == nullptr) grow(needed);
    return side == flush::front ? first_ + offset_bytes : end() - needed;
}

std::byte* forbidden_place() {
    constexpr std::size_t all_bytes = std::size_t{1} << 36;
    static std::byte* const place = map_forbidden(all_bytes) + all_bytes / 2;
    return place;
}

}  // namespace carat::fuzz
