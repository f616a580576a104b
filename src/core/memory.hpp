// The allocator for packed operands: operator new, or the program's own.
#pragma once

#include <cstddef>

namespace carat::core {

// `allocate` returns null if there is no memory; neither function throws.
struct allocator {
    void* (*allocate)(void* context, std::size_t size_bytes, std::size_t alignment);
    void (*release)(void* context, void* memory, std::size_t size_bytes, std::size_t alignment);
    void* context;
};

// Sets the allocator for later allocations; existing memory returns to where it came from. Must not
// be called while another thread multiplies.
void set_allocator(const allocator& from);
[[nodiscard]] allocator current_allocator();

// operator new and delete.
[[nodiscard]] allocator usual_allocator();

}  // namespace carat::core
