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

// Where tiles of an operand are: packed one after the other, or where they lie.
template <class T>
struct tiles_of {
    const T* first;
    std::int64_t step;  // from one tile to the next
};

// All tiles of one block of A, mc x kc, and one panel of B, kc x nc.
template <class T>
void multiply_blocks(void (*run)(const tile_call<T>&), const task<T>& t, tile_call<T> call,
                     tiles_of<T> a, tiles_of<T> b, std::int64_t ic, std::int64_t mc,
                     std::int64_t jc, std::int64_t nc) {
    const std::int64_t mr = t.with->mr;
    const std::int64_t nr = t.with->nr;
    // Columns of a block at once: longer runs, stored a while ago.
    const bool finishes = t.finish != nullptr && call.last && t.c_row_stride == 1;
    call.last = call.last && !finishes;
    call.b = b.first;
    for (std::int64_t jr = 0; jr < nc; jr += nr, call.b += b.step) {
        call.cols = static_cast<int>(std::min(nr, nc - jr));
        call.a = a.first;
        for (std::int64_t ir = 0; ir < mc; ir += mr, call.a += a.step) {
            call.rows = static_cast<int>(std::min(mr, mc - ir));
            run_tile(run, t, call, ic + ir, jc + jr);
        }
        if constexpr (std::is_floating_point_v<T>)
            if (finishes)
                (*t.finish)({t.c_at(ic, jc + jr), mc, call.cols, t.c_col_stride, t.first_row + ic,
                             t.first_col + jc + jr});
    }
}

}  // namespace

std::int64_t blocked_elements(const plan::blocking& blocks) {
    return (blocks.reads_a ? 0 : rounded(blocks.mc * blocks.kc)) +
           (blocks.reads_b ? 0 : rounded(blocks.nc * blocks.kc));
}

template <class T>
void multiply_blocked(const task<T>& t, const plan::blocking& blocks, T* workspace) {
    const std::int64_t mr = t.with->mr;
    const std::int64_t nr = t.with->nr;
    T* const packed_a = workspace;
    T* const packed_b = blocks.reads_a ? workspace : workspace + rounded(blocks.mc * blocks.kc);
    tile_call<T> call{};
    call.alpha = t.alpha;
    call.a_step = blocks.reads_a ? t.a.along : mr;
    call.b_step = blocks.reads_b ? t.b.along : nr;
    call.b_across = blocks.reads_b ? t.b.across : 1;
    call.fetches_c = t.fetches_c;
    const auto run = blocks.reads_a || blocks.reads_b ? t.with->direct : t.with->packed;
    const auto in_a = [&](std::int64_t i, std::int64_t p) {
        return reinterpret_cast<const T*>(t.a.at(i, p));
    };
    for (std::int64_t jc = 0; jc < t.n; jc += blocks.nc) {
        const std::int64_t nc = std::min(blocks.nc, t.n - jc);
        call.beta = t.beta;
        for (std::int64_t pc = 0; pc < t.k; pc += blocks.kc, call.beta = T{1}) {
            call.k = std::min(blocks.kc, t.k - pc);
            call.last = pc + call.k == t.k;
            tiles_of<T> b{packed_b, nr * call.k};
            if (blocks.reads_b)
                b = {reinterpret_cast<const T*>(t.b.at(jc, pc)), nr * t.b.across};
            else
                t.pack_b(t.b.at(jc, pc), t.b.across, t.b.along, nc, call.k, packed_b);
            for (std::int64_t ic = 0; ic < t.m; ic += blocks.mc) {
                const std::int64_t mc = std::min(blocks.mc, t.m - ic);
                tiles_of<T> a{packed_a, mr * call.k};
                if (blocks.reads_a)
                    a = {in_a(ic, pc), mr};
                else if (t.a_packed)
                    a = {in_a(ic, pc), mr * t.k};
                else
                    t.pack_a(t.a.at(ic, pc), t.a.across, t.a.along, mc, call.k, packed_a);
                multiply_blocks(run, t, call, a, b, ic, mc, jc, nc);
            }
        }
    }
}

template void multiply_blocked(const task<double>&, const plan::blocking&, double*);
template void multiply_blocked(const task<float>&, const plan::blocking&, float*);
template void multiply_blocked(const task<std::uint32_t>&, const plan::blocking&, std::uint32_t*);

}  // namespace carat::cpu_engine
