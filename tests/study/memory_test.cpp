// A layer that there is no memory for is not run and says so, as a case of carat bench is.
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "lab/study/study.hpp"

namespace {

bool large_ones_fail = false;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return large_ones_fail && size >= 1 << 16 ? nullptr : std::malloc(size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    void* const memory = operator new(size, std::nothrow);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace {

using namespace carat;

TEST(workloads, layers_without_memory_are_not_run) {
    study::chapter c;
    study::options quick;
    quick.how_much = study::extent::quick;
    large_ones_fail = true;
    EXPECT_NO_THROW(study::workloads.add(c, quick, [] { return false; }));
    large_ones_fail = false;
    ASSERT_FALSE(c.not_run.empty());
    for (const std::string& line : c.not_run)
        EXPECT_TRUE(line.ends_with(": std::bad_alloc")) << line;
}

}  // namespace
