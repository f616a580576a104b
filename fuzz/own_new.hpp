// A program's own operator new and delete in every form, for tests that count or fail allocations.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace carat::test {

inline void* aligned_memory(std::size_t size, std::size_t alignment) noexcept {
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

}  // namespace carat::test

// `allocate` gets a size and an alignment, and is null where it fails; `release` takes null, too.
// Inlined, std::free is taken by GCC 12 for the wrong end of what operator new returned.
#define CARAT_OWN_NEW(allocate, release)                                                           \
    void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {     \
        return allocate(size, static_cast<std::size_t>(a));                                        \
    }                                                                                              \
    void* operator new(std::size_t size, const std::nothrow_t&) noexcept {                         \
        return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);                                   \
    }                                                                                              \
    void* operator new(std::size_t size, std::align_val_t a) {                                     \
        if (void* const memory = allocate(size, static_cast<std::size_t>(a))) return memory;       \
        throw std::bad_alloc();                                                                    \
    }                                                                                              \
    void* operator new(std::size_t size) {                                                         \
        return ::operator new (size, std::align_val_t{__STDCPP_DEFAULT_NEW_ALIGNMENT__});          \
    }                                                                                              \
    void* operator new[](std::size_t size) {                                                       \
        return ::operator new(size);                                                               \
    }                                                                                              \
    [[gnu::noinline]] void operator delete(void* memory) noexcept {                                \
        release(memory);                                                                           \
    }                                                                                              \
    [[gnu::noinline]] void operator delete[](void* memory) noexcept {                              \
        release(memory);                                                                           \
    }                                                                                              \
    [[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {                   \
        release(memory);                                                                           \
    }                                                                                              \
    [[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {                 \
        release(memory);                                                                           \
    }                                                                                              \
    [[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {              \
        release(memory);                                                                           \
    }                                                                                              \
    [[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { \
        release(memory);                                                                           \
    }
