// The five loops around the micro-kernel (Goto and van de Geijn 2008; Van Zee and van de Geijn
// 2015): jc over panels of B, pc over k, ic over blocks of A, then jr and ir over the packed
// micropanels. Sums over k are cut at the same places for every rectangle of C, so the result does
// not depend on the number of threads.
#include "cpu/blocked/five_loops.hpp"

#include <algorithm>

namespace carat::cpu_engine {

namespace {

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
    return on_pages(blocks.mc * blocks.kc) + (blocks.reads_b ? 0 : on_pages(blocks.nc * blocks.kc));
}

template <class T>
void pack_panel(const task<T>& t, const panel& where, std::int64_t first, std::int64_t count,
                T* packed) {
    t.pack_b(t.b.at(where.j + first, where.p), t.b.outer_stride, t.b.k_stride, count, where.k,
             packed + first * where.k);
}

template <class T>
void multiply_panel(const task<T>& t, const plan::blocking& blocks, const panel& where,
                    const T* packed_b, T* packed_a) {
    const std::int64_t mr = t.with->mr;
    const std::int64_t nr = t.with->nr;
    tile_call<T> call{};
    call.alpha = t.alpha;
    call.beta = where.p == 0 ? t.beta : T{1};
    call.b_k_stride = blocks.reads_b ? t.b.k_stride : nr;
    call.b_col_stride = blocks.reads_b ? t.b.outer_stride : 1;
    call.fetches_c = t.fetches_c;
    call.k = where.k;
    call.last = where.p + where.k == t.k;
    tiles_of<T> b{packed_b, nr * where.k};
    if (blocks.reads_b)
        b = {reinterpret_cast<const T*>(t.b.at(where.j, where.p)), nr * t.b.outer_stride};
    for (std::int64_t ic = 0; ic < t.m; ic += blocks.mc) {
        const std::int64_t mc = std::min(blocks.mc, t.m - ic);
        const auto* const in_a = reinterpret_cast<const T*>(t.a.at(ic, where.p));
        blocks_of<T> of{{packed_a, mr * where.k}, b, nullptr, ic, where.j, mc, where.n};
        if (t.a_packed)
            of.a = {in_a, mr * t.k};
        else if (blocks.fuses_packing_of_a && where.n >= nr)
            of.unpacked_a = in_a;
        else
            t.pack_a(t.a.at(ic, where.p), t.a.outer_stride, t.a.k_stride, mc, where.k, packed_a);
        multiply_blocks(blocks.reads_b ? t.with->unpacked : t.with->packed, t, call, of);
    }
}

template <class T>
void multiply_blocked(const task<T>& t, const plan::blocking& blocks, T* workspace) {
    T* const packed_a = workspace;
    T* const packed_b = workspace + on_pages(blocks.mc * blocks.kc);
    for (std::int64_t jc = 0; jc < t.n; jc += blocks.nc) {
        for (std::int64_t pc = 0; pc < t.k; pc += blocks.kc) {
            const panel b{jc, std::min(blocks.nc, t.n - jc), pc, std::min(blocks.kc, t.k - pc)};
            if (!blocks.reads_b) pack_panel(t, b, 0, b.n, packed_b);
            multiply_panel(t, blocks, b, packed_b, packed_a);
        }
    }
}

template void pack_panel(const task<double>&, const panel&, std::int64_t, std::int64_t, double*);
template void pack_panel(const task<float>&, const panel&, std::int64_t, std::int64_t, float*);
template void pack_panel(const task<std::uint32_t>&, const panel&, std::int64_t, std::int64_t,
                         std::uint32_t*);
template void multiply_panel(const task<double>&, const plan::blocking&, const panel&,
                             const double*, double*);
template void multiply_panel(const task<float>&, const plan::blocking&, const panel&, const float*,
                             float*);
template void multiply_panel(const task<std::uint32_t>&, const plan::blocking&, const panel&,
                             const std::uint32_t*, std::uint32_t*);
template void multiply_blocked(const task<double>&, const plan::blocking&, double*);
template void multiply_blocked(const task<float>&, const plan::blocking&, float*);
template void multiply_blocked(const task<std::uint32_t>&, const plan::blocking&, std::uint32_t*);

}  // namespace carat::cpu_engine
