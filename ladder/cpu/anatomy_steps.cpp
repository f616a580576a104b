// The catalogue rows of steps 8 to 12. Their loops are in anatomy/, compiled for each instruction
// set; this is their common part: a product is transposed so that the rows of C are contiguous,
// block sizes are chosen, and memory for packing is allocated before the first run.
#include <algorithm>

#include "ladder/cpu/anatomy/caches.hpp"
#include "ladder/cpu/anatomy/dispatch.hpp"
#include "ladder/cpu/step.hpp"
#include "ladder/cpu/tiles.hpp"

namespace carat::ladder::cpu {

namespace {

constexpr core::tunable block_tunables[] = {
    {"mc", 0, 0, 65536, "rows of the A block, which should fit in L2; 0: from the L2 size"},
    {"kc", 0, 0, 65536, "depth of the blocks: a B sliver should fit in L1; 0: from the L1 size"},
    {"nc", 0, 0, 65536, "columns of the B panel, which should fit in L3; 0: from the L3 size"}};

constexpr std::int64_t rounded_up(std::int64_t size, std::int64_t unit) {
    return (size + unit - 1) / unit * unit;
}

// The same edge in all directions.
template <class T>
blocks<T> one_tile_size(const level<T>&, const core::settings& s) {
    const std::int64_t size = s.value(tile_size);
    return {size, size, size, nullptr, nullptr};
}

// Two thirds of L1 for a sliver of B, half of L2 for the block of A, half of L3 for the panel of B;
// the rest is left for what streams past.
template <class T>
blocks<T> from_the_caches(const level<T>& l, const core::settings& s) {
    const auto size_of = std::int64_t{sizeof(T)};
    const auto choose = [&](const core::tunable& t, std::int64_t bytes, std::int64_t bytes_each,
                            std::int64_t unit) {
        const std::int64_t fitting = std::max(bytes / bytes_each / unit, std::int64_t{1}) * unit;
        return s.value(t) == 0 ? fitting : s.value(t);
    };
    blocks<T> b = {};
    b.kc = choose(block_tunables[1], caches().l1_bytes * 2 / 3, l.nr * size_of, 8);
    b.mc = choose(block_tunables[0], caches().l2_bytes / 2, b.kc * size_of, l.mr);
    b.nc = choose(block_tunables[2], caches().l3_bytes / 2, b.kc * size_of, l.nr);
    return b;
}

template <class T>
strided<T> plain(matrix_view<T> v) {
    return {v.data(), v.row_stride(), v.col_stride()};
}

template <class T, multiply<T>* level<T>::*Step, auto BlockSizes, bool Packs>
class anatomy_step {
  public:
    anatomy_step(const core::problem& p, const core::settings& s)
        : step_(level_in_use<T>().*Step),
          turned_(p.c_layout.col_stride != 1 && p.c_layout.row_stride == 1),
          blocks_(BlockSizes(level_in_use<T>(), s)) {
        if constexpr (Packs) reserve(turned_ ? p.n : p.m, turned_ ? p.m : p.n, p.k);
    }

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        if (turned_) {
            std::swap(a, b);
            a = transposed(a);
            b = transposed(b);
            c = transposed(c);
        }
        const auto extent = [](size_t size) { return static_cast<std::int64_t>(size); };
        step_({extent(c.rows()), extent(c.cols()), extent(a.cols()), alpha, plain(a), plain(b),
               plain(c)},
              blocks_);
    }

  private:
    void reserve(std::int64_t m, std::int64_t n, std::int64_t k) {
        const level<T>& l = level_in_use<T>();
        const std::int64_t depth = std::min(blocks_.kc, k);
        a_ = workspace<T>(rounded_up(std::min(blocks_.mc, m), l.mr), depth);
        b_ = workspace<T>(rounded_up(std::min(blocks_.nc, n), l.nr), depth);
        blocks_.packed_a = static_cast<T*>(a_.data());
        blocks_.packed_b = static_cast<T*>(b_.data());
    }

    multiply<T>* step_;
    bool turned_;
    blocks<T> blocks_;
    space::buffer a_, b_;
};

template <class T>
using simd_step = anatomy_step<T, &level<T>::simd, one_tile_size<T>, false>;
template <class T>
using register_tile_step = anatomy_step<T, &level<T>::register_tile, one_tile_size<T>, false>;
template <class T>
using packing_step = anatomy_step<T, &level<T>::packing, one_tile_size<T>, true>;
template <class T>
using prefetch_step = anatomy_step<T, &level<T>::prefetch, one_tile_size<T>, true>;
template <class T>
using multi_level_step = anatomy_step<T, &level<T>::multi_level, from_the_caches<T>, true>;

}  // namespace

extern const rows::implementation anatomy_entries[5];
constexpr rows::implementation anatomy_entries[5] = {
    {.name = "cpu.ladder.simd",
     .summary = "tiles in vectors of the best instruction set (ikj inside a tile)",
     .signatures = real,
     .tunables = tile_tunables,
     .unsupported = unsupported,
     .prepare = prepare_real<simd_step>},
    {.name = "cpu.ladder.register_tile",
     .summary = "and a tile of C kept in registers while k runs",
     .signatures = real,
     .tunables = tile_tunables,
     .unsupported = unsupported,
     .prepare = prepare_real<register_tile_step>},
    {.name = "cpu.ladder.packing",
     .summary = "and tiles of A and B copied into the order of use",
     .signatures = real,
     .tunables = tile_tunables,
     .unsupported = unsupported,
     .prepare = prepare_real<packing_step>},
    {.name = "cpu.ladder.prefetch",
     .summary = "and the next tile of C and A asked for ahead",
     .signatures = real,
     .tunables = tile_tunables,
     .unsupported = unsupported,
     .prepare = prepare_real<prefetch_step>},
    {.name = "cpu.ladder.multi_level",
     .summary = "and a block size for each level of cache: the anatomy of a BLAS",
     .signatures = real,
     .tunables = block_tunables,
     .unsupported = unsupported,
     .prepare = prepare_real<multi_level_step>},
};

}  // namespace carat::ladder::cpu
