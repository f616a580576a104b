#include "lab/judge/memory.hpp"

#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <carat/error.hpp>

namespace carat::judge {

shared_memory::shared_memory(std::int64_t size_bytes)
    : size_bytes_(size_bytes), file_(memfd_create("carat-judge", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    const auto fail = [&] {
        const std::string why = std::strerror(errno);
        if (file_ >= 0) close(file_);
        throw error(error_code::out_of_memory,
                    fmt::format("{} MiB to share with the target can't be had: {}: choose a "
                                "smaller size",
                                size_bytes >> 20, why));
    };
    if (file_ < 0 || ftruncate(file_, size_bytes) != 0) fail();
    if (fcntl(file_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail();
    void* mapped = mmap(nullptr, static_cast<std::size_t>(size_bytes), PROT_READ | PROT_WRITE,
                        MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) fail();
    data_ = static_cast<char*>(mapped);
}

shared_memory::~shared_memory() {
    munmap(data_, static_cast<std::size_t>(size_bytes_));
    close(file_);
}

}  // namespace carat::judge
