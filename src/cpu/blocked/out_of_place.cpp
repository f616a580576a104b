// The loops for a C that cannot hold its sums: it is narrower, or must be added to them when they
// are finished. One rectangle of C at a time is summed over all of k, then finished and stored. The
// rectangle is small enough for L2 and L3, and large enough that packing the operands again for
// each rectangle costs next to nothing.
#include "cpu/blocked/out_of_place.hpp"

#include <algorithm>

namespace carat::cpu_engine {

namespace {

constexpr std::int64_t most_rows = 1024;
constexpr std::int64_t most_cols = 1024;

// Writes column (i, j) of C from `count` sums.
template <class T>
void store_column(const task<T>& t, T* sums, std::int64_t count, std::int64_t i, std::int64_t j,
                  const store_target<epilogue_type<T>>& c) {
    if constexpr (std::is_floating_point_v<T>)
        if (t.epilogue == nullptr)
            return c.store(count, sums, t.alpha, t.beta, c.at(i, j), c.row_stride);
    auto* const finished = reinterpret_cast<epilogue_type<T>*>(sums);
    (*t.epilogue)({finished, count, 1, count, t.first_row + i, t.first_col + j});
    c.store(count, finished, 1, 0, c.at(i, j), c.row_stride);
}

}  // namespace

std::int64_t out_of_place_elements(const plan::blocking& blocks, std::int64_t m, std::int64_t n) {
    return blocked_elements(blocks) + std::min(m, most_rows) * std::min(n, most_cols);
}

template <class T>
void multiply_out_of_place(const task<T>& t, const plan::blocking& blocks,
                           const store_target<epilogue_type<T>>& c, T* workspace) {
    T* const sums = workspace + blocked_elements(blocks);
    const std::int64_t rows = most_rows / t.with->mr * t.with->mr;
    for (std::int64_t j = 0; j < t.n; j += most_cols) {
        for (std::int64_t i = 0; i < t.m; i += rows) {
            task<T> part =
                rectangle(t, i, j, std::min(rows, t.m - i), std::min(most_cols, t.n - j));
            part.c = sums;
            part.c_row_stride = 1;
            part.c_col_stride = part.m;
            part.alpha = 1;
            part.beta = 0;
            part.epilogue = nullptr;
            multiply_blocked(part, blocks, workspace);
            for (std::int64_t q = 0; q < part.n; ++q)
                store_column(t, sums + q * part.m, part.m, i, j + q, c);
        }
    }
}

template <class T>
void store_zeros(const task<T>& t, const store_target<epilogue_type<T>>& c) {
    constexpr std::int64_t range = 256;
    if (t.epilogue == nullptr && t.beta == T{1}) return;
    for (std::int64_t j = 0; j < t.n; ++j) {
        for (std::int64_t i = 0; i < t.m; i += range) {
            T zeros[range] = {};
            store_column(t, zeros, std::min(range, t.m - i), i, j, c);
        }
    }
}

template void multiply_out_of_place(const task<double>&, const plan::blocking&,
                                    const store_target<double>&, double*);
template void multiply_out_of_place(const task<float>&, const plan::blocking&,
                                    const store_target<float>&, float*);
template void multiply_out_of_place(const task<std::uint32_t>&, const plan::blocking&,
                                    const store_target<float>&, std::uint32_t*);
template void store_zeros(const task<double>&, const store_target<double>&);
template void store_zeros(const task<float>&, const store_target<float>&);
template void store_zeros(const task<std::uint32_t>&, const store_target<float>&);

}  // namespace carat::cpu_engine
