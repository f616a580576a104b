// The kernel: two warpgroups multiply, one thread copies.
//
//     copies   [ A0 B0 | A1 B1 | A2 B2 | A3 B3 ] A4 B4 ...        stage = tile % stages
//     multiply   A0 B0   A1 B1 ...
//
// `full` of a stage is over when its bytes have landed, `empty` when every warpgroup that reads it,
// in every block that shares it, has done so: two blocks with wide tiles each load half of the tile
// of B (or A, of tiles beside each other) for both, and of 2 or 4 with narrow tiles each its share
// for all, where they don't share K. The copying thread runs ahead into the next wide tile of C
// while the others write theirs, and the warps beside it pack what is not packed yet (late.cuh) and
// take some of C on its way (later.cuh). Kernels begin before the one ahead of them on the stream
// has ended, after one of narrow tiles when all its blocks have few copies left, and wait for its
// end when their barriers are made.
#pragma once

#include "cuda/common/launch.hpp"
#include "cuda/ptx/bulk_copy.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/dependents.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/registers.cuh"
#include "cuda/ptx/thread.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/alike.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/config.hpp"
#include "cuda/sm90/epilogue.cuh"
#include "cuda/sm90/from_registers.cuh"
#include "cuda/sm90/group.cuh"
#include "cuda/sm90/handing.cuh"
#include "cuda/sm90/late.cuh"
#include "cuda/sm90/later.cuh"
#include "cuda/sm90/lines.cuh"
#include "cuda/sm90/scales.cuh"
#include "cuda/sm90/schedule.cuh"
#include "cuda/sm90/straight.cuh"
#include "cuda/sm90/together.cuh"

namespace carat::cuda::sm90 {

template <class C>
struct barriers {
    ptx::barrier full[C::most_stages];
    ptx::barrier empty[C::most_stages];
    ptx::barrier landed;  // what other blocks of the cluster send
    ptx::barrier packed;  // all that this block packs: boxes are free for C
    second_half later;
    ptx::barrier added[C::wide ? 2 * C::warpgroups * (64 / C::rows_that_leave) : 1];
};

// The ring of stages in a block's shared memory.
template <class C>
struct ring {
    int stages;
    int sharing;
    unsigned char* tiles;
    unsigned char* after;
    ptx::barrier* full;
    ptx::barrier* empty;

    __device__ ring(unsigned char* shared, barriers<C>& meetings, int stage_count,
                    int blocks_that_share)
        : stages(stage_count),
          sharing(C::wide ? C::sharing : blocks_that_share),
          full(meetings.full),
          empty(meetings.empty) {
        tiles = shared;
        after = tiles + stages * C::stage_bytes;
    }
    [[nodiscard]] __device__ unsigned char* a(int stage) const {
        return tiles + stage * C::stage_bytes;
    }
    [[nodiscard]] __device__ unsigned char* b(int stage) const {
        return a(stage) + C::halves * C::a_bytes;
    }

    // A warpgroup has read the stage: told by its first threads to all blocks that fill it.
    __device__ void give_back(int stage, int thread) const {
        if (thread >= sharing) return;
        if (sharing > 1)
            ptx::arrive_at(empty[stage], thread);
        else
            ptx::arrive(empty[stage]);
    }
};

// A block's place: which cluster it is in, which block of it, and the part of K it multiplies or
// which of the tiles below each other.
template <class C>
struct place_in_grid {
    int cluster;
    int clusters;
    int rank;
    int blocks;  // of the cluster: a power of 2
    int log2_blocks;
    int sharing;  // of these

