// Step 12: a block for every level of the memory. One tile size cannot suit three caches. Instead:
//
//        for j in N by nc                 the B panel kc x nc stays in L3
//          for l in K by kc                 pack B
//            for i in M by mc             the A block mc x kc stays in L2
//                pack A
//                for jr in nc by nr       the B sliver kc x nr stays in L1
//                  for ir in mc by mr     the C tile mr x nr stays in registers
//                    micro-kernel
//
// Each packed block is used as often as the level below it is refilled: packing B costs 1 / M of
// the arithmetic and packing A 1 / nc, where step 10 paid twice 1 / T. What remains is the micro-
// kernel, close to what the core can do. This is how BLAS libraries are built.
// Reference: document 002, "multi-level tiling"; Goto and van de Geijn, 2008; Low et al.,
// Analytical Modeling Is Enough for High-Performance BLIS, 2016.
#include "ladder/cpu/anatomy/macro_kernel.hpp"
#include "ladder/cpu/anatomy/prefetch.hpp"
#include "ladder/cpu/anatomy/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

template <class T>
void multi_level(const product<T>& p, const blocks<T>& size) {
    for_blocks(p.n, size.nc, [&](std::int64_t j, std::int64_t n) {
        for_blocks(p.k, size.kc, [&](std::int64_t l, std::int64_t k) {
            pack_b(part(p, 0, p.m, j, n, l, k), size.packed_b);
            for_blocks(p.m, size.mc, [&](std::int64_t i, std::int64_t m) {
                const product<T> q = part(p, i, m, j, n, l, k);
                pack_a(q, size.packed_a);
                macro_kernel(q, size.packed_a, size.packed_b, prefetch_c_and_next_a{});
            });
        });
    });
}

template void multi_level<double>(const product<double>&, const blocks<double>&);
template void multi_level<float>(const product<float>&, const blocks<float>&);

}  // namespace carat::ladder::cpu::CARAT_ISA
