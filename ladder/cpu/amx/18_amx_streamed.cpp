// Step 18: C leaves past the caches, while the next tile is multiplied. When a tile of step 17 is
// complete, its rows are stored at once. Each store of a line that is not in a cache reads it from
// memory first, and drives a line of B or of the sums out of L2; and the unit waits until all 64
// lines are on their way. Here whole lines go to memory directly ("non-temporal" stores), two after
// each step of K of the next tile:
//
//      tile n        |step|step|step|step| ...
//      tile n - 1     row  row  row  row   ... of C, from the sums in L2, to memory
//
// That pays where C is too large for L2; a smaller C had better stay there, as in step 17.
#include "ladder/cpu/amx/block.hpp"
#include "ladder/cpu/amx/steps.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

namespace {

// Rows of complete sums that are still to be written.
struct finished_rows {
    const float* sums = nullptr;
    float* c = nullptr;
    std::int64_t left = 0;
};

inline void write_rows(const bf16_product& p, finished_rows& rows, std::int64_t count) {
    const __m512 alpha = _mm512_set1_ps(p.alpha);
    for (; count > 0 && rows.left > 0; --count, --rows.left) {
        _mm512_stream_ps(rows.c, _mm512_mul_ps(alpha, _mm512_load_ps(rows.sums)));
        _mm512_stream_ps(rows.c + 16, _mm512_mul_ps(alpha, _mm512_load_ps(rows.sums + 16)));
        rows.sums += amx_edge;
        rows.c += p.c.row_stride;
    }
}

inline void multiply_tile(const bf16_product& p, const tile_of_c& t, finished_rows& rows) {
    const std::int64_t share = (amx_edge + t.steps - 1) / t.steps;
    t.first ? zero_sums() : load_sums(t.sums, amx_edge);
    for (std::int64_t s = 0; s < t.steps; ++s) {
        multiply_step(t.a + s * t.ahead, t.b + s * t.ahead);
        write_rows(p, rows, share);
    }
    store_sums(t.sums, amx_edge);
}

// Rows of C begin on cache lines, which are written whole.
inline bool has_whole_lines(const bf16_product& p) {
    return p.beta == 0 && p.c.col_stride == 1 && p.c.row_stride % 16 == 0 &&
           reinterpret_cast<std::uintptr_t>(p.c.data) % 64 == 0;
}

}  // namespace

void multiply_block_streamed(const bf16_product& p, const std::uint16_t* packed_a,
                             const std::uint16_t* packed_b, float* sums) {
    const bool streams = has_whole_lines(p);
    finished_rows rows;
    for_slabs(p, packed_a, packed_b, sums, [&](const tile_of_c& t) {
        multiply_tile(p, t, rows);
        if (!t.last) return;
        if (streams && t.i + amx_edge <= p.m && t.j + amx_edge <= p.n)
            rows = {t.sums, p.c.data + t.i * p.c.row_stride + t.j, amx_edge};
        else
            write_tile(p, t);
    });
    write_rows(p, rows, rows.left);
    _mm_sfence();
}

}  // namespace carat::ladder::cpu::CARAT_ISA
