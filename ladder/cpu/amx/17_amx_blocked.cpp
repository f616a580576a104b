// Step 17: sums in L2. Step 16 loads and stores each tile of C for every 512 of K: 32 rows far
// apart, from memory. Here a block of C is computed over all of K before the next one, and until
// then its sums lie in L2, a tile of 4 KB in one piece. C is written once:
//
//             B
//          [slab 0]         for each slab of K: every sliver of A meets every sliver of B,
//          [slab 1]         and their tile of sums grows
//             :
//    A        C
//  [0|1|..] [sums ]         after the last one: C = alpha sums + beta C
//
// A and B are packed once, over all of K. A slab of the block's B stays in L2, and passes for every
// sliver of A. A slab is 2048 of K, so that sums are loaded and stored once in 64 steps.
#include "ladder/cpu/amx/block.hpp"
#include "ladder/cpu/amx/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

namespace {

inline void multiply_tile(const tile_of_c& t) {
    t.first ? zero_sums() : load_sums(t.sums, amx_edge);
    for (std::int64_t s = 0; s < t.steps; ++s) multiply_step(t.a + s * t.ahead, t.b + s * t.ahead);
    store_sums(t.sums, amx_edge);
}

}  // namespace

void multiply_block(const bf16_product& p, const std::uint16_t* packed_a,
                    const std::uint16_t* packed_b, float* sums) {
    for_slabs(p, packed_a, packed_b, sums, [&](const tile_of_c& t) {
        multiply_tile(t);
        if (t.last) write_tile(p, t);
    });
}

}  // namespace carat::ladder::cpu::CARAT_ISA
