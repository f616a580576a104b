// A product on a GPU made ready, and what one launch of it is told. What is multiplied is said by
// core/gpu_call.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/facts.hpp"
#include "core/gpu_call.hpp"
#include "core/gpu_prediction.hpp"
#include "cuda/common/epilogue_fusion.hpp"
#include "cuda/common/ragged.hpp"

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace carat::cuda {

[[nodiscard]] inline bool is_aligned(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}
[[nodiscard]] inline core::operand_alignment alignment_of(const core::operands& data) {
    return {is_aligned(data.a), is_aligned(data.b)};
}

/// Whether all matrices of a batch begin so, and a tensor map can tell how far they are apart.
[[nodiscard]] inline bool is_aligned(const void* first, std::int64_t apart, dtype type) {
    constexpr std::int64_t too_far_apart_bytes = std::int64_t{1} << 40;
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return is_aligned(first) && apart >= 0 && apart < too_far_apart_bytes / bytes &&
           apart * bytes % 16 == 0;
}

/// How a product of a group is laid out; those that are alike can be in one launch.
struct layout_class {
    core::operand_major a;
    core::operand_major b;
    bool c_by_rows;

    bool operator==(const layout_class&) const = default;
};

/// What a thread keeps from one run of a product to the next, tensor maps for example.
class launch_cache {
  public:
    launch_cache() = default;
    launch_cache(const launch_cache&) = delete;
    launch_cache& operator=(const launch_cache&) = delete;
    virtual ~launch_cache() = default;
};

/// What one launch is told. Values and a residual may differ from those that the product was made
/// ready with, but not the steps.
struct bindings {
    core::operands data = {};            // of one product, of the first, or of what all share out
    core::product_distances apart = {};  // where they are strided or ragged
    std::span<const core::gpu_product> each = {};  // where they are listed or sized
    ragged_ends ends = {};                         // where they are ragged
    CUstream_st* stream = nullptr;
    epilogue_fusion fusion = {};
    core::block_scales scales = {};  // of fp8_blocks
    launch_cache* kept = nullptr;    // make_cache()'s, of this thread

    /// What beta multiplies.
    [[nodiscard]] const void* source() const {
        return fusion.residual != nullptr ? fusion.residual : data.c;
    }
    /// The same of C^T = B^T A^T.
    [[nodiscard]] bindings swapped() const;
};

inline bindings bindings::swapped() const {
    bindings of = *this;
    std::swap(of.data.a, of.data.b);
    of.apart = apart.swapped();
    of.fusion.scale.per_row = !fusion.scale.per_row;
    of.fusion.bias.per_row = !fusion.bias.per_row;
    return of;
}

[[nodiscard]] inline core::gpu_epilogue epilogue_of(const epilogue_fusion& f) {
    return {!f.changes_no_sum(), f.is_glu, f.residual != nullptr};
}

/// A product, or many, made ready: const from then on. Runs of it follow each other on one stream,
/// since they share its scratch memory.
class gemm_product {
  public:
    gemm_product() = default;
    gemm_product(const gemm_product&) = delete;
    gemm_product& operator=(const gemm_product&) = delete;
    virtual ~gemm_product() = default;

    /// Null where nothing is kept.
    [[nodiscard]] virtual std::unique_ptr<launch_cache> make_cache() const { return nullptr; }

    /// Starts the products that it was made ready for, aligned as they were said to be. Those that
    /// are `sized` are alike in all but sizes, strides and places. False: one launch can't, and
    /// nothing was started; of one product alone never.
    [[nodiscard]] virtual bool run(const bindings& with) const = 0;

    [[nodiscard]] virtual std::vector<core::kernel_facts> kernels() const { return {}; }
    [[nodiscard]] virtual core::plan_facts planned() const { return {}; }
    /// Nothing where no model covers it, or a rate is 0. Operands are taken to come from memory.
    [[nodiscard]] virtual std::optional<core::gpu_prediction> predicted(
        const core::roofline_rates& /*here*/) const {
        return std::nullopt;
    }
};

}  // namespace carat::cuda
