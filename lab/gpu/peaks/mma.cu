// Tensor cores through mma.sync, operands in registers: each warp multiplies a tile of 32 x 32.
// In f64 that is their full rate on every device, in other types before Hopper and on 12.x, which
// have no other instruction. On 9.0 and 10.x it is the limit of kernels that run on all of them.
#include <algorithm>

#include "cuda/ptx/mma.cuh"
#include "lab/gpu/peaks/kernels.hpp"

namespace carat::gpu {

namespace {

namespace ptx = carat::cuda::ptx;

constexpr int warps = 8;
constexpr int edge = 32;  // of a warp's tile
constexpr int across = edge / 8;
constexpr int unrolled = 4;
constexpr int row_words = 8;  // 32 bytes along K

__device__ int lane() {
    return static_cast<int>(threadIdx.x) % 32;
}

template <class Instruction>
__global__ void __launch_bounds__(32 * warps, 2)
    mma_kernel(const std::uint32_t* a, const std::uint32_t* b, typename Instruction::sum* c,
               int steps) {
    constexpr int down = edge / 16;
    const int group = lane() / 4;
    const int word = lane() % 4;
    std::uint32_t rows[down][4];
    std::uint32_t columns[across][2];
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            rows[r][i] = a[(16 * r + group + 8 * (i % 2)) * row_words + word + 4 * (i / 2)];
#pragma unroll
    for (int t = 0; t < across; ++t)
#pragma unroll
        for (int i = 0; i < 2; ++i) columns[t][i] = b[(8 * t + group) * row_words + word + 4 * i];

    typename Instruction::sum sums[down][across][4] = {};
#pragma unroll 1
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int u = 0; u < unrolled; ++u)
#pragma unroll
            for (int r = 0; r < down; ++r)
#pragma unroll
                for (int t = 0; t < across; ++t)
                    Instruction::multiply(sums[r][t], rows[r], columns[t]);

    if (blockIdx.x != 0 || threadIdx.x >= 32) return;
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
        for (int t = 0; t < across; ++t)
#pragma unroll
            for (int i = 0; i < 4; ++i)
                c[(16 * r + group + 8 * (i / 2)) * edge + 8 * t + 2 * word + i % 2] = sums[r][t][i];
}

// The same for f64, whose pieces differ from device to device.
template <class Instruction>
__global__ void __launch_bounds__(32 * warps, 1)
    mma_f64_kernel(const double* a, const double* b, double* c, int steps) {
    constexpr int m = Instruction::m;
    constexpr int k = Instruction::k;
    constexpr int down = edge / m;
    constexpr int tall = m / 8;  // groups of 8 rows in a piece
    const int group = lane() / 4;
    const int word = lane() % 4;
    double rows[down][tall * k / 4];
    double columns[across][k / 4];
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
        for (int i = 0; i < tall * k / 4; ++i)
            rows[r][i] = a[(m * r + group + 8 * (i % tall)) * k + word + 4 * (i / tall)];
#pragma unroll
    for (int t = 0; t < across; ++t)
#pragma unroll
        for (int i = 0; i < k / 4; ++i) columns[t][i] = b[(8 * t + group) * k + word + 4 * i];

    double sums[down][across][2 * tall] = {};
#pragma unroll 1
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int u = 0; u < unrolled; ++u)
#pragma unroll
            for (int r = 0; r < down; ++r)
#pragma unroll
                for (int t = 0; t < across; ++t)
                    Instruction::multiply(sums[r][t], rows[r], columns[t]);

    if (blockIdx.x != 0 || threadIdx.x >= 32) return;
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
        for (int t = 0; t < across; ++t)
#pragma unroll
            for (int i = 0; i < 2 * tall; ++i)
                c[(m * r + group + 8 * (i / 2)) * edge + 8 * t + 2 * word + i % 2] = sums[r][t][i];
}

template <class Instruction>
void start(const launch& how) {
    using sum = typename Instruction::sum;
    mma_kernel<Instruction><<<how.blocks, 32 * warps, 0, how.stream>>>(
        static_cast<const std::uint32_t*>(how.a), static_cast<const std::uint32_t*>(how.b),
        static_cast<sum*>(how.c), how.steps);
}

template <class Instruction>
void start_f64(const launch& how) {
    mma_f64_kernel<Instruction><<<how.blocks, 32 * warps, 0, how.stream>>>(
        static_cast<const double*>(how.a), static_cast<const double*>(how.b),
        static_cast<double*>(how.c), how.steps);
}

template <class Element>
unit_kernel unit(const char* name, dtype type, dtype sum, int least, int most) {
    using instruction = ptx::mma_m16n8<Element>;
    static_assert(instruction::k * sizeof(Element) == 4 * row_words);
    return {.unit = name,
            .operand = type,
            .sum = sum,
            .least_capability = std::max(least, instruction::least_capability),
            .most_capability = most,
            .form = arithmetic::product,
            .m = edge,
            .n = edge,
            .k = instruction::k,
            .times = unrolled,
            .copies = warps,
            .blocks_each = 2,
            .start = start<instruction>};
}

// The units of these names, on devices of compute capability `least` to `most` that have them.
void add_units(std::vector<unit_kernel>& all, const char* const (&names)[6], int least, int most) {
    all.push_back(unit<__half>(names[0], dtype::f16, dtype::f32, least, most));
    all.push_back(unit<__nv_bfloat16>(names[1], dtype::bf16, dtype::f32, least, most));
    all.push_back(unit<ptx::tf32>(names[2], dtype::f32, dtype::f32, least, most));
    all.push_back(unit<__nv_fp8_e4m3>(names[3], dtype::e4m3, dtype::f32, least, most));
    all.push_back(unit<__nv_fp8_e5m2>(names[4], dtype::e5m2, dtype::f32, least, most));
    all.push_back(unit<std::int8_t>(names[5], dtype::i8, dtype::i32, least, most));
}

template <class Instruction>
unit_kernel unit_f64(int least, int most) {
    return {.unit = "dmma",
            .operand = dtype::f64,
            .sum = dtype::f64,
            .least_capability = least,
            .most_capability = most,
            .form = arithmetic::product,
            .m = edge,
            .n = edge,
            .k = Instruction::k,
            .times = unrolled,
            .copies = warps,
            .blocks_each = 1,
            .start = start_f64<Instruction>};
}

}  // namespace

std::vector<unit_kernel> mma_kernels() {
    std::vector<unit_kernel> all = {unit_f64<ptx::mma_f64_m8n8k4>(80, 89),
                                    unit_f64<ptx::mma_f64_m16n8k16>(90, 999)};
    constexpr const char* own[] = {"tensor f16",  "tensor bf16", "tensor tf32",
                                   "tensor e4m3", "tensor e5m2", "tensor i8"};
    constexpr const char* by_mma[] = {"mma.sync f16",  "mma.sync bf16", "mma.sync tf32",
                                      "mma.sync e4m3", "mma.sync e5m2", "mma.sync i8"};
    add_units(all, own, 75, 89);
    add_units(all, by_mma, 90, 109);
    add_units(all, own, 120, 129);
    return all;
}

}  // namespace carat::gpu