    __device__ explicit place_in_grid(int blocks_that_share)
        : rank(ptx::rank_in_cluster()),
          blocks(C::wide ? C::sharing : ptx::blocks_of_cluster()),
          log2_blocks(ptx::log2_of(blocks)),
          sharing(C::wide ? C::sharing : blocks_that_share) {
        cluster = static_cast<int>(blockIdx.x) >> log2_blocks;
        clusters = static_cast<int>(gridDim.x) >> log2_blocks;
    }
    // Of tiles below or beside each other.
    [[nodiscard]] __device__ int row(const tile_place& t) const {
        return (C::beside ? t.m : t.m * sharing + share()) * C::tile_m;
    }
    template <class Factor>
    [[nodiscard]] __device__ row_range<C::alike> rows(const tile_place& t,
                                                      const arguments<Factor>& p) const {
        if constexpr (C::alike) {
            const kind_of_tiles own(p.alike, t.m);
            const int row = (own.index * C::sharing + rank) * C::tile_m;
            if (own.is_alike()) return {own.kind + (row << p.alike.log2_kinds), p.alike.log2_kinds};
            return {p.alike.rows + row, 0};
        } else {
            return {row(t)};
        }
    }
    [[nodiscard]] __device__ int col(const tile_place& t, int columns) const {
        return (C::beside ? t.n * sharing + share() : t.n) * columns;
    }
    [[nodiscard]] __device__ bool shares() const { return C::wide || sharing > 1; }
    [[nodiscard]] __device__ int share() const { return shares() ? rank : 0; }
    [[nodiscard]] __device__ int parts() const { return shares() ? 1 : blocks; }
    [[nodiscard]] __device__ int part() const { return shares() ? 0 : rank; }
    // Of narrow tiles, in tiles of K; the part after it begins where this one ends.
    [[nodiscard]] __device__ int first_k(int k_tiles, int of_part) const {
        return static_cast<int>(std::int64_t{k_tiles} * of_part >> (shares() ? 0 : log2_blocks));
    }
    // Of so many lines of a tile of A or B that this block loads its share of.
    [[nodiscard]] __device__ int first_of_a(int lines) const {
        return C::beside ? rank * (lines / C::sharing) : 0;
    }
    [[nodiscard]] __device__ int first_of_b(int lines) const {
        return shares() && !C::beside ? rank * (lines >> log2_blocks) : 0;
    }
    // Of wide ones.
    template <class Factor>
    [[nodiscard]] __device__ __forceinline__ walk<C::even> tiles_of(
        const arguments<Factor>& p) const {
        if constexpr (C::even)
            return {cluster, clusters, p.tiles_m * p.tiles_n, p.even.tiles, p.k_tiles};
        else
            return {cluster, clusters, p.tiles_m * p.tiles_n, p.k_tiles};
    }
};

// Where in the ring a thread is, and the parity of the phase that this round through it has.
struct position {
    int stage = 0;
    int parity = 0;

