// Step 11: prefetch. The hardware sees streams coming, but not where the next micro-tile of C lies:
// its mr rows are far apart, and their lines arrive only after the multiply-adds that need them
// have waited. So they are asked for before the loop over k, which then hides their journey:
//
//        prefetch C tile . . . . . . . . . . . . . . . . . arrives
//        | k = 0 | k = 1 | k = 2 |  ...  | k = kc - 1 | C += tile |
//          each k: ask for one more line of the next sliver of A
//
// Otherwise step 10, unchanged. It is a hint: nothing is read that the program would see.
// Reference: document 002, "prefetching"; Intel 64 and IA-32 Optimization Manual, chapter 9.
#include "ladder/cpu/anatomy/macro_kernel.hpp"
#include "ladder/cpu/anatomy/prefetch.hpp"
#include "ladder/cpu/anatomy/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

template <class T>
void prefetch(const product<T>& p, const blocks<T>& size) {
    for_blocks(p.m, size.mc, [&](std::int64_t i, std::int64_t m) {
        for_blocks(p.n, size.nc, [&](std::int64_t j, std::int64_t n) {
            for_blocks(p.k, size.kc, [&](std::int64_t l, std::int64_t k) {
                const product<T> q = part(p, i, m, j, n, l, k);
                pack_a(q, size.packed_a);
                pack_b(q, size.packed_b);
                macro_kernel(q, size.packed_a, size.packed_b, prefetch_c_and_next_a{});
            });
        });
    });
}

template void prefetch<double>(const product<double>&, const blocks<double>&);
template void prefetch<float>(const product<float>&, const blocks<float>&);

}  // namespace carat::ladder::cpu::CARAT_ISA
