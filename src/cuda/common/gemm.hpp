// A product on a GPU as the modules of src/cuda hand it to each other: what is multiplied, the
// product made ready, and what one run of it is told.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/block_scales.hpp"
#include "core/facts.hpp"
#include "core/gpu_prediction.hpp"
#include "core/kernel_desc.hpp"
#include "core/problem.hpp"
#include "cuda/common/epilogue_fusion.hpp"
#include "cuda/common/ragged.hpp"

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace carat::cuda {

/// Whether A and B begin at multiples of 16 bytes: others are packed by the product.
struct operand_alignment {
    bool a = true;
    bool b = true;

    bool operator==(const operand_alignment&) const = default;
};

[[nodiscard]] inline bool is_aligned(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}
[[nodiscard]] inline operand_alignment alignment_of(const core::operands& data) {
    return {is_aligned(data.a), is_aligned(data.b)};
}

/// The products of one launch, at one distance from each other; of A and B one matrix may be for
/// all.
struct batch_shape {
    std::int64_t count = 1;
    bool one_a = false;
    bool one_b = false;

    [[nodiscard]] std::int64_t matrices_a() const { return one_a ? 1 : count; }
    [[nodiscard]] std::int64_t matrices_b() const { return one_b ? 1 : count; }
    [[nodiscard]] batch_shape swapped() const { return {count, one_b, one_a}; }

    bool operator==(const batch_shape&) const = default;
};

/// From one product of a batch to the next, in elements; 0: one matrix for all. A residual is as C.
struct batch_strides {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// Whether all matrices of a batch begin so, and a tensor map can tell how far they are apart.
[[nodiscard]] inline bool is_aligned(const void* first, std::int64_t apart, dtype type) {
    constexpr std::int64_t too_far_apart_bytes = std::int64_t{1} << 40;
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return is_aligned(first) && apart >= 0 && apart < too_far_apart_bytes / bytes &&
           apart * bytes % 16 == 0;
}

/// C = fusion(alpha A B) + beta C, with something to multiply. A GLU has twice the columns of
/// `problem` to multiply.
struct gemm_task {
    core::problem problem;
    core::accumulation accumulate = core::accumulation::native;
    epilogue_fusion fusion;
    operand_alignment aligned;  // of all products of a batch
    batch_shape batch = {};
    // A is read along K, packed where it lies otherwise: a product may begin with any of its rows.
    bool a_along_k = false;
};

/// The product whose sums become C.
[[nodiscard]] inline core::problem multiplied(core::problem p, const epilogue_fusion& fusion) {
    if (fusion.is_glu) p.n *= 2;
    return p;
}

/// With other values and another residual than the product was made ready with, but the same steps.
struct launch_arguments {
    core::operands data;
    CUstream_st* stream = nullptr;
    epilogue_fusion fusion = {};
    core::block_scales scales = {};  // of blockwise accumulation
};

/// One product of a group. An `e` is what beta multiplies, laid out as C; null: C itself.
struct grouped {
    core::problem problem;
    core::operands data;
};

/// A group whose sizes lie in GPU memory: its products share out the rows of A and C, each with a B
/// of its own, or K, each with a C of its own. What is shared out is one matrix.
struct ragged_group {
    ragged_ends ends;
    bool along_k = false;
    batch_strides apart;
};

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

/// A product made ready: const from then on. Runs of it follow each other on one stream, since they
/// share its scratch memory.
class gemm_product {
  public:
    gemm_product() = default;
    gemm_product(const gemm_product&) = delete;
    gemm_product& operator=(const gemm_product&) = delete;
    virtual ~gemm_product() = default;

    /// Null where nothing is kept.
    [[nodiscard]] virtual std::unique_ptr<launch_cache> make_cache() const { return nullptr; }

    /// Starts it. A and B are aligned as it was made ready for. `kept` is make_cache()'s.
    virtual void run(const launch_arguments& with, launch_cache* kept) const = 0;

    /// Starts the products of the batch that it was made ready for. False: it can't, and nothing
    /// was started.
    [[nodiscard]] virtual bool run_batch(const launch_arguments& /*first*/,
                                         const batch_strides& /*apart*/) const {
        return false;
    }

    /// Starts products that are alike in all but sizes, strides and places at once, with the bits
    /// of a plan whose K is cut as this one's. False: they can't be, and nothing was started.
    [[nodiscard]] virtual bool run_group(std::span<const grouped> /*all*/,
                                         const launch_arguments& /*common*/) const {
        return false;
    }

    /// Starts a group that was made ready as one product of all that is shared out, and a batch of
    /// what isn't. False: it can't, and nothing was started.
    [[nodiscard]] virtual bool run_ragged(const ragged_group& /*all*/,
                                          const launch_arguments& /*common*/) const {
        return false;
    }

    [[nodiscard]] virtual std::vector<core::kernel_facts> kernels() const { return {}; }
    [[nodiscard]] virtual core::plan_facts planned() const { return {}; }
    /// Nothing where no model covers it, or a rate is 0. Operands are taken to come from memory.
    [[nodiscard]] virtual std::optional<core::gpu_prediction> predicted(
        const core::gpu_rates& /*here*/) const {
        return std::nullopt;
    }
};

}  // namespace carat::cuda
