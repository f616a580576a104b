// A layer that there is no memory for is not run and says so, as a case of carat bench is.
#include <gtest/gtest.h>

#include "fuzz/own_new.hpp"
#include "lab/study/study.hpp"

namespace {

bool large_ones_fail = false;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    return large_ones_fail && size >= 1 << 16 ? nullptr
                                              : carat::test::aligned_memory(size, alignment);
}

}  // namespace

CARAT_OWN_NEW(allocate, std::free)

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
