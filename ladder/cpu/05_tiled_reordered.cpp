// Step 5: steps 2 and 4 together. Tiles keep the operands near, and inside a tile the loops run
// ikj, along the rows of B and C:
//
//          k                    j ->               j ->
//        +-|----+           +------+           +------+
//      i | o    |         k |------|         i |++++++|      one tile of each,
//        |      |           |      |           |      |      all three in the cache
//        +------+           +------+           +------+
//
// This is as far as plain loops and a compiler go: the compiler uses the vectors that every
// machine of the architecture has, and each vector of C is loaded and stored for every step of k.
// Everything later is about the distance from here to what the core can do.
// Reference: document 002, "tiled", and document 004, "blocked interchanged".
#include "ladder/cpu/step.hpp"
#include "ladder/cpu/tiles.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
class tiled_reordered {
  public:
    tiled_reordered(const core::problem&, const core::settings& s)
        : size_(static_cast<size_t>(s.value(tile_size))) {}

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        for (size_t i = 0; i < c.rows(); i += size_)
            for (size_t j = 0; j < c.cols(); j += size_)
                multiply_tiles(alpha, a, b, c, i, j, size_);
    }

  private:
    size_t size_;
};

}  // namespace

extern const rows::implementation tiled_reordered_entry;
constexpr rows::implementation tiled_reordered_entry = {
    .name = "cpu.ladder.tiled_reordered",
    .summary = "square tiles, ikj inside a tile",
    .signatures = real_and_integer,
    .tunables = tile_tunables,
    .unsupported = unsupported,
    .prepare = prepare<tiled_reordered>,
};

}  // namespace carat::ladder::cpu
