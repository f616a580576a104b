#include "tests/support/guarded.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace carat::test {

namespace {

// Bytes behind what begins at a page: QEMU 7.2 reads all 32 bytes of a masked load, a processor
// only the masked ones.
constexpr std::size_t behind = 64;

// Read by the signal handler, so nothing but bytes.
std::array<char, 1024> description;
std::size_t description_size = 0;

void on_fault(int signal) {
    constexpr char prefix[] = "\nAccess outside the operands (or inside forbidden ones) by: ";
    static_cast<void>(!write(STDERR_FILENO, prefix, sizeof prefix - 1));
    static_cast<void>(!write(STDERR_FILENO, description.data(), description_size));
    static_cast<void>(!write(STDERR_FILENO, "\n", 1));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

guarded_block::guarded_block(std::size_t size_bytes, flush side, std::size_t offset_bytes)
    : middle_((size_bytes + offset_bytes + behind + page_bytes) / page_bytes * page_bytes) {
    void* mapped =
        mmap(nullptr, middle_ + 2 * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(mapped);
    mprotect(base_ + page_bytes, middle_, PROT_READ | PROT_WRITE);
    std::ranges::fill(accessible(), std::byte{0xff});
    data_ = side == flush::front ? base_ + page_bytes + offset_bytes
                                 : base_ + page_bytes + middle_ - offset_bytes - size_bytes;
}

guarded_block::~guarded_block() {
    munmap(base_, middle_ + 2 * page_bytes);
}

void guarded_block::forbid() const {
    mprotect(base_ + page_bytes, middle_, PROT_NONE);
}

void describe_for_crash(const std::string& what) {
    static const bool installed = [] {
        std::signal(SIGSEGV, on_fault);
        std::signal(SIGBUS, on_fault);
        return true;
    }();
    static_cast<void>(installed);
    description_size = std::min(what.size(), description.size());
    std::memcpy(description.data(), what.data(), description_size);
}

}  // namespace carat::test
