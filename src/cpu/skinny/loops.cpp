// Products with few columns: a stretch of rows at a time, whose sums stay near over all of k. With
// more than most_skinny_columns, groups of columns take turns with what was read of A,
// skinny_k_block at a time.
#include "cpu/skinny/loops.hpp"

#include <algorithm>

#include "cpu/scratch.hpp"

namespace carat::cpu_engine {

namespace {

// Stretches are as long as these allow: the reader of A starts anew at each.
constexpr std::int64_t sums_bytes = 64 << 10;
constexpr std::int64_t line_bytes = 64;
// The longest k at once for rows of A contiguous in k, between which lanes are added up.
constexpr std::int64_t most_depth = 1024;

template <class T>
constexpr std::int64_t line = line_bytes / static_cast<std::int64_t>(sizeof(T));

// An odd number of cache lines, so that columns do not share a few sets of L1.
template <class T>
std::int64_t odd_lines(std::int64_t elements) {
    return (plan::ceil_div(elements, line<T>) | 1) * line<T>;
}

// The distance from one column's sums to the next one's: the longest stretch of rows.
template <class T>
std::int64_t sums_step(std::int64_t m, std::int64_t n, std::int64_t k, bool by_rows) {
    // If lanes are added up once a row, the next reads of A overlap with storing few sums to C:
    // 5000 x 5 x 500 in f64 32 to 33 GFLOP/s.
    constexpr std::int64_t few_lines = 5;
    const std::int64_t most_rows =
        !by_rows && k <= most_depth ? few_lines : (sums_bytes / line_bytes / n - 1) | 1;
    return std::min(odd_lines<T>(m), most_rows * line<T>);
}

// The distance from one copied column of B to the next.
template <class T>
std::int64_t copied_step(std::int64_t k) {
    return odd_lines<T>(std::min(k, most_depth));
}

// Columns [first, first + call.cols) of C from the sums.
template <class T>
void store(const task<T>& t, const skinny_call<T>& call, std::int64_t i, std::int64_t first) {
    if constexpr (std::is_floating_point_v<T>)
        if (t.epilogue != nullptr)
            (*t.epilogue)({call.sums, call.rows, call.cols, call.sums_step, t.first_row + i,
                           t.first_col + first});
    for (int j = 0; j < call.cols; ++j) {
        const T* const sums = call.sums + j * call.sums_step;
        T* const c = t.c_at(i, first + j);
        const std::int64_t step = t.c_row_stride;
        if constexpr (std::is_floating_point_v<T>)
            t.with->store[dtype_of_v<T>](call.rows, sums, t.alpha, t.beta, c, step);
        else if (t.beta == T{0})
            for (std::int64_t p = 0; p < call.rows; ++p) c[p * step] = t.alpha * sums[p];
        else
            for (std::int64_t p = 0; p < call.rows; ++p)
                c[p * step] = t.alpha * sums[p] + t.beta * c[p * step];
    }
}

// Prefetches the share of group `index` of `groups` in the next k, or in the first k of the next
// rows.
template <class T>
void fetch_share(const task<T>& t, skinny_call<T>& call, std::int64_t i, std::int64_t p,
                 std::int64_t index, std::int64_t groups) {
    const std::int64_t share = plan::ceil_div(skinny_k_block, groups);
    const std::int64_t depth = index * share;
    const bool deeper = p + 2 * skinny_k_block <= t.k;
    const bool last = !deeper && i + call.rows >= t.m;
    const std::byte* const next =
        deeper ? t.a.at(i, p + skinny_k_block + depth) : t.a.at(i + call.rows, depth);
    call.next = reinterpret_cast<const T*>(next);
    call.fetched =
        last ? 0 : static_cast<int>(std::min<std::int64_t>(share, skinny_k_block - depth));
}

// Depths that are not worth loading and storing sums for each few of them.
constexpr std::int64_t few_depths = 4 * skinny_k_block;

// Whether tiles read A, since rows are few, or depths and A is not large. The bits are the same.
template <class T>
bool takes_tiles(const task<T>& t) {
    constexpr std::int64_t few_lines = 16;
    constexpr std::int64_t most_bytes = 4 << 20;
    if (!std::is_floating_point_v<T> || t.n < least_tile_columns) return false;
    if (plan::ceil_div(t.m, line<T>) <= few_lines) return true;
    return t.k <= few_depths && t.m * t.k * std::int64_t{sizeof(T)} <= most_bytes;
}

// Depths that tiles multiply at a time. L1 keeps those of few rows for other tiles and columns.
template <class T>
std::int64_t depths_of_tiles(std::int64_t rows, std::int64_t k) {
    constexpr std::int64_t near_bytes = 16 << 10;
    if (k <= few_depths) return k;
    return std::max<std::int64_t>(near_bytes / (plan::ceil_div(rows, line<T>) * line_bytes),
                                  skinny_k_block);
}

// A is contiguous in m.
template <class T>
void add_columns(const task<T>& t, skinny_call<T> call, std::int64_t i) {
    const std::int64_t groups = plan::ceil_div(t.n, plan::most_skinny_columns);
    const bool by_tiles = takes_tiles(t);
    const auto& kernels = by_tiles ? t.with->skinny_tiles : t.with->skinny_columns;
    call.a_stride = t.a.k_stride;
    call.b_k_stride = t.b.k_stride;
    call.b_col_stride = t.b.outer_stride;
    T* const sums = call.sums;
    const std::int64_t together = by_tiles      ? depths_of_tiles<T>(call.rows, t.k)
                                  : groups == 1 ? t.k
                                                : skinny_k_block;
    for (std::int64_t p = 0; p < t.k; p += together) {
        call.k = std::min(together, t.k - p);
        call.a = reinterpret_cast<const T*>(t.a.at(i, p));
        std::int64_t first = 0;
        for (std::int64_t left = groups; left > 0; --left, first += call.cols) {
            call.cols = static_cast<int>(plan::ceil_div(t.n - first, left));
            call.b = reinterpret_cast<const T*>(t.b.at(first, p));
            call.sums = sums + first * call.sums_step;
            if (by_tiles)
                call.fetched = first != 0          ? 0
                               : t.k <= few_depths ? fetches_next_rows
                                                   : fetches_next_depths;
            else if (groups > 1)
                fetch_share(t, call, i, p, groups - left, groups);
            kernels[static_cast<std::size_t>(call.cols - 1)](call);
        }
    }
}

// More columns than the kernels take are divided into groups whose tiles load least: 3 rows by 4
// columns, or 4 by 3, are 7 vectors for 12 multiply-adds. The groups read the same rows from L2.
template <class T>
void add_groups_of_rows(const task<T>& t, const skinny_call<T>& all) {
    constexpr std::int64_t most_in_group = 4;
    if (all.cols <= plan::most_skinny_columns)
        return t.with->skinny_rows[static_cast<std::size_t>(all.cols - 1)](all);
    skinny_call<T> call = all;
    std::int64_t first = 0;
    for (std::int64_t left = plan::ceil_div(all.cols, most_in_group); left > 0;
         --left, first += call.cols) {
        call.cols = static_cast<int>(plan::ceil_div(all.cols - first, left));
        t.with->skinny_rows[static_cast<std::size_t>(call.cols - 1)](call);
        call.b += call.cols * call.b_col_stride;
        call.sums += call.cols * call.sums_step;
    }
}

// Four adjacent columns are transposed in registers.
template <class T>
void copy_columns(const task<T>& t, const skinny_call<T>& call, T* copy, std::int64_t step) {
    if (t.b.outer_stride == 1 && call.cols >= 4) {
        for (std::int64_t q = 0; q < call.k; q += t.with->mr) {
            const auto depths = static_cast<int>(std::min<std::int64_t>(t.with->mr, call.k - q));
            t.with->turn_rows(call.b + q * t.b.k_stride, t.b.k_stride, depths, call.cols, copy + q,
                              step);
        }
        return;
    }
    for (int j = 0; j < call.cols; ++j) {
        const T* from = call.b + j * t.b.outer_stride;
        for (std::int64_t q = 0; q < call.k; ++q, from += t.b.k_stride) copy[j * step + q] = *from;
    }
}

// A is contiguous in k. b is copied if it is not, and stays in `copy` for the next rows if it fits
// there whole.
template <class T>
void add_rows(const task<T>& t, skinny_call<T>& call, std::int64_t i, T* copy) {
    call.a_stride = t.a.outer_stride;
    call.b_col_stride = t.b.outer_stride;
    constexpr std::int64_t near_bytes = 32 << 10;
    call.fetched = t.m * t.k * std::int64_t{sizeof(T)} > near_bytes ? 1 : 0;
    const std::int64_t step = copied_step<T>(t.k);
    for (std::int64_t p = 0; p < t.k; p += most_depth) {
        call.k = std::min(most_depth, t.k - p);
        call.a = reinterpret_cast<const T*>(t.a.at(i, p));
        call.b = reinterpret_cast<const T*>(t.b.at(0, p));
        if (t.b.k_stride != 1) {
            const bool is_there = i > 0 && t.k <= most_depth;
            if (!is_there) copy_columns(t, call, copy, step);
            call.b = copy;
            call.b_col_stride = step;
        }
        add_groups_of_rows(t, call);
    }
}

// One panel of A, with the sums of its rows.
template <class T>
void add_panel(const task<T>& t, skinny_call<T> call, std::int64_t i, std::int64_t first) {
    call.k = t.k;
    call.a = reinterpret_cast<const T*>(t.a.at(i, 0));
    call.b_k_stride = t.b.k_stride;
    call.b_col_stride = t.b.outer_stride;
    for (int left = call.cols; left > 0; left -= call.cols, first += call.cols) {
        call.cols = std::min(left, t.with->nr);
        call.b = reinterpret_cast<const T*>(t.b.at(first, 0));
        t.with->panel_columns[static_cast<std::size_t>(call.cols - 1)](call);
        call.sums += call.cols * call.sums_step;
    }
}

template <class T>
void add_panel_by_lanes(const task<T>& t, skinny_call<T> call, std::int64_t i, std::int64_t first) {
    std::fill(call.sums, call.sums + call.cols * call.sums_step, T{0});
    call.b_k_stride = t.b.k_stride;
    call.b_col_stride = t.b.outer_stride;
    for (int left = call.cols; left > 0; left -= call.cols, first += call.cols) {
        call.cols = std::min(left, t.with->nr);
        for (std::int64_t p = 0; p < t.k; p += most_depth) {
            call.k = std::min(most_depth, t.k - p);
            call.a = reinterpret_cast<const T*>(t.a.at(i, p));
            call.b = reinterpret_cast<const T*>(t.b.at(first, p));
            t.with->panel_by_lanes[static_cast<std::size_t>(call.cols - 1)](call);
        }
        call.sums += call.cols * call.sums_step;
    }
}

}  // namespace

template <class T>
std::int64_t skinny_elements(std::int64_t m, std::int64_t n, std::int64_t k, bool by_rows,
                             bool copies_b) {
    return n * (sums_step<T>(m, n, k, by_rows) + (copies_b && !by_rows ? copied_step<T>(k) : 0));
}

template <class T>
std::int64_t skinny_packed_elements(const kernel<T>& with, std::int64_t n, bool by_lanes) {
    const std::int64_t cols = std::min<std::int64_t>(plan::most_skinny_columns, n);
    const std::int64_t lanes = by_lanes ? with.lanes * std::min<std::int64_t>(with.nr, cols) : 0;
    return with.mr * (cols + lanes);
}

namespace {

// Stores all at once if columns are close together: 5 x 1 x 190 took a quarter longer one by one.
template <class T>
void clear_sums(const skinny_call<T>& call, std::int64_t columns) {
    const std::int64_t used = plan::ceil_div(call.rows, line<T>) * line<T>;
    if (2 * used >= call.sums_step) {
        std::fill_n(call.sums, columns * call.sums_step, T{0});
        return;
    }
    for (std::int64_t j = 0; j < columns; ++j)
        std::fill_n(call.sums + j * call.sums_step, used, T{0});
}

// Calls multiply(task) for each kc depths of t. Their sums are added to C one after the other.
template <class T, class Multiply>
void for_each_block_of_depths(const task<T>& t, std::int64_t kc, const Multiply& multiply) {
    task<T> part = t;
    for (std::int64_t p = 0; p < t.k; p += kc, part.beta = T{1}) {
        part.k = std::min(kc, t.k - p);
        part.a.data = t.a.at(0, p);
        part.b.data = t.b.at(0, p);
        multiply(part);
    }
}

template <class T>
void multiply_depths(const task<T>& t, T* workspace) {
    scratch<T> own(workspace);
    T* const sums = own.memory();
    skinny_call<T> call{};
    call.sums = sums;
    call.cols = static_cast<int>(t.n);
    call.sums_step = sums_step<T>(t.m, t.n, t.k, t.a.outer_stride == 1);
    T* const copy = sums + t.n * call.sums_step;
    for (std::int64_t i = 0; i < t.m; i += call.rows) {
        call.rows = std::min(call.sums_step, t.m - i);
        clear_sums(call, t.n);
        if (t.a.outer_stride == 1)
            add_columns(t, call, i);
        else
            add_rows(t, call, i, copy);
        store(t, call, i, 0);
    }
}

template <class T>
void multiply_packed_depths(const task<T>& t, bool by_lanes, T* workspace) {
    scratch<T> own(workspace);
    skinny_call<T> call{};
    call.sums = own.memory();
    call.sums_step = t.with->mr;
    call.of_lanes =
        own.memory() + t.with->mr * std::min<std::int64_t>(plan::most_skinny_columns, t.n);
    for (std::int64_t i = 0; i < t.m; i += call.rows) {
        call.rows = std::min<std::int64_t>(t.with->mr, t.m - i);
        for (std::int64_t j = 0; j < t.n; j += call.cols) {
            call.cols =
                static_cast<int>(std::min<std::int64_t>(plan::most_skinny_columns, t.n - j));
            if (by_lanes)
                add_panel_by_lanes(t, call, i, j);
            else
                add_panel(t, call, i, j);
            store(t, call, i, j);
        }
    }
}

}  // namespace

template <class T>
void multiply_skinny(const task<T>& t, std::int64_t kc, T* workspace) {
    for_each_block_of_depths(t, kc, [&](const task<T>& part) { multiply_depths(part, workspace); });
}

template <class T>
void multiply_skinny_packed(const task<T>& t, bool by_lanes, std::int64_t kc, T* workspace) {
    for_each_block_of_depths(
        t, kc, [&](const task<T>& part) { multiply_packed_depths(part, by_lanes, workspace); });
}

template void multiply_skinny_packed(const task<double>&, bool, std::int64_t, double*);
template void multiply_skinny_packed(const task<float>&, bool, std::int64_t, float*);
template std::int64_t skinny_packed_elements(const kernel<double>&, std::int64_t, bool);
template std::int64_t skinny_packed_elements(const kernel<float>&, std::int64_t, bool);
template void multiply_skinny(const task<double>&, std::int64_t, double*);
template void multiply_skinny(const task<float>&, std::int64_t, float*);
template void multiply_skinny(const task<std::uint32_t>&, std::int64_t, std::uint32_t*);
template std::int64_t skinny_elements<double>(std::int64_t, std::int64_t, std::int64_t, bool, bool);
template std::int64_t skinny_elements<float>(std::int64_t, std::int64_t, std::int64_t, bool, bool);
template std::int64_t skinny_elements<std::uint32_t>(std::int64_t, std::int64_t, std::int64_t, bool,
                                                     bool);

}  // namespace carat::cpu_engine
