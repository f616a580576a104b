// The path for small products, and for those whose operands stay in the caches or stream through
// them once: packing would cost more than it saves. B is read unpacked, element by element; so is A
// if its rows are contiguous, else a tile's rows are packed, a stretch of k at a time.
#include "cpu/unpacked/loops.hpp"

#include <algorithm>

#include "cpu/scratch.hpp"

namespace carat::cpu_engine {

namespace {

// Steps of k that take less time than a call for each tile.
constexpr std::int64_t depths_of_a_call = 16;

// Vectors of the next tile. Four at once, if kernels have them, only if a single one would remain
// otherwise: 4 x 6 and 3 x 8 do as many multiply-adds a load, 1 x 8 half.
int next_vectors(std::int64_t left, int most) {
    if (left <= most) return static_cast<int>(left);
    if (most == 4) return left % 3 == 1 ? 4 : 3;
    return left < 2 * most ? static_cast<int>((left + 1) / 2) : most;
}

// Columns of the next tile: the last two share the rest evenly.
std::int64_t next_columns(std::int64_t left, std::int64_t most) {
    if (left <= most) return left;
    return left < 2 * most ? (left + 1) / 2 : most;
}

// Whether nothing must be done between one tile and the next.
template <class T>
bool may_share_a_call(const task<T>& t) {
    return t.c_row_stride == 1 && t.epilogue == nullptr && !t.fetches_c;
}

// Tiles side by side in one call: products with the same A. With small k a tile takes less time
// than a call.
template <class T>
void micropanel_at_once(const task<T>& t, tile_call<T>& call, std::int64_t most, std::int64_t i,
                        std::int64_t depth) {
    const std::int64_t width = t.n <= most ? t.n : plan::ceil_div(t.n, plan::ceil_div(t.n, most));
    const auto run = [&](std::int64_t j, std::int64_t cols, std::int64_t count) {
        call.cols = static_cast<int>(cols);
        call.b = reinterpret_cast<const T*>(t.b.at(j, depth));
        call.c = t.c_at(i, j);
        call.c_col_stride = t.c_col_stride;
        t.with->find_products(call.rows, call.cols, call.k)(
            call, {count, 0, cols * t.b.outer_stride, cols * t.c_col_stride});
    };
    const std::int64_t rest = t.n % width;
    run(0, width, t.n / width);
    if (rest != 0) run(t.n - rest, rest, 1);
}

// All columns of C for the rows of A in `call`.
template <class T>
void micropanel(const task<T>& t, tile_call<T>& call, int vectors, std::int64_t i,
                std::int64_t depth) {
    const int most = t.with->unpacked_columns[static_cast<std::size_t>(vectors - 1)];
    if (may_share_a_call(t)) return micropanel_at_once(t, call, most, i, depth);
    for (std::int64_t j = 0; j < t.n; j += call.cols) {
        call.cols = static_cast<int>(next_columns(t.n - j, most));
        call.b = reinterpret_cast<const T*>(t.b.at(j, depth));
        run_tile(t.with->unpacked, t, call, i, j);
    }
}

template <class T>
tile_call<T> call_of(const task<T>& t) {
    return {.k = 0,
            .a = nullptr,
            .a_k_stride = t.a.k_stride,
            .b = nullptr,
            .b_k_stride = t.b.k_stride,
            .b_col_stride = t.b.outer_stride,
            .c = nullptr,
            .c_col_stride = 0,
            .alpha = t.alpha,
            .beta = t.beta,
            .fetches_c = t.fetches_c,
            .last = false,
            .rows = 0,
            .cols = 0,
            .packed_a = nullptr};
}

// Calls work(i, rows, vectors) for tiles of at most `most` vectors that cover m rows.
template <class T, class Work>
void for_each_tile_of_rows(const task<T>& t, int most, const Work& work) {
    const int lanes = t.with->lanes;
    std::int64_t left = t.m <= lanes ? 1 : (t.m + lanes - 1) / lanes;
    for (std::int64_t i = 0; i < t.m;) {
        const int vectors = next_vectors(left, most);
        const std::int64_t rows = std::min<std::int64_t>(t.m - i, vectors * lanes);
        work(i, static_cast<int>(rows), vectors);
        left -= vectors;
        i += rows;
    }
}

// Vectors of the tiles that hold most rows, if all tiles have the same columns.
int even_vectors(std::int64_t all, int most) {
    if (all <= most) return static_cast<int>(all);
    return most == 4 && (all % 4 != 0 || all % 3 == 0) ? 3 : most;
}

// The number of vectors to take next of `left`, avoiding a single one if possible.
int next_even_vectors(std::int64_t left, int most) {
    if (left > most + 1 || left <= most)
        return static_cast<int>(std::min<std::int64_t>(left, most));
    return static_cast<int>((left + 1) / 2);
}

// Whether tiles run best below each other although A is near.
template <class T>
bool is_tall(const task<T>& t) {
    if (!may_share_a_call(t)) return false;
    if (t.n <= t.with->tall_columns) return true;
    const bool is_near = t.m * t.n * std::int64_t{sizeof(T)} <= near_c_bytes;
    if (is_near) return t.m >= 8 * t.with->lanes && t.k <= depths_of_a_call;
    // Includes the rows of a masked vector before the next columns, so C is written in memory
    // order.
    return t.with->finish_rows != nullptr && t.m >= 6 * t.with->lanes && t.k <= few_depths;
}

// Tiles of columns from j on, below each other.
template <class T>
void run_down(const task<T>& t, tile_call<T>& call, int most_vectors, std::int64_t j,
              std::int64_t depth) {
    const int lanes = t.with->lanes;
    if (call.cols <= t.with->tall_columns && may_share_a_call(t)) {
        call.a = reinterpret_cast<const T*>(t.a.at(0, depth));
        call.c = t.c_at(0, j);
        call.c_col_stride = t.c_col_stride;
        call.fetches_c = fetches_tall_c(t.m * t.n * std::int64_t{sizeof(T)}, call.k);
        return t.with->tall[static_cast<std::size_t>(call.cols - 1)](call, t.m);
    }
    for (std::int64_t i = 0; i < t.m; i += call.rows) {
        const std::int64_t left = t.m - i;
        const int vectors = next_even_vectors(plan::ceil_div(left, lanes), most_vectors);
        call.rows = static_cast<int>(std::min<std::int64_t>(left, vectors * lanes));
        call.a = reinterpret_cast<const T*>(t.a.at(i, depth));
        run_tile(t.with->unpacked, t, call, i, j);
    }
}

// Some columns of C: a micropanel of B stays in L1 while A passes.
template <class T>
void multiply_columns(const task<T>& t, tile_call<T>& call, std::int64_t first, std::int64_t end,
                      std::int64_t depth) {
    const std::int64_t all = plan::ceil_div(t.m, t.with->lanes);
    const int even = even_vectors(all, t.with->unpacked_vectors);
    const int most = t.with->unpacked_columns[static_cast<std::size_t>(even - 1)];
    for (std::int64_t j = first; j < end; j += call.cols) {
        call.cols = static_cast<int>(next_columns(end - j, most));
        call.b = reinterpret_cast<const T*>(t.b.at(j, depth));
        run_down(t, call, even, j, depth);
    }
}

// A is near, so each tile of rows may have its best number of columns.
template <class T>
void rows_first(const task<T>& t, std::int64_t kc) {
    tile_call<T> call = call_of(t);
    for (std::int64_t p = 0; p < t.k; p += kc, call.beta = T{1}) {
        call.k = std::min(kc, t.k - p);
        call.last = p + call.k == t.k;
        for_each_tile_of_rows(t, t.with->unpacked_vectors,
                              [&](std::int64_t i, int rows, int vectors) {
                                  call.rows = rows;
                                  call.a = reinterpret_cast<const T*>(t.a.at(i, p));
                                  micropanel(t, call, vectors, i, p);
                              });
    }
}

template <class T>
void columns_first(const task<T>& t, std::int64_t nc, std::int64_t kc) {
    tile_call<T> call = call_of(t);
    for (std::int64_t j = 0; j < t.n; j += nc) {
        call.beta = t.beta;
        for (std::int64_t p = 0; p < t.k; p += kc, call.beta = T{1}) {
            call.k = std::min(kc, t.k - p);
            call.last = p + call.k == t.k;
            multiply_columns(t, call, j, std::min(t.n, j + nc), p);
        }
    }
}

// How many rows of a distant C are better written column by column, in memory order, before the
// others: 404 x 416 x 13 took 1.8 times as long with AVX2 in f64 one row of tiles after the other.
// Whole tiles only: after a masked store, reads beside it wait.
template <class T>
std::int64_t rows_by_columns(const task<T>& t) {
    if (t.m * t.n * std::int64_t{sizeof(T)} <= near_c_bytes) return 0;
    const std::int64_t tile = 3 * t.with->lanes;
    return t.m >= 2 * tile ? t.m / tile * tile : 0;
}

template <class T>
void multiply_where_it_lies(const task<T>& t, std::int64_t nc, std::int64_t kc) {
    constexpr std::int64_t near_bytes = 64 << 10;
    const bool is_near = t.m * t.k * std::int64_t{sizeof(T)} <= near_bytes;
    if (!is_near || is_tall(t)) return columns_first(t, nc, kc);
    const std::int64_t first = rows_by_columns(t);
    if (first == 0) return rows_first(t, kc);
    task<T> part = rectangle(t, 0, 0, first, t.n);
    columns_first(part, nc, kc);
    if (first == t.m) return;
    part = rectangle(t, first, 0, t.m - first, t.n);
    part.c = t.c_at(first, 0);
    rows_first(part, kc);
}

template <class T>
void pack_tile(const task<T>& t, std::int64_t i, std::int64_t p, int rows, std::int64_t k,
               T* panel) {
    const std::byte* const from = t.a.at(i, p);
    if (t.a.k_stride != 1) return t.pack_a(from, t.a.outer_stride, t.a.k_stride, rows, k, panel);
    t.with->turn_rows(reinterpret_cast<const T*>(from), t.a.outer_stride, rows, k, panel,
                      t.with->mr);
}

// As many rows as fit on the stack, which are many if k is small, are transposed and multiplied.
template <class T>
void multiply_turning_a(const task<T>& t, std::int64_t kc, std::int64_t most_rows, T* turned) {
    for (std::int64_t i = 0; i < t.m; i += most_rows) {
        const std::int64_t rows = std::min(most_rows, t.m - i);
        const std::int64_t step = plan::ceil_div(rows, t.with->lanes) * t.with->lanes;
        for (std::int64_t p = 0; p < rows; p += t.with->mr)
            t.with->turn_rows(reinterpret_cast<const T*>(t.a.at(i + p, 0)), t.a.outer_stride,
                              static_cast<int>(std::min<std::int64_t>(t.with->mr, rows - p)), t.k,
                              turned + p, step);
        task<T> part = rectangle(t, i, 0, rows, t.n);
        part.c = t.c_at(i, 0);
        part.a = {reinterpret_cast<const std::byte*>(turned), t.a.element_bytes, 1, step};
        multiply_where_it_lies(part, t.n, kc);
    }
}

template <class T>
void multiply_packing_a(const task<T>& t, std::int64_t kc, T* workspace) {
    scratch<T> own(workspace);
    T* const panel = own.memory();
    const std::int64_t mr = t.with->mr;
    const std::int64_t most_rows =
        stack_bytes / static_cast<std::int64_t>(sizeof(T)) / t.k / mr * mr;
    if (workspace == nullptr && t.a.k_stride == 1 && t.m > mr && most_rows >= 2 * mr)
        return multiply_turning_a(t, kc, most_rows, panel);
    tile_call<T> call = call_of(t);
    call.a = panel;
    call.a_k_stride = t.with->mr;
    for (std::int64_t p = 0; p < t.k; p += kc, call.beta = T{1}) {
        call.k = std::min(kc, t.k - p);
        call.last = p + call.k == t.k;
        for_each_tile_of_rows(t, t.with->mr / t.with->lanes,
                              [&](std::int64_t i, int rows, int vectors) {
                                  call.rows = rows;
                                  pack_tile(t, i, p, rows, call.k, panel);
                                  micropanel(t, call, vectors, i, p);
                              });
    }
}

}  // namespace

std::int64_t unpacked_elements(int mr, std::int64_t k, std::int64_t kc) {
    return mr * std::min(k, kc);
}

template <class T>
void multiply_unpacked(const task<T>& t, bool packs_a, std::int64_t nc, std::int64_t kc,
                       T* workspace) {
    if (packs_a || t.a.outer_stride != 1) return multiply_packing_a(t, kc, workspace);
    multiply_where_it_lies(t, nc, kc);
}

template void multiply_unpacked(const task<double>&, bool, std::int64_t, std::int64_t, double*);
template void multiply_unpacked(const task<float>&, bool, std::int64_t, std::int64_t, float*);
template void multiply_unpacked(const task<std::uint32_t>&, bool, std::int64_t, std::int64_t,
                                std::uint32_t*);

}  // namespace carat::cpu_engine
