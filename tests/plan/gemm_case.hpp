// Requests for the tests of plans, and readers of what was planned.
#pragma once

#include <array>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "cuda/families/wgmma/kernel_table.hpp"
#include "plan/costs.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::plan {

inline void PrintTo(const gemm_plan& plan, std::ostream* out) {
    *out << core::kernel_name(*plan.kernel).view() << ", K in " << plan.split_k << ", clusters of "
         << plan.cluster_m << " x " << plan.cluster_n << ", " << plan.ctas_per_sm << " to an SM"
         << (plan.swap_ab ? ", A and B swapped" : "");
}

inline void PrintTo(const gemm_request& of, std::ostream* out) {
    *out << of.m << " x " << of.n << " x " << of.k << " of " << name(of.a_type) << " by "
         << name(of.b_type) << ", accumulation " << static_cast<int>(of.accumulate) << ", A "
         << (of.a_major == core::operand_major::k ? "k" : "m") << ", B "
         << (of.b_major == core::operand_major::k ? "k" : "n");
}

}  // namespace carat::plan

namespace carat::test {

using core::accumulation;
using core::kernel_schedule;
using core::operand_major;
using plan::choice;
using plan::gemm_plan;
using plan::gemm_request;

inline constexpr plan::gemm_model h100 = {cuda::wgmma::kernel_table, plan::costs_of_h100};
inline constexpr plan::gemm_model h200 = {cuda::wgmma::kernel_table, plan::costs_of_h200};

[[nodiscard]] inline gemm_plan plan_of(const gemm_request& of) {
    return plan::plan_gemm(of, h200).value();
}

[[nodiscard]] inline bool is_pingpong(const gemm_plan& plan) {
    return plan.kernel->schedule == kernel_schedule::pingpong;
}

/// All matrices are row-major, A and B bf16.
[[nodiscard]] inline gemm_request row_major(std::int64_t m, std::int64_t n, std::int64_t k) {
    return {.m = m, .n = n, .k = k, .b_major = operand_major::mn};
}

/// Square, both contiguous along K.
[[nodiscard]] inline gemm_request of_type(dtype type, std::int64_t size,
                                          accumulation sums = accumulation::native) {
    return {.m = size, .n = size, .k = size, .a_type = type, .b_type = type, .accumulate = sums};
}

/// Whether the kernel multiplies such operands.
[[nodiscard]] inline bool reads_so(const gemm_plan& plan, const gemm_request& of) {
    const core::kernel_desc& k = *plan.kernel;
    const auto [a, b] =
        plan.swap_ab ? std::pair(k.b_type, k.a_type) : std::pair(k.a_type, k.b_type);
    const auto [a_major, b_major] =
        plan.swap_ab ? std::pair(k.b_major, k.a_major) : std::pair(k.a_major, k.b_major);
    return a == of.a_type && b == of.b_type && a_major == of.a_major && b_major == of.b_major &&
           k.accumulate == of.accumulate;
}

/// Types and layouts that kernels read, both orientations of fp8 among them.
[[nodiscard]] inline std::vector<gemm_request> kinds() {
    std::vector<gemm_request> all;
    for (const operand_major a : {operand_major::k, operand_major::mn})
        for (const operand_major b : {operand_major::k, operand_major::mn}) {
            all.push_back({.a_major = a, .b_major = b});
            if (a == operand_major::k || b == operand_major::k)
                all.push_back(
                    {.a_type = dtype::f32, .b_type = dtype::f32, .a_major = a, .b_major = b});
        }
    all.push_back(
        {.a_type = dtype::f32, .b_type = dtype::f32, .accumulate = accumulation::three_tf32});
    all.push_back({.a_type = dtype::i8, .b_type = dtype::i8});
    for (const dtype a : {dtype::e4m3, dtype::e5m2})
        for (const accumulation sums : {accumulation::native, accumulation::promoted})
            all.push_back({.a_type = a, .b_type = dtype::e4m3, .accumulate = sums});
    all.push_back(
        {.a_type = dtype::e4m3, .b_type = dtype::e4m3, .accumulate = accumulation::blockwise});
    return all;
}

[[nodiscard]] inline std::vector<gemm_request> requests() {
    std::vector<gemm_request> all;
    for (const std::int64_t m : {1, 16, 100, 1024, 5000})
        for (const std::int64_t n : {1, 64, 8192})
            for (const std::int64_t k : {1, 64, 65, 1000, 8192})
                for (const bool c_by_rows : {false, true})
                    for (gemm_request of : kinds()) {
                        of.m = m;
                        of.n = n;
                        of.k = k;
                        of.c_by_rows = c_by_rows;
                        all.push_back(of);
                    }
    return all;
}

}  // namespace carat::test
