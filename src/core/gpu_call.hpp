// What is asked of a GPU (gpu_call), and where its matrices lie (gpu_operands). The public call
// fills in both, and nothing else describes a product between src/api and a kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <carat/epilogue.hpp>

#include "core/block_scales.hpp"
#include "core/dtype_traits.hpp"
#include "core/kernel_desc.hpp"
#include "core/problem.hpp"

namespace carat::core {

enum class gpu_arithmetic : std::uint8_t {
    native,      // the types' own; fp8 promoted to f32
    tf32,        // f32 rounded
    three_tf32,  // f32 as two numbers of tf32
    fast_fp8,    // fp8 summed in 14 bits
    fp8_blocks   // fp8 with a scale for each block
};

/// Whether tensor cores do it; f32 and f64 in their own arithmetic they don't.
[[nodiscard]] constexpr bool is_on_tensor_cores(gpu_arithmetic how, dtype a_type) {
    return how != gpu_arithmetic::native || is_storage_type(a_type);
}

[[nodiscard]] constexpr accumulation accumulation_for(gpu_arithmetic how, dtype a_type) {
    if (how == gpu_arithmetic::three_tf32) return accumulation::three_tf32;
    if (how == gpu_arithmetic::fp8_blocks) return accumulation::blockwise;
    const bool promotes = how == gpu_arithmetic::native && is_fp8(a_type);
    return promotes ? accumulation::promoted : accumulation::native;
}

enum class multiplicity : std::uint8_t {
    one,
    strided,  // many of one size, at one distance from each other
    listed,   // many of one size, each wherever it lies
    sized,    // each of its own size, and wherever it lies
    rows,     // they share out the rows of A and C by ends in GPU memory, each with its own B
    depth     // they share out K of A and B by ends in GPU memory, each with its own C
};

/// The products of one launch; of A and B one matrix may be for all of them.
struct product_set {
    multiplicity are = multiplicity::one;
    std::int64_t count = 1;
    bool one_a = false;
    bool one_b = false;

    [[nodiscard]] std::int64_t matrices_a() const { return one_a ? 1 : count; }
    [[nodiscard]] std::int64_t matrices_b() const { return one_b ? 1 : count; }
    [[nodiscard]] product_set swapped() const { return {are, count, one_b, one_a}; }
    [[nodiscard]] bool is_ragged() const {
        return are == multiplicity::rows || are == multiplicity::depth;
    }

    bool operator==(const product_set&) const = default;
};

/// Whether the matrices of all products begin at multiples of 16 bytes. A and B that don't are
/// packed; C matters only where products share out its rows.
struct operand_alignment {
    bool a = true;
    bool b = true;
    bool c = false;

    [[nodiscard]] operand_alignment swapped() const { return {b, a, c}; }
};

/// What kernels do to their sums beside alpha and beta. The values come with each launch.
struct gpu_epilogue {
    bool changes_sums = false;  // by a scale, a bias, an activation or a gate
    bool is_glu = false;        // the sums have twice the columns of C
    bool adds_residual = false;

    [[nodiscard]] bool is_identity() const { return !changes_sums && !adds_residual; }
};

/// C = epilogue(alpha A B) + beta E, without addresses: all that a plan depends on.
struct gpu_call {
    core::problem problem =
        {};  // of each; of products that share out rows or K that of all together
    layout e_layout = {};
    gpu_arithmetic arithmetic = gpu_arithmetic::native;
    bool batch_invariant = false;
    gpu_epilogue epilogue = {};
    operand_alignment aligned = {};
    product_set products = {};

    [[nodiscard]] accumulation accumulate() const {
        return accumulation_for(arithmetic, problem.a_type);
    }
    /// A and B are read.
    [[nodiscard]] bool multiplies() const { return problem.k != 0 && problem.alpha != 0; }
    /// There is nothing to multiply.
    [[nodiscard]] bool is_degenerate() const {
        return problem.m == 0 || problem.n == 0 || !multiplies();
    }
    [[nodiscard]] bool is_on_tensor_cores() const {
        return core::is_on_tensor_cores(arithmetic, problem.a_type);
    }
    /// One of those that share out rows or K, if all are of one size: how they really are nobody
    /// knows yet.
    [[nodiscard]] core::problem likely() const {
        core::problem each = problem;
        std::int64_t& shared = products.are == multiplicity::depth ? each.k : each.m;
        const std::int64_t count = std::clamp<std::int64_t>(products.count, 1, shared);
        shared = (shared + count - 1) / count;
        return each;
    }
    /// The product whose sums become C.
    [[nodiscard]] core::problem multiplied() const {
        core::problem p = problem;
        if (epilogue.is_glu) p.n *= 2;
        return p;
    }
};

/// Elements from one product to the next; 0: one matrix for all. A residual is as C.
struct product_distances {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
    std::int64_t e = 0;

    [[nodiscard]] product_distances swapped() const { return {b, a, c, e}; }
};

/// A product of its own size. An `e` is what beta multiplies.
struct gpu_product {
    core::problem problem;
    layout e_layout;
    operands data;
};

struct gpu_operands {
    operands first = {};           // but of `listed` and `sized`
    product_distances apart = {};  // of strided products, and of what ragged ones don't share out
    std::span<const operands> listed = {};
    std::span<const gpu_product> sized = {};
    const std::int32_t* ends = nullptr;  // of ragged products, in GPU memory
    block_scales scales = {};            // no data: none
    const carat::detail::epilogue_steps* steps = nullptr;
};

}  // namespace carat::core