    __device__ void advance(int stages) {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    __device__ void skip(int count, int stages) {
        stage += count;
        parity ^= stage / stages & 1;
        stage %= stages;
    }
};

// Lines of a tile that is contiguous across K come in boxes of 128 bytes across and all of its K.
template <class C>
constexpr int across_of_box = C::line_bytes / static_cast<int>(sizeof(typename C::element));

// The boxes of this block's share of the tile of A: which of its lines each begins, and where it is
// in A.
template <class C, class Copy>
__device__ __forceinline__ void each_box_of_a(int row, int k, const place_in_grid<C>& here,
                                              const Copy& copy) {
    if constexpr (C::a_major == major::along_k) {
        const int first = here.first_of_a(C::tile_m);
        copy(first, k, row + first);
    } else {
#pragma unroll
        for (int i = 0; i < C::tile_m; i += across_of_box<C>) copy(i, row + i, k);
    }
}

// Those of this block's share of the tile of B: columns along K, or of each box lines across. The
// second half of the columns lie `further` right.
template <class C, class Copy>
__device__ __forceinline__ void each_box_of_b(int col, int further, int k,
                                              const place_in_grid<C>& here, const Copy& copy) {
    const auto column = [&](int i) { return col + i + (i < C::tile_n / 2 ? 0 : further); };
    if constexpr (C::b_major == major::along_k) {
        const int first = here.first_of_b(C::tile_n);
        copy(first, k, column(first));
    } else {
        const int first = here.first_of_b(C::tile_k);
#pragma unroll
        for (int i = 0; i < C::tile_n; i += across_of_box<C>) copy(i + first, column(i), k + first);
    }
}

// To the place of that half of the stage: 0, large ones or all there is, or 1.
template <class C>
__device__ __forceinline__ void load_a(const ring<C>& r, int stage, int half,
                                       const CUtensorMap& map, int row, int k,
                                       const place_in_grid<C>& here, int batch) {
    each_box_of_a<C>(row, k, here, [&](int line, int x, int y) {
        unsigned char* const to = r.a(stage) + half * C::a_bytes + line * C::line_bytes;
        if constexpr (C::beside)
            ptx::copy_box_to_all(to, map, x, y, r.full[stage], (1 << C::sharing) - 1);
        else if constexpr (C::wide)
            ptx::copy_box(to, map, x, y, r.full[stage]);
        else
            ptx::copy_box(to, map, x, y, batch, r.full[stage]);
    });
}

// To all blocks that share it.
template <class C>
__device__ __forceinline__ void load_b(const ring<C>& r, int stage, int half,
                                       const CUtensorMap& map, int col, int further, int k,
                                       const place_in_grid<C>& here, int batch) {
    const auto everyone = static_cast<std::uint16_t>((1 << here.sharing) - 1);
    each_box_of_b<C>(col, further, k, here, [&](int line, int x, int y) {
        unsigned char* const to = r.b(stage) + half * C::b_bytes + line * C::line_bytes;
        if constexpr (C::beside)
            ptx::copy_box(to, map, x, y, r.full[stage]);
        else if constexpr (C::wide)
            ptx::copy_box_to_all(to, map, x, y, r.full[stage], everyone);
        else if (here.shares())
            ptx::copy_box_to_all(to, map, x, y, batch, r.full[stage], everyone);
        else
            ptx::copy_box(to, map, x, y, batch, r.full[stage]);
    });
}

// Where in A a tile's rows are: in which map, from which line on, and how much before K.
struct lines_of_a {
    const CUtensorMap* map;
    int first;
    int early;
};

template <class C, class Factor>
__device__ __forceinline__ lines_of_a lines_of_tile(const work& of, const arguments<Factor>& p,
                                                    const place_in_grid<C>& here,
                                                    const tile_place& t) {
    if constexpr (C::alike) {
        const kind_of_tiles own(p.alike, t.m);
        const int first = (own.index * C::sharing + here.rank) * C::tile_m;
        if (own.is_alike()) return {of.kinds + own.kind, first, p.alike.early(own.kind)};
        return {of.a, first, 0};
    } else {
        return {of.a, here.row(t), 0};
    }
}

// What a block does of a narrow tile: these steps of K.
struct stretch {
    tile_place tile;
    int first;
    int end;
};

template <class C>
__device__ __forceinline__ stretch stretch_of(const work& of, const place_in_grid<C>& here) {
    return {place_of(of.cluster, of.tiles_m, of.tiles_n), here.first_k(of.k_tiles, here.part()),
            here.first_k(of.k_tiles, here.part() + 1)};
}

// Of a tile of C, steps `first` to `end` of K.
template <class C, class Factor>
__device__ __forceinline__ void copy_tile(const ring<C>& r, position& at, const work& of,
                                          const arguments<Factor>& p, const place_in_grid<C>& here,
                                          const tile_place& t, int first, int end,
                                          packed_so_far& packed) {
    const int batch_a = p.one_a ? 0 : static_cast<int>(blockIdx.y);
    const int batch_b = p.one_b ? 0 : static_cast<int>(blockIdx.y);
    const int col = here.col(t, columns_of_c<C>(p));
    const int further = to_second_half<C>(p);
    const lines_of_a lines = lines_of_tile<C>(of, p, here, t);
    if constexpr (C::alike) end = steps_of_tile(p.alike, lines.early, C::tile_k).count;
    const int next_begins = max(first, end - p.steps_left);  // of narrow tiles
#pragma unroll 1
    for (int k = first; k < end; ++k, at.advance(r.stages)) {
        if (!C::wide && k == next_begins) ptx::let_dependents_begin();
        if constexpr (C::packs_late) packed.wait_for(k);
        ptx::wait_for(r.empty[at.stage], at.parity ^ 1);
        ptx::arrive_and_expect(r.full[at.stage], C::stage_bytes);
        // Of an operand in halves all large ones come first, the small ones behind them.
#pragma unroll
        for (int half = 0; half < C::halves; ++half) {
            const int from = (k + half * of.k_tiles) * C::tile_k;
            load_a<C>(r, at.stage, half, *lines.map, lines.first, from, here, batch_a);
            load_b<C>(r, at.stage, half, *of.b, col, further, from - lines.early, here, batch_b);
        }
    }
}

template <class C, class Factor>
__device__ __forceinline__ void copy_tiles(const ring<C>& r, const work& of,
                                           const arguments<Factor>& p, const place_in_grid<C>& here,
                                           const stretch& own) {
    position at;
    packed_so_far packed(p.late);
    if constexpr (C::wide) {
        int round = 0;
        for (auto w = here.tiles_of(p); !w.is_over(); w.advance(), ++round) {
            if (here.rank == 0) begin_together(p.rounds, here.clusters, round);
            copy_tile<C>(r, at, of, p, here, place_of(w.tile, of.tiles_m, of.tiles_n), w.first(),
                         w.end(), packed);
        }
        if (here.rank == 0) end_together(p.rounds, here.clusters);
    } else {
        copy_tile<C>(r, at, of, p, here, own.tile, own.first, own.end, packed);
    }
}

// A warpgroup's sums += its 64 rows of the stage's A times columns of the stage's B, from `col` on;
// of the stage's K this part. Of halves the products with a small one are summed first.
template <class C, int Part = 1, class Sums>
__device__ __forceinline__ void multiply_stage(Sums& sums, const ring<C>& r, int stage, int group,
                                               int col, bool add) {
    using instruction = ptx::wgmma<typename C::element, C::columns_at_once,
                                   C::a_major == major::across, C::b_major == major::across>;
    const auto describe = [](const unsigned char* tile, major m) {
        return m == major::along_k ? ptx::swizzled_descriptor(tile)
                                   : ptx::swizzled_descriptor_across(tile, C::tile_k);
    };
    // 64 rows of 128 bytes along K, or one box of 64 across: the same bytes.
    const std::uint64_t a = describe(r.a(stage) + group * 64 * C::line_bytes, C::a_major);
    const std::uint64_t b = describe(r.b(stage) + col * C::line_bytes, C::b_major);
    constexpr int a_step = C::a_major == major::along_k ? 32 : instruction::k * C::line_bytes;
    constexpr int b_step = C::b_major == major::along_k ? 32 : instruction::k * C::line_bytes;
    constexpr int products = C::halves == 2 ? 3 : 1;
    ptx::order_registers();
#pragma unroll
    for (int product = 0; product < products; ++product) {
        const int half_of_a = products == 3 && product == 0 ? C::a_bytes : 0;
        const int half_of_b = products == 3 && product == 1 ? C::b_bytes : 0;
#pragma unroll
        for (int i = 0; i < C::tile_k / instruction::k / Part; ++i)
            instruction::multiply(sums, ptx::advanced(a, half_of_a + i * a_step),
                                  ptx::advanced(b, half_of_b + i * b_step),
                                  add || product > 0 || i > 0);
    }
    ptx::commit();
}

// The sums of a tile of C over `k_tiles` stages, one at least, added to those there are if `begun`.
template <class C, class Sums>
__device__ __forceinline__ void sum_stages(Sums& sums, const ring<C>& r, position& at, int k_tiles,
                                           int group, int thread, bool begun,
                                           bool ends_in_half = false) {
    int last = at.stage;
    int k = 0;
    if constexpr (C::even) {  // in the loop it would serialise wgmma that sums may be there
        ptx::wait_for(r.full[last], at.parity);
        multiply_stage<C>(sums, r, last, group, 0, begun);
        at.advance(r.stages);
        k = 1;
    }
    const auto step = [&]<int Part>(std::integral_constant<int, Part>) {
        ptx::wait_for(r.full[at.stage], at.parity);
        multiply_stage<C, Part>(sums, r, at.stage, group, 0, k > 0);
        ptx::wait<1>();  // the stage before this has been read
        if (k > 0) r.give_back(last, thread);
        last = at.stage;
        at.advance(r.stages);
    };
    const bool has_half = C::alike && ends_in_half;
#pragma unroll 1
    for (; k < k_tiles - (has_half ? 1 : 0); ++k) step(std::integral_constant<int, 1>{});
    if constexpr (C::alike)
        if (has_half) step(std::integral_constant<int, 2>{});
    ptx::wait<0>();
    ptx::settle(sums);
    r.give_back(last, thread);
}

// The same where A goes through registers: those of the next stage are read meanwhile.
template <class C, int Count>
__device__ __forceinline__ void sum_stages_from_registers(float (&sums)[Count], const ring<C>& r,
                                                          position& at, int k_tiles, int group,
                                                          int thread, bool begun) {
    using instruction = ptx::wgmma_tf32_from_registers<C::tile_n>;
    words_of_a now;
    words_of_a next;
    const int lines = group * 64 * C::line_bytes;
    ptx::wait_for(r.full[at.stage], at.parity);
    read_words(now, r.a(at.stage) + lines, thread);
#pragma unroll 1
    for (int k = 0; k < k_tiles; ++k) {
        const int stage = at.stage;
        const std::uint64_t b = ptx::swizzled_descriptor(r.b(stage));
        ptx::order_registers();
#pragma unroll
        for (int i = 0; i < 4; ++i)
            instruction::multiply(sums, now[i], ptx::advanced(b, i * 32), begun || k > 0 || i > 0);
        ptx::commit();
        at.advance(r.stages);
        if (k + 1 < k_tiles) {
            ptx::wait_for(r.full[at.stage], at.parity);
            read_words(next, r.a(at.stage) + lines, thread);
        }
        ptx::wait<0>();
        r.give_back(stage, thread);
        // Never. But it makes `now` live until here, where the tensor cores have read it: ptxas
        // takes it for dead when they begin, and gave the words of the next stage its registers.
        if (r.stages < 0) show_words(now, r.after);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) now[i][j] = next[i][j];
    }
    ptx::settle(sums);
}

// The same, added up in f32 a stage at a time. While a warpgroup adds, the other one multiplies.
template <class C, int Count>
__device__ __forceinline__ void promote_stages(float (&sums)[Count], const ring<C>& r, position& at,
                                               int k_tiles, int group, int thread, bool begun,
                                               scales_of<C> scales) {
    constexpr int at_once = C::columns_at_once / 2;
    if (!begun) {
#pragma unroll
        for (float& sum : sums) sum = 0;
    }
#pragma unroll 1
    for (int k = 0; k < k_tiles; ++k, at.advance(r.stages)) {
        scales.advance();
        ptx::wait_for(r.full[at.stage], at.parity);
#pragma unroll
        for (int first = 0; first < Count; first += at_once) {
            float some[at_once];
            multiply_stage<C>(some, r, at.stage, group, 2 * first, false);
            ptx::wait<0>();
            ptx::settle(some);
            scales.turn_to(first / at_once);
            if (first + at_once == Count) r.give_back(at.stage, thread);
#pragma unroll
            for (int i = 0; i < at_once; ++i)
                sums[first + i] = scales.add(sums[first + i], some[i], i);
        }
    }
}

// Steps of K one after the other, each in parts of its columns: a part is added up while the tensor
// cores are at the next one. Nothing is in hand before and after: ptxas can't tell over the end of
// a loop which of two sets of sums that is, and would serialise all.
template <class C, int Steps, int Count>
__device__ __forceinline__ void promote_in_turns(float (&sums)[Count], const ring<C>& r,
                                                 position& at, int group, int thread) {
    constexpr int at_once = C::columns_at_once / 2;
    constexpr int parts = Count / at_once;
    float some[2][at_once];
    const auto start = [&](int part) {
        if (part % parts == 0) ptx::wait_for(r.full[at.stage], at.parity);
        multiply_stage<C>(some[part % 2], r, at.stage, group, part % parts * C::columns_at_once,
                          false);
    };
    start(0);
#pragma unroll
    for (int part = 0; part < Steps * parts; ++part) {
        const int stage = at.stage;
        const bool ends_stage = part % parts == parts - 1;
        if (ends_stage) at.advance(r.stages);
        if (part + 1 < Steps * parts) {
            start(part + 1);
            ptx::wait<1>();
        } else {
            ptx::wait<0>();
        }
        ptx::settle(some[part % 2]);
        if (ends_stage) r.give_back(stage, thread);
#pragma unroll
        for (int i = 0; i < at_once; ++i) sums[part % parts * at_once + i] += some[part % 2][i];
    }
}

template <class C, int Count>
__device__ __forceinline__ void promote_stages_in_turns(float (&sums)[Count], const ring<C>& r,
                                                        position& at, int k_tiles, int group,
                                                        int thread, bool begun) {
    constexpr int steps = 4;
    if (!begun) {
#pragma unroll
        for (float& sum : sums) sum = 0;
    }
    int k = 0;
#pragma unroll 1
    for (; k + steps <= k_tiles; k += steps) promote_in_turns<C, steps>(sums, r, at, group, thread);
#pragma unroll 1
    for (; k < k_tiles; ++k) promote_in_turns<C, 1>(sums, r, at, group, thread);
}

template <class C, class Sums>
__device__ __forceinline__ void sum_up(Sums& sums, const ring<C>& r, position& at, int k_tiles,
                                       int group, int thread, bool begun,
                                       const scales_of<C>& scales) {
    if constexpr (C::a_in_registers)
        sum_stages_from_registers<C>(sums, r, at, k_tiles, group, thread, begun);
    else if constexpr (C::sums == summing::straight)
        sum_stages<C>(sums, r, at, k_tiles, group, thread, begun);
    else if constexpr (C::in_turns)
        promote_stages_in_turns<C>(sums, r, at, k_tiles, group, thread, begun);
    else
        promote_stages<C>(sums, r, at, k_tiles, group, thread, begun, scales);
}

template <class C>
using sum_of = typename ptx::wgmma<typename C::element, C::tile_n, false, false>::sum;

template <class C, class Factor>
__device__ __forceinline__ void multiply_wide(const ring<C>& r, barriers<C>& meetings,
                                              const maps& m, const arguments<Factor>& p,
                                              const place_in_grid<C>& here) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    const int group = ptx::warpgroup();
    outgoing<C> out(m, meetings.added, r.after, group, thread);
    position at;
    int halves_left = 0;  // tiles whose second half was left to others
    const auto meet = [&] { out.meet_all(); };
    for (auto w = here.tiles_of(p); !w.is_over(); w.advance()) {
        const tile_place t = place_of(w.tile, p.tiles_m, p.tiles_n);
        const row_range<C::alike> rows = here.rows(t, p).from(group * 64);
        const int col = here.col(t, columns_of_c<C>(p));
        if (!C::alike && p.adds && p.c.in_boxes && !w.hands_sums_on())
            fetch_first_added<C>(out, p.c.type, rows.first, col);
        // Beside promoted sums there are no registers for it.
        constexpr bool reads_ahead = C::sums == summing::straight;
        read_ahead<C, Factor> ahead;
        if (reads_ahead) ahead.read(p, col, thread);
        using handed = handed_sums<C, sum_of<C>>;
        sum_of<C> sums[1][C::tile_n / 2];
        if (w.is_handed_sums())
            handed(p.even, here.cluster - 1, here.rank, group, thread).take(sums[0], thread, meet);
        if constexpr (C::alike) {
            const kind_of_tiles own(p.alike, t.m);
            const int before = own.is_alike() ? p.alike.early(own.kind) : 0;
            if (before > 0) {
                ptx::wait_for(r.full[at.stage], at.parity);
                clear_before_k(r.a(at.stage) + group * 64 * C::line_bytes, before, thread);
                out.meet_all();
            }
            const steps_of_tile steps(p.alike, before, C::tile_k);
            sum_stages<C>(sums[0], r, at, steps.count, group, thread, false, steps.end_in_half);
        } else {
            sum_up<C>(sums[0], r, at, w.steps(), group, thread, w.is_handed_sums(),
                      scales_of<C>(p, rows.first, col, w.first(), thread));
        }
        // Nor beside scales for this while sums are made.
        const int own = C::sums != summing::straight ? ptx::thread_anew() % 128 : thread;
        if (w.hands_sums_on()) {
            handed(p.even, here.cluster, here.rank, group, own).put(sums[0], own, meet);
            continue;
        }
        if (!reads_ahead) ahead.read(p, col, own);
        if (p.late.pieces > 0) ptx::wait_for(meetings.packed, 0);
        if constexpr (C::leaves_in_halves) {
            if (halves_left > 0) ptx::wait_for(meetings.later.sent, (halves_left - 1) % 2);
            if (leaves_in_halves<C>(p, col)) {
                ++halves_left;
                if (p.c.type == output::f16)
                    write_halves<C, __half>(out, meetings.later, p, rows, col, own, sums[0]);
                else
                    write_halves<C, __nv_bfloat16>(out, meetings.later, p, rows, col, own, sums[0]);
                continue;
            }
        }
        write<C>(out, p, ahead, rows, col, own, sums);
    }
    if (thread % 32 == 0) ptx::wait_for_stores<0>();  // they read this block's shared memory
}

