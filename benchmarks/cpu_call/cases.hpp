// What is measured: products and batches with any layouts, leading dimensions, beta and order of C,
// drawn from a seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace carat::benchmark {

struct placed {
    bool by_rows = true;
    std::int64_t lead = 0;  // elements from one row, or column, to the next
};

struct call_case {
    std::int64_t m = 0, n = 0, k = 0;
    placed a, b, c;
    double beta = 0;
    std::int64_t count = 1;
};

class drawing {
  public:
    explicit drawing(std::uint64_t seed) : random_(seed) {}

    // Half of all have three sizes from 4 to 1000, the rest one or two of at most 40 and the others
    // to 4000; evenly by their logarithms, up to 2^28 multiplications.
    call_case product() {
        call_case one;
        do {
            const int few = below(2) == 0 ? 0 : 1 + below(6);  // bits: which are few
            const auto size = [&](int bit) {
                if (few == 0) return between(4, 1000);
                return (few & bit) != 0 ? between(1, 40) : between(40, 4000);
            };
            one = {.m = size(1), .n = size(2), .k = size(4), .a = {}, .b = {}, .c = {}};
        } while (one.m * one.n * one.k > 1 << 28);
        place(one);
        return one;
    }

    // A batch of sizes from 2^3 to 512^3, half of them cubes, with as many products as come to 2^23
    // multiplications and at most 8 MiB of f64. `in_one_order`: A and B are laid out like C, and
    // beta is 0 or 1, which is all that libxsmm supports.
    call_case batch(bool in_one_order = false) {
        call_case one;
        one.m = between(2, 512);
        const bool cube = below(2) == 0;
        one.n = cube ? one.m : between(2, 512);
        one.k = cube ? one.m : between(2, 512);
        place(one);
        while (in_one_order && !lies_in_one_order(one)) place(one);
        const std::int64_t elements = one.m * one.k + one.k * one.n + one.m * one.n;
        one.count = std::clamp<std::int64_t>(
            std::min((1 << 23) / (one.m * one.n * one.k), (1 << 20) / elements), 2, 4096);
        return one;
    }

    std::mt19937_64& engine() { return random_; }

  private:
    int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
    std::int64_t between(double low, double high) {
        const double exponent =
            std::uniform_real_distribution<double>(std::log2(low), std::log2(high))(random_);
        return std::llround(std::exp2(exponent));
    }
    placed lines(std::int64_t rows, std::int64_t cols) {
        constexpr std::int64_t pads[] = {0, 0, 1, 8, 13};
        const bool by_rows = below(2) == 0;
        return {by_rows, (by_rows ? cols : rows) + pads[below(5)]};
    }
    static bool lies_in_one_order(const call_case& one) {
        return one.a.by_rows == one.c.by_rows && one.b.by_rows == one.c.by_rows && one.beta != 0.5;
    }
    void place(call_case& one) {
        constexpr double betas[] = {0, 1, 0.5};
        one.a = lines(one.m, one.k);
        one.b = lines(one.k, one.n);
        one.c = lines(one.m, one.n);
        one.beta = betas[below(3)];
    }

    std::mt19937_64 random_;
};

}  // namespace carat::benchmark
