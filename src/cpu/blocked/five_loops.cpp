// The five loops around the micro-kernel (Goto and van de Geijn 2008; Van Zee and van de Geijn
// 2015): jc over panels of B, pc over k, ic over blocks of A, then jr and ir over the packed
// micropanels. Sums over k are cut at the same places for every rectangle of C, so the result does
// not depend on the number of threads.
#include "cpu/blocked/five_loops.hpp"

#include <algorithm>

namespace carat::cpu_engine {

namespace {

// Panels start on cache lines and pages of their own.
constexpr std::int64_t page_elements = 1024;

constexpr std::int64_t rounded(std::int64_t elements) {
    return (elements + page_elements - 1) / page_elements * page_elements;
}

// Where the tiles of an operand are: packed one after the other, or unpacked.
template <class T>
struct tiles_of {
    const T* first;
    std::int64_t step;  // from one tile to the next
};

// A block of A, mc x kc, and a panel of B, kc x nc, from row `i` and column `j` of C on.
template <class T>
struct blocks_of {
    tiles_of<T> a;
    tiles_of<T> b;
    const T* unpacked_a;  // what `a` is yet to be packed from, or null
    std::int64_t i;
    std::int64_t j;
    std::int64_t mc;
    std::int64_t nc;
};

// Multiplies one micropanel of B with a block of A, which is packed or, with `packs`, being packed.
template <class T>
void multiply_micropanel(void (*run)(const tile_call<T>&), const task<T>& t, tile_call<T>& call,
                         const blocks_of<T>& of, std::int64_t jr, bool packs) {
    const std::int64_t mr = t.with->mr;
    call.a = packs ? of.unpacked_a : of.a.first;
    call.a_k_stride = packs ? t.a.k_stride : mr;
    call.packed_a = const_cast<T*>(of.a.first);
    for (std::int64_t ir = 0; ir < of.mc; ir += mr) {
        call.rows = static_cast<int>(std::min(mr, of.mc - ir));
        run_tile(run, t, call, of.i + ir, of.j + jr);
        call.a += packs ? mr : of.a.step;
        call.packed_a += of.a.step;
    }
}

template <class T>
void multiply_blocks(void (*run)(const tile_call<T>&), const task<T>& t, tile_call<T> call,
                     const blocks_of<T>& of) {
    const std::int64_t nr = t.with->nr;
    // The columns of a block that are computed together: longer runs, stored some time ago.
    const bool ends_here = t.epilogue != nullptr && call.last && t.c_row_stride == 1;
    call.last = call.last && !ends_here;
    call.b = of.b.first;
    for (std::int64_t jr = 0; jr < of.nc; jr += nr, call.b += of.b.step) {
        call.cols = static_cast<int>(std::min(nr, of.nc - jr));
        const bool packs = jr == 0 && of.unpacked_a != nullptr;
        multiply_micropanel(packs ? t.with->fused_packing : run, t, call, of, jr, packs);
        if constexpr (std::is_floating_point_v<T>)
            if (ends_here)
                (*t.epilogue)({t.c_at(of.i, of.j + jr), of.mc, call.cols, t.c_col_stride,
                               t.first_row + of.i, t.first_col + of.j + jr});
    }
}

}  // namespace

std::int64_t blocked_elements(const plan::blocking& blocks) {
    return rounded(blocks.mc * blocks.kc) + (blocks.reads_b ? 0 : rounded(blocks.nc * blocks.kc));
}

template <class T>
void multiply_blocked(const task<T>& t, const plan::blocking& blocks, T* workspace) {
    const std::int64_t mr = t.with->mr;
    const std::int64_t nr = t.with->nr;
    T* const packed_a = workspace;
    T* const packed_b = workspace + rounded(blocks.mc * blocks.kc);
    tile_call<T> call{};
    call.alpha = t.alpha;
    call.b_k_stride = blocks.reads_b ? t.b.k_stride : nr;
    call.b_col_stride = blocks.reads_b ? t.b.outer_stride : 1;
    call.fetches_c = t.fetches_c;
    const auto run = blocks.reads_b ? t.with->unpacked : t.with->packed;
    for (std::int64_t jc = 0; jc < t.n; jc += blocks.nc) {
        const std::int64_t nc = std::min(blocks.nc, t.n - jc);
        call.beta = t.beta;
        for (std::int64_t pc = 0; pc < t.k; pc += blocks.kc, call.beta = T{1}) {
            call.k = std::min(blocks.kc, t.k - pc);
            call.last = pc + call.k == t.k;
            tiles_of<T> b{packed_b, nr * call.k};
            if (blocks.reads_b)
                b = {reinterpret_cast<const T*>(t.b.at(jc, pc)), nr * t.b.outer_stride};
            else
                t.pack_b(t.b.at(jc, pc), t.b.outer_stride, t.b.k_stride, nc, call.k, packed_b);
            for (std::int64_t ic = 0; ic < t.m; ic += blocks.mc) {
                const std::int64_t mc = std::min(blocks.mc, t.m - ic);
                const auto* const in_a = reinterpret_cast<const T*>(t.a.at(ic, pc));
                blocks_of<T> of{{packed_a, mr * call.k}, b, nullptr, ic, jc, mc, nc};
                if (t.a_packed)
                    of.a = {in_a, mr * t.k};
                else if (blocks.fuses_packing_of_a && nc >= nr)
                    of.unpacked_a = in_a;
                else
                    t.pack_a(t.a.at(ic, pc), t.a.outer_stride, t.a.k_stride, mc, call.k, packed_a);
                multiply_blocks(run, t, call, of);
            }
        }
    }
}

template void multiply_blocked(const task<double>&, const plan::blocking&, double*);
template void multiply_blocked(const task<float>&, const plan::blocking&, float*);
template void multiply_blocked(const task<std::uint32_t>&, const plan::blocking&, std::uint32_t*);

}  // namespace carat::cpu_engine
