// How long a candidate takes, as one of many products on a stream.
#pragma once

#include "plan/gemm_candidates.hpp"

namespace carat::plan {

inline constexpr int line_bytes = 128;  // of K: one k-block

/// Columns of B that are loaded for a tile: beside each other they come in whole lines.
[[nodiscard]] double columns_loaded(const candidate& c);

/// Rows or columns so few that a product is a stream of weights.
[[nodiscard]] bool is_thin(const gemm_request& of, const gemm_costs& costs);

/// Stages of its pipeline that fit into its part of an SM's shared memory.
[[nodiscard]] double stages_that_fit(const candidate& c, const gemm_costs& costs);

/// What a k-block takes of a CTA that is alone on its SM, or one of two.
struct k_block_parts {
    double tensor_s, loading_s, least_s;
    [[nodiscard]] double longest_s() const;
};

[[nodiscard]] k_block_parts k_block_s(const candidate& c, const gemm_request& of,
                                      const gemm_costs& costs, bool alone);

/// How the CTAs of a candidate take turns on the SMs.
struct gemm_turns {
    std::int64_t at_once = 0;  // CTAs
    double waves = 0;
    bool alone = true;  // a CTA has its SM to itself
};

/// As registers allow, of those that take turns (wgmma/config.hpp): tf32 of 7864 x 2144 x 808 in
/// tiles of 128 x 128 took 130 us where 91 were predicted for two, and 192 columns take 99.
[[nodiscard]] int most_ctas_per_sm(const core::kernel_desc& k);

[[nodiscard]] gemm_turns turns_of(const candidate& c, const gemm_request& of);

/// Where the seconds go.
struct gemm_parts {
    gemm_turns turns;
    double tensor_s = 0;    // of all k-blocks, one turn after the other, on the tensor cores
    double loading_s = 0;   // of their operands' way to the SM
    double memory_s = 0;    // of the operands from memory
    double together_s = 0;  // of those three, which run at once
    double launch_s = 0;
    double storing_s = 0;
    double meeting_s = 0;  // of CTAs that share K or operands
    double memory_bytes = 0;
    double loaded_bytes = 0;  // by all CTAs
    double stored_bytes = 0;
    double seconds = 0;
};

[[nodiscard]] gemm_parts parts_of(const candidate& c, const gemm_request& of,
                                  const gemm_costs& costs, bool glu);

[[nodiscard]] inline double seconds(const candidate& c, const gemm_request& of,
                                    const gemm_costs& costs, bool glu) {
    return parts_of(c, of, costs, glu).seconds;
}

}  // namespace carat::plan