// Two warpgroups multiply in turn: a barrier for each, at which the other one tells it to begin.
struct turn_to_multiply {
    int group;

    __device__ __forceinline__ void wait() const {
        asm volatile("bar.sync %0, 256;" ::"r"(8 + group) : "memory");
    }
    __device__ __forceinline__ void pass() const {
        asm volatile("bar.arrive %0, 256;" ::"r"(9 - group) : "memory");
    }
};

// The sums of a tile that a warpgroup has for itself, its upper and its lower 64 rows, added to
// those there are if `begun`. Calls `started` when all of it has been.
template <class C, class Sum, int Count, class Started>
__device__ __forceinline__ void sum_stages_apart(Sum (&upper)[Count], Sum (&lower)[Count],
                                                 const ring<C>& r, position& at, int k_tiles,
                                                 int thread, bool begun, const Started& started) {
    using instruction = ptx::wgmma<typename C::element, C::tile_n, C::a_major == major::across,
                                   C::b_major == major::across>;
    const auto describe = [](const unsigned char* tile, major m) {
        return m == major::along_k ? ptx::swizzled_descriptor(tile)
                                   : ptx::swizzled_descriptor_across(tile, C::tile_k);
    };
    constexpr int a_step = C::a_major == major::along_k ? 32 : instruction::k * C::line_bytes;
    constexpr int b_step = C::b_major == major::along_k ? 32 : instruction::k * C::line_bytes;
    const auto multiply = [&](bool add) {
        ptx::wait_for(r.full[at.stage], at.parity);
        const std::uint64_t a0 = describe(r.a(at.stage), C::a_major);
        const std::uint64_t a1 = describe(r.a(at.stage) + 64 * C::line_bytes, C::a_major);
        const std::uint64_t b = describe(r.b(at.stage), C::b_major);
        ptx::order_registers();
#pragma unroll
        for (int i = 0; i < C::tile_k / instruction::k; ++i) {
            instruction::multiply(upper, ptx::advanced(a0, i * a_step),
                                  ptx::advanced(b, i * b_step), add || i > 0);
            instruction::multiply(lower, ptx::advanced(a1, i * a_step),
                                  ptx::advanced(b, i * b_step), add || i > 0);
        }
        ptx::commit();
    };
    int last = at.stage;
    int k = 0;
    if constexpr (C::even) {  // as in sum_stages()
        multiply(begun);
        at.advance(r.stages);
        k = 1;
    }
#pragma unroll 1
    for (; k < k_tiles; ++k) {
        multiply(k > 0);
        ptx::wait<1>();
        if (k > 0) r.give_back(last, thread);
        last = at.stage;
        at.advance(r.stages);
    }
    started();
    ptx::wait<0>();
    ptx::settle(upper);
    ptx::settle(lower);
    r.give_back(last, thread);
}

