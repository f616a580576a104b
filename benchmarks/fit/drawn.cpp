#include "benchmarks/fit/drawn.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/gpu_call/turns.hpp"
#include "core/dtype_traits.hpp"

namespace carat::fit {

using arithmetic = core::gpu_arithmetic;

const std::vector<kind>& kinds() {
    static const std::vector<kind> all = {
        {"bf16", arithmetic::native, dtype::bf16, dtype::bf16, {dtype::bf16, dtype::f32}, 5e11},
        {"f16", arithmetic::native, dtype::f16, dtype::f16, {dtype::f16, dtype::f32}, 5e11},
        {"f32", arithmetic::native, dtype::f32, dtype::f32, {dtype::f32}, 5e10},
        {"f64", arithmetic::native, dtype::f64, dtype::f64, {dtype::f64}, 5e10},
        {"tf32", arithmetic::tf32, dtype::f32, dtype::f32, {dtype::f32}, 3e11},
        {"3xtf32", arithmetic::three_tf32, dtype::f32, dtype::f32, {dtype::f32}, 1e11},
        {"i8", arithmetic::native, dtype::i8, dtype::i8, {dtype::i32}, 5e11},
        {"e4m3", arithmetic::native, dtype::e4m3, dtype::e4m3, {dtype::bf16, dtype::f32}, 5e11},
        {"e5m2", arithmetic::native, dtype::e5m2, dtype::e4m3, {dtype::bf16}, 5e11},
        {"e4m3_fast", arithmetic::fast_fp8, dtype::e4m3, dtype::e4m3, {dtype::bf16}, 5e11}};
    return all;
}

namespace {

bool chance(std::mt19937_64& r, double p) {
    return std::uniform_real_distribution<double>(0, 1)(r) < p;
}

}  // namespace

product drawn(std::mt19937_64& r) {
    for (;;) {
        // f32 has more ways of lying than others: it is drawn twice as often.
        std::size_t which = r() % (kinds().size() + 1);
        if (which == kinds().size()) which = 2;
        product it{&kinds()[which], {}, {}};
        const kind& k = *it.of;
        const double u = std::uniform_real_distribution<double>(0, 1)(r);
        const std::int64_t multiple = u < 0.35 ? 64 : u < 0.5 ? 16 : u < 0.75 ? 8 : 1;
        const auto size = [&] { return benchmark::size_between(r, 1, 16384, 1); };
        const auto rounded = [&](std::int64_t x) {
            return std::max(std::int64_t{1}, x < multiple ? x : x / multiple * multiple);
        };
        core::problem& p = it.one;
        const std::int64_t m = rounded(size()), n = rounded(size()), kk = rounded(size());
        p = core::row_major_problem(k.a, m, n, kk);
        p.a_type = k.a, p.b_type = k.b, p.c_type = k.c[r() % k.c.size()];
        if (chance(r, 0.3)) p.a_layout = core::column_major(m);
        if (chance(r, size_bytes(k.a) == 1 ? 0.8 : 0.5)) p.b_layout = core::column_major(kk);
        if (chance(r, 0.15)) p.c_layout = core::column_major(m);
        if (chance(r, 0.2)) p.beta = 1;
        if (chance(r, 0.2)) {
            it.batch.are = core::multiplicity::strided;
            it.batch.count = std::llround(benchmark::between(r, 2, 512));
            it.batch.one_a = chance(r, 0.1);
            it.batch.one_b = chance(r, 0.1);
        }
        const auto count = static_cast<double>(it.batch.count);
        const double work = static_cast<double>(m * n) * static_cast<double>(kk) * count;
        if (work > k.most_work || work < 2e5 || (work < 1e8 && !chance(r, 0.5))) continue;
        const auto fits = [&](std::int64_t rows, std::int64_t cols, dtype t, double many) {
            return static_cast<double>(rows * cols) * static_cast<double>(size_bytes(t)) * many <
                   static_cast<double>(pool_bytes);
        };
        if (!fits(m, kk, k.a, count) || !fits(kk, n, k.b, count) || !fits(m, n, p.c_type, count))
            continue;
        if (m == 1 || n == 1)
            if (chance(r, 0.7)) continue;
        return it;
    }
}

}  // namespace carat::fit
