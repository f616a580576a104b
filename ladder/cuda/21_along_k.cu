// Step 21: f32 once more, after step 7, with what steps 11 to 13 taught. Step 7 turns A on its way
// to shared memory, four bytes a copy, so that a thread can read a column of it. Here A stays as it
// is, along K, in chunks of 16 bytes, swizzled; a thread reads four of K for each of its rows:
//
//     row 0   0 1 2 3 4 5 6 7   chunks     a thread, for four of K: 8 chunks of A, one a row, and
//     row 1   1 0 3 2 5 4 7 6              8 of B; 16 loads for 4 x 64 products, as in step 7
//
// A warp reads a chunk of eight neighbouring rows at a time, no two in the same banks. Copies of A
// are 4 for 32 of K, not 16. All matrices must lie row by row, in lines of a multiple of four.
#include "cuda/ptx/descriptor.cuh"
#include "ladder/cuda/chunks.cuh"
#include "ladder/cuda/lines.hpp"
#include "ladder/cuda/step.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int tile = 128, depth = 32, threads = 256, stages = 3;

struct tiles_along_k {
    float a[tile][depth], b[depth][tile];
};

__global__ void __launch_bounds__(threads, resident<float>) along_k_kernel(product<float> p) {
    extern __shared__ __align__(128) unsigned char shared[];
    auto* const all = reinterpret_cast<tiles_along_k*>(shared);
    const origin first = tile_origin(p.c, tile, tile);
    const int thread = static_cast<int>(threadIdx.x);
    const auto start = [&](int at, std::int64_t k) {
#pragma unroll
        for (int c = thread; c < tile * depth / 4 && k < p.a.cols; c += threads) {
            copy_chunk(all[at].a[0] + 4 * carat::cuda::ptx::swizzled_chunk(c / 8, c % 8), p.a,
                       first.i + c / 8, k + c % 8 * 4);
            copy_chunk(all[at].b[0] + 4 * c, p.b, k + c / 32, first.j + c % 32 * 4);
        }
        carat::cuda::commit_copies();
    };

    const int top = thread / 128 * 64 + thread % 32 / 4;     // and every eighth row below
    const int left = thread / 32 % 4 * 32 + thread % 4 * 4;  // four columns, and 16 further on
    float sum[8][8] = {};
    for (int s = 0; s < stages - 1; ++s) start(s, s * depth);
    int now = 0;
    for (std::int64_t k = 0; k < p.a.cols; k += depth, now = (now + 1) % stages) {
        carat::cuda::wait_for_copies<stages - 2>();
        __syncthreads();
        start((now + stages - 1) % stages, k + (stages - 1) * depth);
#pragma unroll
        for (int chunk = 0; chunk < depth / 4; ++chunk) {
            float4 rows[8];
#pragma unroll
            for (int r = 0; r < 8; ++r)  // the rows are alike but for multiples of eight
                rows[r] = *reinterpret_cast<const float4*>(
                    &all[now].a[top + 8 * r][4 * (chunk ^ top % 8)]);
#pragma unroll
            for (int t = 0; t < 4; ++t) {
                float4 cols[2];
                const float* const row = all[now].b[4 * chunk + t] + left;
                for (int c = 0; c < 2; ++c)
                    cols[c] = *reinterpret_cast<const float4*>(row + 16 * c);
#pragma unroll
                for (int c = 0; c < 8; ++c)
#pragma unroll
                    for (int r = 0; r < 8; ++r)
                        sum[r][c] += (&rows[r].x)[t] * (&cols[c / 4].x)[c % 4];
            }
        }
    }
#pragma unroll
    for (int e = 0; e < 64; ++e)
        store(p, first.i + top + e / 8 * 8, first.j + left + e % 8 / 4 * 16 + e % 4,
              sum[e / 8][e % 8]);
}

constexpr const char* own_name = "cuda.ladder.along_k";

}  // namespace

constinit const rows::implementation along_k{
    .name = own_name,
    .summary = "f32 with A as it lies, in chunks along K, swizzled",
    .where = rows::device::cuda,
    .signatures = std::span(plain_types).subspan(1, 1),  // f32
    .unavailable = carat::cuda::unavailable_in_use,
    .unsupported =
        [](const core::problem& p, const core::settings&) {
            std::string why = unsupported_lines(p, 4);
            return why.empty() ? unsupported_problem(p, blocks_for(p, tile, tile), 80) : why;
        },
    .prepare =
        [](const core::problem& p, const core::settings&) {
            return with_aligned_operands(std::make_unique<step_runnable<float, float, float>>(
                own_name, p,
                plan<float, float, float>{along_k_kernel, tile, tile, threads,
                                          stages * int{sizeof(tiles_along_k)}}));
        }};

}  // namespace carat::ladder::cuda
