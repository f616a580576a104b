// The same with a process, which isn't stopped with its parent and ends before it is looked for.
#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

#include "cheat.hpp"

namespace {

carat_gemm first = {};
double* ahead = nullptr;

int supports(const carat_gemm* g) {
    if (first.a != nullptr) return 1;
    first = *g;
    const auto bytes = static_cast<std::size_t>(g->m * g->n) * sizeof(double);
    void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 0;
    ahead = static_cast<double*>(shared);
    std::signal(SIGCHLD, SIG_IGN);
    if (fork() != 0) return 1;
    const auto* a = static_cast<const volatile double*>(g->a);
    for (const double before = *a; *a == before;) usleep(10);
    carat_gemm mine = *g;
    mine.c = ahead;
    mine.ldc = g->n;
    honest(mine);
    _exit(0);
}

int run(const carat_gemm* g) {
    auto* c = static_cast<double*>(g->c);
    if (g->c != first.c || g->m != first.m || g->n != first.n || g->k != first.k)
        honest(*g);
    else
        for (std::int64_t i = 0; i < g->m; ++i)
            std::memcpy(c + i * g->ldc, ahead + i * g->n,
                        static_cast<std::size_t>(g->n) * sizeof(double));
    return 0;
}

}  // namespace

CARAT_KERNEL_EXPORT const carat_kernel carat_kernel_v1 = {
    CARAT_KERNEL_VERSION, "child_works_ahead", CARAT_F64, 0, supports, run};
