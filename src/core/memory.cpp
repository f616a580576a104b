#include "core/memory.hpp"

#include <new>

namespace carat::core {

namespace {

void* allocate(void* /*context*/, std::size_t size_bytes, std::size_t alignment) {
    return ::operator new (size_bytes, std::align_val_t{alignment}, std::nothrow);
}

void release(void* /*context*/, void* memory, std::size_t /*size_bytes*/, std::size_t alignment) {
    ::operator delete (memory, std::align_val_t{alignment});
}

constinit allocator current = {&allocate, &release, nullptr};

}  // namespace

void set_allocator(const allocator& from) {
    current = from;
}

allocator current_allocator() {
    return current;
}

allocator usual_allocator() {
    return {&allocate, &release, nullptr};
}

}  // namespace carat::core
