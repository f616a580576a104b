// The figures of the source documents as printed, in carat's units. They are shown beside carat's,
// with their hardware; nothing is computed from them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace carat::study::published {

struct source {
    std::string_view title;
    std::string_view hardware;
    std::string_view gpu;  // as costs/published.json names it
};

// A figure of throughput at N x N x N.
struct point {
    std::string_view algorithm;  // the document's name for it
    std::int64_t n;
    double gflops;
};

// "High Performance Matrix Multiplication": means of 30 trials, f64.
extern const source five_algorithms;
[[nodiscard]] std::span<const point> five_algorithms_means();
// Its "standard deviations" at N = 10000, of resampled means, in GFLOP/s.
[[nodiscard]] std::span<const point> five_algorithms_deviations();

struct pair {
    std::string_view a, b;
    double p;
};
[[nodiscard]] std::span<const pair> five_algorithms_pairs();  // Games-Howell at N = 10000

// "Matrix Multiplication in CUDA": from which size its GPU won, f32.
extern const source crossover;
inline constexpr std::int64_t crossover_n = 55;

// "Investigation: Matrix Multiply": seconds at 2048, f32, with its own names for the steps.
struct step {
    std::string_view name;
    double time_s;
};
extern const source investigation;
[[nodiscard]] std::span<const step> investigation_steps();

// "Dense GEMM on GPU": f32.
extern const source dense;
[[nodiscard]] std::span<const point> dense_points();  // for docs/documents.md alone
struct tile {
    std::int64_t size;
    double gflops;
};
[[nodiscard]] std::span<const tile> dense_tiles();  // at 2048

// "Matrix multiplication - GPU implementation": f32 and f64, blocks of 16 and 32.
struct block_point {
    std::string_view dtype;
    std::int64_t block;
    std::string_view method;
    std::int64_t n;
    double gflops;
};
extern const source precisions;
[[nodiscard]] std::span<const block_point> precision_points();

// The figure for an algorithm at N, if the document has one.
[[nodiscard]] std::optional<double> find(std::span<const point> all, std::string_view algorithm,
                                         std::int64_t n);

}  // namespace carat::study::published
