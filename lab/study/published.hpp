// The figures of the source documents as printed, in carat's units. They are shown beside carat's,
// with their hardware; nothing is computed from them. scripts/document_tables.py reads this file.
#pragma once

#include <algorithm>
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

// Means of 30 trials, f64, printed as "FLOPS" and meant as MFLOP/s.
inline constexpr source five_algorithms = {
    "High Performance Matrix Multiplication (2025)",
    "two sockets of Intel Xeon Gold 5118 and an NVIDIA Tesla V100", "Tesla V100 PCIe 16 GB"};
inline constexpr point five_algorithms_means[] = {
    {"CuBLAS", 1000, 5.58},      {"CUDA", 1000, 1580},        {"BLAS", 1000, 63.8},
    {"OpenMP", 1000, 13.2},      {"C++ Threads", 1000, 13.2}, {"CuBLAS", 2000, 44.5},
    {"CUDA", 2000, 1760},        {"BLAS", 2000, 251},         {"OpenMP", 2000, 15.1},
    {"C++ Threads", 2000, 14.7}, {"CuBLAS", 3000, 146},       {"CUDA", 3000, 1790},
    {"BLAS", 3000, 407},         {"OpenMP", 3000, 15.2},      {"C++ Threads", 3000, 14.8},
    {"CuBLAS", 4000, 337},       {"CUDA", 4000, 1900},        {"BLAS", 4000, 478},
    {"OpenMP", 4000, 15.3},      {"C++ Threads", 4000, 14.8}, {"CuBLAS", 5000, 613},
    {"CUDA", 5000, 1970},        {"BLAS", 5000, 521},         {"OpenMP", 5000, 15.1},
    {"C++ Threads", 5000, 14.9}, {"CuBLAS", 6000, 1010},      {"CUDA", 6000, 2000},
    {"BLAS", 6000, 526},         {"OpenMP", 6000, 15},        {"C++ Threads", 6000, 14.9},
    {"CuBLAS", 7000, 1460},      {"CUDA", 7000, 2000},        {"BLAS", 7000, 536},
    {"OpenMP", 7000, 15.3},      {"C++ Threads", 7000, 14.8}, {"CuBLAS", 8000, 1970},
    {"CUDA", 8000, 2020},        {"BLAS", 8000, 562},         {"OpenMP", 8000, 14.7},
    {"C++ Threads", 8000, 14.8}, {"CuBLAS", 9000, 2410},      {"CUDA", 9000, 2000},
    {"BLAS", 9000, 563},         {"OpenMP", 9000, 15},        {"C++ Threads", 9000, 14.9},
    {"CuBLAS", 10000, 2950},     {"CUDA", 10000, 2010},       {"BLAS", 10000, 570},
    {"OpenMP", 10000, 15.4},     {"C++ Threads", 10000, 15}};
// Its "standard deviations" at N = 10000, of resampled means, in GFLOP/s.
inline constexpr point five_algorithms_deviations[] = {{"CuBLAS", 10000, 5.273557},
                                                       {"CUDA", 10000, 0.880095},
                                                       {"BLAS", 10000, 1.213323},
                                                       {"OpenMP", 10000, 0.021177},
                                                       {"C++ Threads", 10000, 0.001306}};

// Games-Howell at N = 10000.
struct pair {
    std::string_view a, b;
    double p;
};
inline constexpr pair five_algorithms_pairs[] = {{"BLAS", "C++ Threads", 0},
                                                 {"BLAS", "CuBLAS", 4.250e-12},
                                                 {"BLAS", "CUDA", 0},
                                                 {"BLAS", "OpenMP", 2.751e-12},
                                                 {"C++ Threads", "CuBLAS", 3.674e-12},
                                                 {"C++ Threads", "CUDA", 0},
                                                 {"C++ Threads", "OpenMP", 0},
                                                 {"CuBLAS", "CUDA", 0},
                                                 {"CuBLAS", "OpenMP", 0},
                                                 {"CUDA", "OpenMP", 2.398e-13}};

