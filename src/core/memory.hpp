// Where memory for packed operands comes from: operator new, or what a program gives instead.
#pragma once

#include <cstddef>

namespace carat::core {

// `allocate` returns null where there is nothing left, and neither throws.
struct allocator {
    void* (*allocate)(void* context, std::size_t size_bytes, std::size_t alignment);
    void (*release)(void* context, void* memory, std::size_t size_bytes, std::size_t alignment);
    void* context;
};

// Of memory that is taken from now on: what is held goes back where it came from. Not while another
// thread multiplies.
void set_allocator(const allocator& from);
[[nodiscard]] allocator current_allocator();

// operator new and delete.
[[nodiscard]] allocator usual_allocator();

}  // namespace carat::core
