// A prepared product allocates nothing: run() is the product alone.
#include <atomic>
#include <gtest/gtest.h>

#include "fuzz/own_new.hpp"
#include "ladder/cpu/table.hpp"
#include "tests/ladder/multiplication.hpp"

namespace {
std::atomic<int> allocations = 0;

// The library allocates in no other way but through space::host_space(), which only constructors of
// steps call.
void* counted(std::size_t size, std::size_t alignment) noexcept {
    ++allocations;
    return carat::test::aligned_memory(size, alignment);
}
}  // namespace

CARAT_OWN_NEW(counted, std::free)

namespace {

using namespace carat;

TEST(allocation, none_in_run) {
    int run = 0;
    test::multiplication<double> x(150, 40, 33);
    for (const rows::implementation* entry : ladder::cpu::table()) {
        if (!test::takes<double>(*entry)) continue;
        const auto prepared = entry->prepare(x.problem, test::on_threads(2));
        const int before = allocations;
        prepared->run(x.data());
        EXPECT_EQ(allocations, before) << entry->name;
        ++run;
    }
    EXPECT_EQ(run, 15);
    EXPECT_GT(allocations, 0);
}

}  // namespace