// The size from which its GPU won, f32.
inline constexpr source crossover = {"Matrix Multiplication in CUDA (2025)",
                                     "an NVIDIA A100 and its host", "A100 40 GB"};
inline constexpr std::int64_t crossover_n = 55;

// Seconds at 2048, f32, with its own names for the steps.
struct step {
    std::string_view name;
    double time_s;
};
inline constexpr source investigation = {"Investigation: Matrix Multiply",
                                         "unnamed CPU and an NVIDIA A100", "A100 40 GB"};
inline constexpr step investigation_steps[] = {
    {"naive", 8.0},      {"reordered", 2.0},   {"tiled", 0.4},        {"BLAS", 0.04},
    {"GPU naive", 0.05}, {"GPU tiled", 0.005}, {"GPU cuBLAS", 0.0005}};

// f32; docs/documents.md alone has the points.
inline constexpr source dense = {"Dense GEMM on GPU (2026)", "an NVIDIA L40S", "L40S"};
inline constexpr point dense_points[] = {{"naive", 256, 420.10},   {"tiled", 256, 442.81},
                                         {"naive", 512, 2263.52},  {"tiled", 512, 2496.61},
                                         {"cublas", 512, 9.52},    {"naive", 2048, 5515.19},
                                         {"tiled", 2048, 6878.73}, {"cublas", 2048, 632.91}};
struct tile {
    std::int64_t size;
    double gflops;
};
inline constexpr tile dense_tiles[] = {{16, 6792.40}, {32, 6631.23}};  // at 2048

// f32 and f64, blocks of 16 and 32.
struct block_point {
    std::string_view dtype;
    std::int64_t block;
    std::string_view method;
    std::int64_t n;
    double gflops;
};
inline constexpr source precisions = {"Matrix multiplication, GPU implementation",
                                      "an NVIDIA GeForce RTX 4050 laptop",
                                      "GeForce RTX 4050 Laptop"};
inline constexpr block_point precision_points[] = {
    {"f64", 16, "naive", 512, 52.78},    {"f64", 16, "tiled", 512, 139.07},
    {"f64", 16, "wmma", 512, 1867.45},   {"f64", 32, "naive", 512, 63.11},
    {"f64", 32, "tiled", 512, 126.82},   {"f64", 32, "wmma", 512, 3749.94},
    {"f32", 16, "naive", 512, 94.09},    {"f32", 16, "tiled", 512, 650.48},
    {"f32", 16, "wmma", 512, 1722.15},   {"f32", 32, "naive", 512, 76.30},
    {"f32", 32, "tiled", 512, 572.37},   {"f32", 32, "wmma", 512, 2239.95},
    {"f64", 16, "naive", 8192, 194.86},  {"f64", 16, "tiled", 8192, 200.33},
    {"f64", 16, "wmma", 8192, 8103.66},  {"f64", 32, "naive", 8192, 199.47},
    {"f64", 32, "tiled", 8192, 186.81},  {"f64", 32, "wmma", 8192, 6164.66},
    {"f32", 16, "naive", 8192, 673.59},  {"f32", 16, "tiled", 8192, 828.05},
    {"f32", 16, "wmma", 8192, 35698.06}, {"f32", 32, "naive", 8192, 665.60},
    {"f32", 32, "tiled", 8192, 919.81},  {"f32", 32, "wmma", 8192, 35428.07}};

// The figure for an algorithm at N, if the document has one.
[[nodiscard]] inline std::optional<double> find(std::span<const point> all,
                                                std::string_view algorithm, std::int64_t n) {
    const auto found = std::ranges::find_if(
        all, [&](const point& p) { return p.algorithm == algorithm && p.n == n; });
    return found == all.end() ? std::nullopt : std::optional(found->gflops);
}

}  // namespace carat::study::published