// Each warpgroup has every second tile: one multiplies while the other writes.
template <class C, class Factor>
__device__ __forceinline__ void multiply_apart(const ring<C>& r, barriers<C>& meetings,
                                               const maps& m, const arguments<Factor>& p,
                                               const place_in_grid<C>& here) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    const int group = ptx::warpgroup();
    outgoing<C> out(m, meetings.added, r.after, group, thread);
    const turn_to_multiply turn{group};
    const auto meet = [&] { out.meet_all(); };
    position at;
    auto w = here.tiles_of(p);
    bool is_first = group == 0;
    if (group == 1) {
        at.skip(w.steps(), r.stages);
        w.advance();
    }
    const auto place = [&] {
        return w.is_over() ? tile_place{} : place_of(w.tile, p.tiles_m, p.tiles_n);
    };
    tile_place t = place();
    while (!w.is_over()) {
        const int row = here.row(t);
        const int col = t.n * columns_of_c<C>(p);
        const bool hands_on = w.hands_sums_on();
        if (p.adds && p.c.in_boxes && !hands_on) fetch_first_added<C>(out, p.c.type, row, col);
        read_ahead<C, Factor> ahead;
        ahead.read(p, col, thread);
        using handed = handed_sums<C, sum_of<C>>;
        sum_of<C> sums[2][C::tile_n / 2];
        if (w.is_handed_sums()) {
            handed(p.even, here.cluster - 1, here.rank, 0, thread).take(sums[0], thread, meet);
            handed(p.even, here.cluster - 1, here.rank, 1, thread).take(sums[1], thread, meet);
        }
        // A phase of the ring can be waited for only when the one before it is over.
        if (!is_first) turn.wait();
        is_first = false;
        int steps_of_other = 0;
        sum_stages_apart<C>(sums[0], sums[1], r, at, w.steps(), thread, w.is_handed_sums(), [&] {
            w.advance();
            if (!w.is_over()) turn.pass();
            // The tensor cores are still busy.
            steps_of_other = w.steps();
            w.advance();
            t = place();
        });
        at.skip(steps_of_other, r.stages);
        if (hands_on) {
            handed(p.even, here.cluster, here.rank, 0, thread).put(sums[0], thread, meet);
            handed(p.even, here.cluster, here.rank, 1, thread).put(sums[1], thread, meet);
        } else {
            if (p.late.pieces > 0) ptx::wait_for(meetings.packed, 0);
            write<C>(out, p, ahead, {row}, col, thread, sums);
        }
    }
    if (thread % 32 == 0) ptx::wait_for_stores<0>();
}

