#include "lab/space/execution_space.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>

#include <carat/error.hpp>

namespace carat::space {

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

class host final : public execution_space {
  public:
    void* allocate(std::size_t size_bytes) override {
        const std::size_t alignment = size_bytes < huge_page_bytes ? page_bytes : huge_page_bytes;
        const std::size_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
        void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
        if (memory == nullptr)
            throw error(error_code::out_of_memory,
                        "no host memory for " + std::to_string(size_bytes) + " bytes");
        // A hint: it removes most TLB misses, and with them a source of run-to-run variation.
        if (alignment == huge_page_bytes) madvise(memory, rounded, MADV_HUGEPAGE);
        return memory;
    }

    void deallocate(void* memory) noexcept override { std::free(memory); }

    void upload(void* target, const void* source, std::size_t size_bytes) override {
        if (size_bytes != 0) std::memcpy(target, source, size_bytes);
    }

    void download(void* target, const void* source, std::size_t size_bytes) override {
        if (size_bytes != 0) std::memcpy(target, source, size_bytes);
    }

    std::size_t available_bytes() const override {
        std::ifstream meminfo("/proc/meminfo");
        for (std::string key; meminfo >> key;) {
            std::size_t kibibytes = 0;
            if (key == "MemAvailable:" && meminfo >> kibibytes) return kibibytes * 1024;
            meminfo.ignore(256, '\n');
        }
        return 0;
    }

    double time_s(const std::function<void()>& work) override {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        return taken.count();
    }
};

}  // namespace

execution_space& host_space() {
    static host space;
    return space;
}

}  // namespace carat::space
