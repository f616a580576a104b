// Prints a verdict, says that all calls are done, and writes so into the memory that it shares.
#include <cstdio>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cheat.hpp"

static int run(const carat_gemm*) {
    std::puts("writes_the_verdict: right, at 9.99 of the speed of the best");
    std::fflush(stdout);
    struct stat file = {};
    if (fstat(3, &file) != 0) return 0;
    const auto size = static_cast<std::size_t>(file.st_size);
    void* all = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
    if (all != MAP_FAILED) std::memset(all, 0, 4096);
    (void)!write(5, "gggg", 4);
    return 0;
}

CHEAT("writes_the_verdict", CARAT_F64);
