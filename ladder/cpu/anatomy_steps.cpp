// The catalogue rows of steps 8 to 13. Their loops are in anatomy/, compiled for each instruction
// set; this is their common part: a product is transposed so that the rows of C are contiguous,
// block sizes are chosen, and memory for packing is allocated before the first run.
#include <algorithm>

#include "ladder/cpu/blocked.hpp"
#include "ladder/cpu/tiles.hpp"

namespace carat::ladder::cpu {

namespace {

// The same edge in all directions.
template <class T>
blocks<T> one_tile_size(const level<T>&, const core::settings& s) {
    const std::int64_t size = s.value(tile_size);
    return {size, size, size, nullptr, nullptr};
}

template <class T, multiply<T>* level<T>::*Step, auto BlockSizes, bool Packs>
class anatomy_step {
  public:
    anatomy_step(const core::problem& p, const core::settings& s)
        : step_(level_in_use<T>().*Step),
          turned_(is_turned(p.c_layout)),
          blocks_(BlockSizes(level_in_use<T>(), s)) {
        if constexpr (Packs) reserve(turned_ ? p.n : p.m, turned_ ? p.m : p.n, p.k);
    }

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        step_(by_rows(turned_, alpha, a, b, c), blocks_);
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
template <class T>
using few_rows_step = anatomy_step<T, &level<T>::few_rows, from_the_caches<T>, true>;

}  // namespace

extern const rows::implementation anatomy_entries[6];
constexpr rows::implementation anatomy_entries[6] = {
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
    {.name = "cpu.ladder.few_rows",
     .summary = "and products of few rows read B where it lies",
     .signatures = real,
     .tunables = block_tunables,
     .unsupported = unsupported,
     .prepare = prepare_real<few_rows_step>},
};

}  // namespace carat::ladder::cpu
