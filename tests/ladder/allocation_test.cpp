// A prepared product allocates nothing: run() is the product alone.
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "ladder/cpu/table.hpp"
#include "tests/ladder/multiplication.hpp"

namespace {
std::atomic<int> allocations = 0;
}

// The program's own operator new, which counts. The library allocates in no other way but through
// space::host_space(), which only constructors of steps call.
void* operator new(std::size_t size_bytes) {
    ++allocations;
    if (void* memory = std::malloc(size_bytes)) return memory;
    throw std::bad_alloc();
}
// Inlined at -O1, free() is taken by GCC 12 for the wrong end of what operator new returned.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

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
