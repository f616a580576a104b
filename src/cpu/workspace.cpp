#include "cpu/workspace.hpp"

#include <string>
#include <sys/mman.h>

#include <carat/error.hpp>

#include "core/per_thread.hpp"

namespace carat::cpu_engine {

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

core::per_thread<workspace> of_threads;

}  // namespace

void workspace::release::operator()(std::byte* memory) const noexcept {
    from.release(from.context, memory, size_bytes, huge_page_bytes);
}

std::byte* workspace::reserve(std::size_t size_bytes) {
    if (size_bytes <= size_bytes_) return memory_.get();
    memory_.reset();
    size_bytes_ = 0;
    const std::size_t rounded = (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
    const core::allocator from = core::current_allocator();
    memory_ = {static_cast<std::byte*>(from.allocate(from.context, rounded, huge_page_bytes)),
               release{from, rounded}};
    if (memory_ == nullptr)
        throw error(error_code::out_of_memory, "matrix_product: no memory for a workspace of " +
                                                   std::to_string(size_bytes) +
                                                   " bytes; C is unchanged");
    size_bytes_ = rounded;
    // Only a hint: large pages save most TLB misses of packed panels.
    if (rounded >= huge_page_bytes)
        madvise(memory_.get(), rounded / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE);
    return memory_.get();
}

void workspace::trim() noexcept {
    if (size_bytes_ <= most_kept_bytes) return;
    memory_.reset();
    size_bytes_ = 0;
}

workspace& thread_workspace() {
    if (workspace* const own = of_threads.get(); own != nullptr) return *own;
    throw error(error_code::out_of_memory,
                "matrix_product: no memory for a thread's workspace; C is unchanged");
}

}  // namespace carat::cpu_engine
