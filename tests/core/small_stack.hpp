// Measures the stack of a call: it runs in a thread whose stack was filled with a pattern, and
// whatever lost the pattern was used. And the fixture for tests of the limit in docs/library.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace carat::test {

// Frames of instrumented code are several times as large.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool stack_is_ordinary = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool stack_is_ordinary = false;
#else
inline constexpr bool stack_is_ordinary = true;
#endif
#else
inline constexpr bool stack_is_ordinary = true;
#endif
inline constexpr const char* no_ordinary_stack = "sanitizers enlarge every frame";

// A stack with an inaccessible page below it.
class small_stack {
  public:
    explicit small_stack(std::size_t size_bytes) : size_bytes_(size_bytes) {
        void* const mapped = mmap(nullptr, page_bytes + size_bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED || mprotect(mapped, page_bytes, PROT_NONE) != 0)
            throw std::runtime_error("no memory for a stack");
        lowest_ = static_cast<std::byte*>(mapped) + page_bytes;
    }
    small_stack(const small_stack&) = delete;
    small_stack& operator=(const small_stack&) = delete;
    ~small_stack() { munmap(lowest_ - page_bytes, page_bytes + size_bytes_); }

    // Bytes of stack that `call` used, from the thread's first function on.
    template <class Call>
    std::size_t used_by(const Call& call) {
        std::memset(lowest_, pattern, size_bytes_);
        struct {
            const Call* call;
            std::byte* top;
        } start{&call, nullptr};
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_t thread{};
        const bool started = pthread_attr_setstack(&attributes, lowest_, size_bytes_) == 0 &&
                             pthread_create(
                                 &thread, &attributes,
                                 [](void* given) -> void* {
                                     auto& of = *static_cast<decltype(start)*>(given);
                                     of.top = static_cast<std::byte*>(__builtin_frame_address(0));
                                     (*of.call)();
                                     return nullptr;
                                 },
                                 &start) == 0;
        pthread_attr_destroy(&attributes);
        if (!started) throw std::runtime_error("no thread on a small stack");
        pthread_join(thread, nullptr);
        const std::byte* lowest_used = lowest_;
        while (lowest_used < start.top && *lowest_used == std::byte{pattern}) ++lowest_used;
        return static_cast<std::size_t>(start.top - lowest_used);
    }

  private:
    static constexpr std::size_t page_bytes = 4096;
    static constexpr unsigned char pattern = 0xA5;
    std::size_t size_bytes_;
    std::byte* lowest_ = nullptr;
};

class stack_test : public testing::Test {
  protected:
    void SetUp() override {
        if (!stack_is_ordinary) GTEST_SKIP() << no_ordinary_stack;
    }

    template <class Call>
    void expect_little(const std::string& what, const Call& call) {
        constexpr std::size_t promised_bytes = 32 << 10;
        const std::size_t used = stack_.used_by(call);
        EXPECT_LE(used, promised_bytes) << what;
        most_ = std::max(most_, used);
    }

    void TearDown() override { RecordProperty("most_stack_bytes", std::to_string(most_)); }

  private:
    small_stack stack_{64 << 10};
    std::size_t most_ = 0;
};

}  // namespace carat::test
