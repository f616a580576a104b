// Has another thread multiply as soon as it sees new operands of the first call, before it is
// asked.
#include <atomic>
#include <thread>
#include <vector>

#include "cheat.hpp"

namespace {

carat_gemm first = {};
std::vector<double> ahead;
std::atomic<bool> is_done = false;

void watch(carat_gemm g) {
    const auto* a = static_cast<const volatile double*>(g.a);
    for (const double before = *a; *a == before;) std::this_thread::yield();
    g.c = ahead.data();
    g.ldc = g.n;
    honest(g);
    is_done = true;
}

int supports(const carat_gemm* g) {
    if (first.a != nullptr) return 1;
    first = *g;
    ahead.assign(static_cast<std::size_t>(g->m * g->n), 0);
    std::thread(watch, first).detach();
    return 1;
}

int run(const carat_gemm* g) {
    auto* c = static_cast<double*>(g->c);
    if (g->c != first.c || g->m != first.m || g->n != first.n || g->k != first.k)
        honest(*g);
    else if (is_done)
        for (std::int64_t i = 0; i < g->m; ++i)
            std::memcpy(c + i * g->ldc, ahead.data() + i * g->n,
                        static_cast<std::size_t>(g->n) * sizeof(double));
    return 0;
}

}  // namespace

CARAT_KERNEL_EXPORT const carat_kernel carat_kernel_v1 = {
    CARAT_KERNEL_VERSION, "works_ahead", CARAT_F64, 0, supports, run};