template <class C, class Factor>
__device__ __forceinline__ void multiply_narrow(const ring<C>& r, ptx::barrier& landed,
                                                const work& of, const arguments<Factor>& p,
                                                const place_in_grid<C>& here, const stretch& own) {
    const int thread = static_cast<int>(threadIdx.x);
    const int group = ptx::warpgroup();
    position at;
    sum_of<C> sums[C::tile_n / 2];
    const tile_place& t = own.tile;
    const scales_of<C> scales(p, here.row(t) + group * 64, t.n * C::tile_n, own.first,
                              thread % 128);
    const bool straight = known(goes_straight(p) ? 1 : 0) == 1;
    const part_of_k share{here.part(), here.parts()};
    const auto place = [&] {
        return place_in_c<C>(p, of.own, here.row(t), t.n * C::tile_n, share, thread);
    };
    // Beside the sums of the largest tile there are no registers for it.
    constexpr bool early = C::tile_m * C::tile_n < 128 * 128;
    place_in_c<C> to;
    if (early) to = place();
    sum_up<C>(sums, r, at, own.end - own.first, group, thread % 128, false, scales);
    if (straight)
        return write_straight<C, Factor>([&] { return early ? to : place(); }, r.after, landed,
                                         share, thread, sums);
    write_narrow<C>(p, of.own, r.tiles, r.after, landed, here.part(), here.parts(), here.row(t),
                    t.n * C::tile_n, thread, sums);
}

