// The five loops around the micro-kernel (Goto and van de Geijn 2008; Van Zee and van de Geijn
// 2015): jc over panels of B, pc over depth, ic over blocks of A, then jr and ir over the tiles of
// what is packed. Sums over k are cut at the same depths whatever rectangle of C a thread has, so
// the result does not depend on how many threads there are.
#include <algorithm>

#include "cpu/driver/loops.hpp"

namespace carat::cpu_engine {

namespace {

// The panels start on cache lines, and pages, of their own.
constexpr std::int64_t page_elements = 1024;

constexpr std::int64_t rounded(std::int64_t elements) {
    return (elements + page_elements - 1) / page_elements * page_elements;
}

// All tiles of one packed block of A, mc x kc, and one packed panel of B, kc x nc. A panel of A has
// depth a_depth, of which call.k.
template <class T>
void multiply_packed(const task<T>& t, tile_call<T> call, std::int64_t a_depth, std::int64_t ic,
                     std::int64_t mc, std::int64_t jc, std::int64_t nc) {
    const std::int64_t mr = t.with->mr;
    const std::int64_t nr = t.with->nr;
    const T* const a = call.a;
    // Columns of a block at once: longer runs, stored a while ago.
    const bool finishes = t.finish != nullptr && call.last && t.c_row_stride == 1;
    call.last = call.last && !finishes;
    for (std::int64_t jr = 0; jr < nc; jr += nr, call.b += nr * call.k) {
        call.cols = static_cast<int>(std::min(nr, nc - jr));
        call.a = a;
        for (std::int64_t ir = 0; ir < mc; ir += mr, call.a += mr * a_depth) {
            call.rows = static_cast<int>(std::min(mr, mc - ir));
            run_tile(t.with->packed, t, call, ic + ir, jc + jr);
        }
        if (finishes)
            (*t.finish)({t.c_at(ic, jc + jr), mc, call.cols, t.c_col_stride, t.first_row + ic,
                         t.first_col + jc + jr});
    }
}

}  // namespace

std::int64_t blocked_elements(const plan::blocking& blocks) {
    return rounded(blocks.mc * blocks.kc) + rounded(blocks.nc * blocks.kc);
}

template <class T>
void multiply_blocked(const task<T>& t, const plan::blocking& blocks, T* workspace) {
    T* const packed_a = workspace;
    T* const packed_b = workspace + rounded(blocks.mc * blocks.kc);
    tile_call<T> call{};
    call.alpha = t.alpha;
    for (std::int64_t jc = 0; jc < t.n; jc += blocks.nc) {
        const std::int64_t nc = std::min(blocks.nc, t.n - jc);
        call.beta = t.beta;
        for (std::int64_t pc = 0; pc < t.k; pc += blocks.kc, call.beta = T{1}) {
            call.k = std::min(blocks.kc, t.k - pc);
            call.last = pc + call.k == t.k;
            t.pack_b(t.b.at(jc, pc), t.b.across, t.b.along, nc, call.k, packed_b);
            for (std::int64_t ic = 0; ic < t.m; ic += blocks.mc) {
                const std::int64_t mc = std::min(blocks.mc, t.m - ic);
                call.b = packed_b;
                if (t.a_packed) {
                    call.a = reinterpret_cast<const T*>(t.a.at(ic, pc));
                    multiply_packed(t, call, t.k, ic, mc, jc, nc);
                    continue;
                }
                t.pack_a(t.a.at(ic, pc), t.a.across, t.a.along, mc, call.k, packed_a);
                call.a = packed_a;
                multiply_packed(t, call, call.k, ic, mc, jc, nc);
            }
        }
    }
}

template void multiply_blocked(const task<double>&, const plan::blocking&, double*);
template void multiply_blocked(const task<float>&, const plan::blocking&, float*);
template void multiply_blocked(const task<std::uint32_t>&, const plan::blocking&, std::uint32_t*);

}  // namespace carat::cpu_engine
