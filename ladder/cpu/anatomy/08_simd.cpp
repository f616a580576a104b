// Step 8: vectors, written out. One instruction handles `lanes` neighbouring elements of a row (8
// doubles with AVX-512), and multiplies and adds them in one go:
//
//          k                    j ->               j ->
//        +-|----+           +------+           +------+
//      i | o    |         k |[][][]|         i |[][][]|      C row += broadcast(A) * B row
//        |      |           |      |           |      |
//        +------+           +------+           +------+
//
// The same loops as step 5: the gain is the width of the vectors this machine has over those that
// every machine has. It is far from the width's promise, because each multiply-add still loads a
// vector of B and one of C and stores one: the ports to the L1 cache are the limit, not arithmetic.
// Rows of B and C must be contiguous for this; others take the elements one by one.
// Reference: document 002, "SIMD"; Intel 64 and IA-32 Optimization Manual, chapter 15.
#include "ladder/cpu/anatomy/loops.hpp"
#include "ladder/cpu/anatomy/rows.hpp"
#include "ladder/cpu/anatomy/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

template <class T>
void simd(const product<T>& p, const blocks<T>& size) {
    for_blocks(p.m, size.mc, [&](std::int64_t i, std::int64_t m) {
        for_blocks(p.n, size.nc, [&](std::int64_t j, std::int64_t n) {
            for_blocks(p.k, size.kc, [&](std::int64_t l, std::int64_t k) {
                update_rows(part(p, i, m, j, n, l, k));
            });
        });
    });
}

template void simd<double>(const product<double>&, const blocks<double>&);
template void simd<float>(const product<float>&, const blocks<float>&);

}  // namespace carat::ladder::cpu::CARAT_ISA
