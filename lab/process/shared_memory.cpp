#include "lab/process/shared_memory.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <carat/error.hpp>

namespace carat::process {

namespace {

// Linux 6.1 makes huge pages of shared memory on request in spite of shmem_enabled, which is
// "never" on most systems. Older headers lack the name.
constexpr int collapse = 25;

[[noreturn]] void fail(const char* what, std::size_t size_bytes) {
    throw error(error_code::out_of_memory, std::string(what) + ": no shared memory for " +
                                               std::to_string(size_bytes) +
                                               " bytes: " + std::strerror(errno));
}

}  // namespace

shared_memory::shared_memory() : descriptor_(memfd_create("carat", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("memfd_create", 0);
}

shared_memory::shared_memory(int inherited) : descriptor_(inherited) {
    struct stat facts {};
    if (fstat(inherited, &facts) != 0) fail("fstat", 0);
    map(static_cast<std::size_t>(facts.st_size));
}

shared_memory::~shared_memory() {
    if (data_ != nullptr) munmap(data_, size_bytes_);
    if (descriptor_ >= 0) close(descriptor_);
}

void shared_memory::grow(std::size_t size_bytes) {
    if (ftruncate(descriptor_, static_cast<off_t>(size_bytes)) != 0) fail("ftruncate", size_bytes);
    map(size_bytes);
}

// Maps it at an address where huge pages can begin, inside a larger reservation.
void shared_memory::map(std::size_t size_bytes) {
    if (size_bytes == 0) return;
    const std::size_t room = size_bytes + huge_page_bytes;
    void* reserved =
        mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) fail("mmap", size_bytes);
    auto* first = static_cast<std::byte*>(reserved);
    const auto past = reinterpret_cast<std::uintptr_t>(first) % huge_page_bytes;
    const std::size_t before = past == 0 ? 0 : huge_page_bytes - past;
    void* mapped = mmap(first + before, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                        descriptor_, 0);
    if (mapped == MAP_FAILED) fail("mmap", size_bytes);
    if (before != 0) munmap(first, before);
    constexpr std::size_t page_bytes = 4096;
    const std::size_t end = before + (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
    if (end < room) munmap(first + end, room - end);
    data_ = static_cast<std::byte*>(mapped);
    size_bytes_ = size_bytes;
}

void shared_memory::use_huge_pages(std::size_t first, std::size_t size_bytes) const {
    if (madvise(data_ + first, size_bytes, collapse) != 0)
        madvise(data_ + first, size_bytes, MADV_HUGEPAGE);
}

}  // namespace carat::process