// By the warps beside the copying one.
template <class C, class Factor>
__device__ __forceinline__ void send_second_halves(second_half& meeting, const arguments<Factor>& p,
                                                   const ring<C>& r, const place_in_grid<C>& here) {
    int count = 0;
    for (auto w = here.tiles_of(p); !w.is_over(); w.advance()) {
        const tile_place t = place_of(w.tile, p.tiles_m, p.tiles_n);
        const int col = here.col(t, columns_of_c<C>(p));
        if (leaves_in_halves<C>(p, col))
            send_second_half<C>(meeting, p, r.after, here.rows(t, p), col, count++ % 2);
    }
}

// By one thread, before any other of the cluster comes near them.
template <class C, class Factor>
__device__ __forceinline__ void make_barriers(barriers<C>& meetings, const arguments<Factor>& p,
                                              const place_in_grid<C>& here) {
#pragma unroll 1
    for (int stage = 0; stage < p.stages; ++stage) {
        ptx::make_barrier(meetings.full[stage], 1);
        ptx::make_barrier(meetings.empty[stage], C::readers * here.sharing);
    }
    ptx::make_barrier(meetings.landed, 1);
    ptx::make_barrier(meetings.packed, 96);
    ptx::make_barrier(meetings.later.filled, C::multiplying / 32);
    ptx::make_barrier(meetings.later.sent, warps_beside);
    for (ptx::barrier& b : meetings.added) ptx::make_barrier(b, 1);
    ptx::publish_barriers();
    if (!C::wide && here.parts() > 1)
        ptx::arrive_and_expect(meetings.landed,
                               goes_straight(p) ? sums_from_others<C>(here.parts())
                                                : bytes_from_others<C>(p.c.by_rows, here.parts()));
}

