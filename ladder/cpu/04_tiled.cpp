// Step 4: tiles. Cut the matrices into squares of T x T that stay in a near cache while they are
// used, and multiply tiles as step 1 multiplies elements (the last row and column of tiles are
// whatever is left over):
//
//            k ->               j                  j
//        +--+--+--+-        +--+--+-           +--+--+-
//      i |==|==|==|         |  |::|          i |  |##|
//        +--+--+--+-        +--+--+-           +--+--+-
//        |  | A|  |       k |  |::|            |  | C|
//        +--+--+--+-        +--+--+-           +--+--+-
//
// Each element brought into the cache is now used T times instead of once, so memory is read T
// times less. Three tiles have to fit: 3 T^2 elements. Inside a tile nothing has changed: the walk
// down a column of B and the single chain of additions of step 1 remain, now from the cache.
// Reference: document 000, "tiled"; Lam, Rothberg and Wolf, ASPLOS 1991.
#include "ladder/cpu/step.hpp"
#include "ladder/cpu/tiles.hpp"

namespace carat::ladder::cpu {

namespace {

template <class T>
class tiled {
  public:
    tiled(const core::problem&, const core::settings& s)
        : size_(static_cast<size_t>(s.value(tile_size))) {}

    void operator()(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) {
        for (size_t i = 0; i < c.rows(); i += size_) {
            for (size_t j = 0; j < c.cols(); j += size_) {
                for (size_t k = 0; k < a.cols(); k += size_)
                    dot_products(alpha, tile(a, i, k, size_), tile(b, k, j, size_),
                                 tile(c, i, j, size_));
            }
        }
    }

  private:
    [[gnu::noinline]] static void dot_products(T alpha, matrix_view<const T> a,
                                               matrix_view<const T> b, matrix_view<T> c) {
        for (size_t i = 0; i < c.rows(); ++i) {
            for (size_t j = 0; j < c.cols(); ++j) {
                T sum = 0;
                for (size_t k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
                c(i, j) += alpha * sum;
            }
        }
    }

    size_t size_;
};

}  // namespace

extern const rows::implementation tiled_entry;
constexpr rows::implementation tiled_entry = {
    .name = "cpu.ladder.tiled",
    .summary = "square tiles that stay in the cache, ijk inside a tile",
    .signatures = real_and_integer,
    .tunables = tile_tunables,
    .unsupported = unsupported,
    .prepare = prepare<tiled>,
};

}  // namespace carat::ladder::cpu
