// The path for small products, where packing would cost as much as multiplying.
#include <algorithm>

#include "cpu/driver/loops.hpp"

namespace carat::cpu_engine {

namespace {

constexpr std::int64_t stack_depth = 128;

// The next of the fewest tiles of at most `most` that cover `left`, cut evenly in steps of `unit`:
// 32 rows of vectors of 8 are 16 and 16 rather than 24 and 8.
std::int64_t next_tile(std::int64_t left, std::int64_t most, std::int64_t unit) {
    const std::int64_t tiles = (left + most - 1) / most;
    const std::int64_t units = (left + unit - 1) / unit;
    return std::min(left, (units + tiles - 1) / tiles * unit);
}

template <class T>
void strip(const task<T>& t, tile_call<T> call, std::int64_t i, std::int64_t depth) {
    call.b_step = t.b.along;
    call.b_across = t.b.across;
    for (std::int64_t j = 0; j < t.n; j += call.cols) {
        call.cols = static_cast<int>(next_tile(t.n - j, t.with->nr, 1));
        call.b = reinterpret_cast<const T*>(t.b.at(j, depth));
        run_tile(t.with->direct, t, call, i, j);
    }
}

}  // namespace

template <class T>
void multiply_direct(const task<T>& t) {
    const std::int64_t mr = t.with->mr;
    tile_call<T> call{};
    for (std::int64_t i = 0; i < t.m; i += call.rows) {
        call.alpha = t.alpha;
        call.beta = t.beta;
        call.rows = static_cast<int>(next_tile(t.m - i, mr, t.with->lanes));
        if (t.a.across == 1) {
            call.k = t.k;
            call.a = reinterpret_cast<const T*>(t.a.at(i, 0));
            call.a_step = t.a.along;
            strip(t, call, i, 0);
            continue;
        }
        alignas(64) T panel[largest_mr_bytes / sizeof(T) * stack_depth];
        call.a = panel;
        call.a_step = mr;
        for (std::int64_t p = 0; p < t.k; p += stack_depth, call.beta = T{1}) {
            call.k = std::min(stack_depth, t.k - p);
            t.pack_a(t.a.at(i, p), t.a.across, t.a.along, call.rows, call.k, panel);
            strip(t, call, i, p);
        }
    }
}

template void multiply_direct(const task<double>&);
template void multiply_direct(const task<float>&);
template void multiply_direct(const task<std::uint32_t>&);

}  // namespace carat::cpu_engine
