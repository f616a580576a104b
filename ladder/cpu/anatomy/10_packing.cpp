// Step 10: packing. Before a tile of A meets a tile of B, both are copied into the order in which
// the micro-kernel will read them (pack.hpp), so that it reads two streams without a gap:
//
//        A tile, rows far apart           A packed, mr elements for each k, one after the other
//        |----     |----     |----        |mr|mr|mr|mr| ...
//
// Copying a tile moves T^2 elements, multiplying it takes T^3 multiply-adds. The copies cost, and
// they buy: the micro-kernel's loads hit the L1 cache and few pages whatever the strides of A and
// B are (transposes and column-major data are as fast as rows now), and ragged edges cost no more
// than full ones, since slivers are filled up with zeros.
// Reference: document 002, "packing"; Goto and van de Geijn, 2008, section 4.
#include "ladder/cpu/anatomy/macro_kernel.hpp"
#include "ladder/cpu/anatomy/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

template <class T>
void packing(const product<T>& p, const blocks<T>& size) {
    for_blocks(p.m, size.mc, [&](std::int64_t i, std::int64_t m) {
        for_blocks(p.n, size.nc, [&](std::int64_t j, std::int64_t n) {
            for_blocks(p.k, size.kc, [&](std::int64_t l, std::int64_t k) {
                const product<T> q = part(p, i, m, j, n, l, k);
                pack_a(q, size.packed_a);
                pack_b(q, size.packed_b);
                macro_kernel(q, size.packed_a, size.packed_b, no_prefetch{});
            });
        });
    });
}

template void packing<double>(const product<double>&, const blocks<double>&);
template void packing<float>(const product<float>&, const blocks<float>&);

}  // namespace carat::ladder::cpu::CARAT_ISA