template <class C>
using maps_for = std::conditional_t<C::alike, maps_of_kinds, maps>;

template <class C, class Factor>
__global__ void __launch_bounds__(C::threads, C::residents)
    multiply_kernel(const __grid_constant__ maps_for<C> m,
                    const __grid_constant__ arguments<Factor> p) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];  // C::alignment
    __shared__ barriers<C> meetings;
    const ring<C> r(shared, meetings, p.stages, p.sharing);
    const place_in_grid<C> here(p.sharing);
    if (threadIdx.x == 0) {
        if (p.all.count == 0) {
            ptx::prefetch_map(m.a);
            ptx::prefetch_map(m.b);
        }
        make_barriers(meetings, p, here);
    }
    work of = work_of_one(m, p, here.cluster);
    if constexpr (C::alike) of.kinds = m.kinds;
    __shared__ stretch own_stretch;  // divisions: before the wait
    if (!C::wide && p.all.count == 0 && threadIdx.x == C::multiplying)
        own_stretch = stretch_of(of, here);
    if (C::wide) ptx::let_dependents_begin();
    __syncthreads();
    if (here.blocks > 1) ptx::meet_cluster();
    ptx::wait_for_predecessors();
    stretch own{};
    if constexpr (!C::wide) {
        own = own_stretch;
        if (p.all.count > 0) {
            of = work_of_member(p, here.cluster);
            own = stretch_of(of, here);
        }
    }

    const bool copies = C::wide ? threadIdx.x >= C::multiplying : ptx::warpgroup() >= C::warpgroups;
    if (copies) {
        if constexpr (C::wide) ptx::give_back_registers<C::registers_beside>();
        if (C::wide ? threadIdx.x == C::multiplying : ptx::is_elected()) {
            acquire_maps(of);
            copy_tiles<C>(r, of, p, here, own);
            if (!C::wide) ptx::let_dependents_begin();
        } else if (C::wide && threadIdx.x >= C::multiplying + 32) {
            if (C::packs_late && p.late.pieces > 0) {
                static_assert(!C::packs_late || late_bytes <= C::boxes_bytes);
                late_packer(p.late, r.after).run();
                ptx::arrive(meetings.packed);
            }
            if constexpr (C::leaves_in_halves) send_second_halves<C>(meetings.later, p, r, here);
        }
        __syncwarp();
    } else if constexpr (C::wide) {
        ptx::take_registers<C::registers>();
        if constexpr (C::apart)
            multiply_apart<C>(r, meetings, m, p, here);
        else
            multiply_wide<C>(r, meetings, m, p, here);
    } else {
        multiply_narrow<C>(r, meetings.landed, of, p, here, own);
    }
    // A block must not leave while others of its cluster write to its shared memory.
    if (here.shares()) ptx::meet_cluster();
#endif
}

template <class C, class Factor>
void launch(const maps_of_kinds& of, const arguments<Factor>& with, const extent& grid,
            cudaStream_t stream) {
    launch_closely(
        multiply_kernel<C, Factor>,
        {dim3(static_cast<unsigned>(grid.blocks), static_cast<unsigned>(grid.products)), C::threads,
         static_cast<std::size_t>(grid.shared_bytes), static_cast<unsigned>(grid.cluster)},
        stream, of, with);
}

template <class C, class Factor>
[[nodiscard]] constexpr kernel<Factor> kernel_with(const char* name) {
    return {name,
            reinterpret_cast<const void*>(multiply_kernel<C, Factor>),
            C::tile_m,
            C::tile_n,
            C::sharing,
            C::beside,
            C::threads,
            C::rows_that_leave,
            C::shared_bytes,
            C::stages_that_fit,
            launch<C, Factor>};
}

}  // namespace carat::cuda::sm90
