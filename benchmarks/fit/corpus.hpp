// A corpus as carat_fit_measure printed it: products, and what each plan of them took.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/batch_tiles.hpp"
#include "plan/fma_plan.hpp"
#include "plan/gemm_plan.hpp"
#include "plan/large_tiles.hpp"

namespace carat::fit {

// The corpus's numbers for them; what the engine chose has a number of its own.
enum class family : int { chosen = -1, wgmma = 0, mma = 1, fma = 2, large = 3, gemv = 4, lean = 5 };

// The microseconds that one plan of a product took: once, or several times, in turns with the
// fastest others.
struct measured_times {
    std::vector<double> turns;

    [[nodiscard]] double us() const;  // the middle one
    [[nodiscard]] bool in_turns() const { return turns.size() > 1; }
    /// The middle one of every second turn, from the first one (0) or from the second one (1) on.
    [[nodiscard]] double us_in(std::size_t half) const;
};

struct measured_plan {
    family of;
    measured_times times;
    double us = 0;
    bool in_turns = false;
    plan::gemm_plan wgmma;
    std::size_t row = 0;  // of mma's tiles, or fma's
    plan::fma_cut cut;
    int splits = 1;  // of K, by tiles of mma
};

struct measured_product {
    std::string kind;
    std::string what;  // for people
    double flop = 0;
    std::int64_t least_side = 0;  // the smaller of rows and columns
    bool is_batch = false;
    int sets = 1;           // of operands that took turns
    measured_times chosen;  // by the engine that measured it
    plan::gemm_request wgmma;
    plan::batch_request mma;
    plan::fma_request fma;
    plan::mma_costs plan::gpu_costs::*costs_of_mma = nullptr;  // none: these kernels don't take it
    std::optional<plan::batch_model> kernels_of_mma;
    plan::batch_request large;  // once packed, as large tiles multiply it
    core::gpu_arithmetic arithmetic = core::gpu_arithmetic::native;
    dtype type = dtype::bf16;
    plan::packed_first packed_for_mma;
    plan::packed_first packed_for_large;
    double gemv_bytes = 0;
    std::vector<measured_plan> plans;
};

/// Leaves out lines that aren't whole. @throws std::runtime_error for a file that can't be read, or
/// that is no corpus.
[[nodiscard]] std::vector<measured_product> read_corpus(const std::vector<std::string>& files);

/// The names of the kernels that rows of tables are today: the first line of a corpus.
void print_kernels();

/// One line of a corpus of today's kernels, and the numbers of one plan.
[[nodiscard]] measured_product product_in(const std::string& line);
[[nodiscard]] measured_plan plan_in(const std::string& numbers, const measured_product& of);

/// Packing included.
[[nodiscard]] double predicted_s(const measured_plan& plan, const measured_product& product,
                                 const plan::gpu_costs& costs);

}  // namespace carat::fit
