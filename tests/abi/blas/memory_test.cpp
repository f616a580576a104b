// All memory is gone: products are computed in parts that need none, since a BLAS cannot report it.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

#include "fuzz/own_new.hpp"
#include "interface.hpp"

namespace {

// Limits the thread under test.
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
thread_local std::size_t most_bytes = unlimited;
thread_local int failures = 0;

bool refused(std::size_t size) {
    if (size <= most_bytes) return false;
    ++failures;
    return true;
}

}  // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CARAT_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CARAT_SANITIZED 1
#endif

#if defined(CARAT_SANITIZED)

// Sanitizers need malloc; the library then calls this operator new, as a shared one.
namespace {

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    return refused(size) ? nullptr : carat::test::aligned_memory(size, alignment);
}

}  // namespace

CARAT_OWN_NEW(allocate, std::free)

#else

// The library has its own operator new, which calls these. Other libraries, such as those for
// threads, end a process that gets no memory.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);

namespace {

bool refused_to(const void* caller, std::size_t size) {
    Dl_info from{};
    if (size <= most_bytes || dladdr(caller, &from) == 0) return false;
    const bool ours = std::strstr(from.dli_fname, "libcarat_blas") != nullptr ||
                      std::strstr(from.dli_fname, "libstdc++") != nullptr;
    return ours && refused(size);
}

}  // namespace

extern "C" void* malloc(std::size_t size) {
    return refused_to(__builtin_return_address(0), size) ? nullptr : __libc_malloc(size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return refused_to(__builtin_return_address(0), size) ? nullptr
                                                         : __libc_memalign(alignment, size);
}

#endif

namespace carat::blas::tested {

namespace {

// More than any L2 holds: smaller operands are not packed and need no memory.
constexpr integer n = 900;

std::vector<double> whole_numbers(int from) {
    std::vector<double> x(static_cast<std::size_t>(n * n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>((i + i / 7) % 5) + from;
    return x;
}

void multiply(const double* a, const double* b, double* c) {
    gemm<double>(language::fortran, 'T', 'N', n, n, n, 1, a, n, b, n, 1, c, n);
}

// Runs in a fresh thread, which has no memory from an earlier product and gets none in pieces of
// more than `left` bytes.
template <class Call>
int failures_with(std::size_t left, const Call& call) {
    int count = 0;
    std::thread([&] {
        most_bytes = left;
        call();
        most_bytes = unlimited;
        count = failures;
    }).join();
    return count;
}

TEST(memory, products_need_none) {
    const std::vector<double> a = whole_numbers(-2);
    const std::vector<double> b = whole_numbers(-1);
    const std::vector<double> before = whole_numbers(0);
    std::vector<double> wanted = before;
    multiply(a.data(), b.data(), wanted.data());
    for (const std::size_t left : {std::size_t{0}, std::size_t{4096}}) {
        std::vector<double> c = before;
        EXPECT_GE(failures_with(left, [&] { multiply(a.data(), b.data(), c.data()); }), 1);
        EXPECT_EQ(c, wanted) << left;
    }
}

TEST(memory, a_c_that_overlaps_an_operand_ends_with_the_reason) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    std::vector<double> a = whole_numbers(-2);
    EXPECT_DEATH(failures_with(4096, [&] { multiply(a.data(), a.data(), a.data()); }),
                 "carat_blas: no memory for a copy of C");
}

}  // namespace

}  // namespace carat::blas::tested
