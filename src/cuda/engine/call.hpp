// The public call's door to GPUs: products in device memory, started on a caller's stream. Its
// namespace isn't carat::cuda, which to callers is the type of the place.
#pragma once

#include <span>

#include <carat/accuracy.hpp>
#include <carat/epilogue.hpp>
#include <carat/erased.hpp>

#include "core/block_scales.hpp"
#include "core/problem.hpp"

struct CUstream_st;

namespace carat::cuda_call {

struct place {
    int device;  // -1: the calling thread's
    CUstream_st* stream;
    bool batch_invariant;
    f32_as f32;
};

/// C = E + epilogue(A B), its arguments checked. The factor of E is the problem's beta, and the
/// columns are those of C, of which a gate among the steps has two of A B for each.
struct product {
    core::problem problem;
    core::layout e_layout;
    const detail::epilogue_steps* steps = nullptr;
    core::block_scales scales;  // no data: none
};

/// Starts the product for each of these operands, one after the other; an `e` is null, C itself or
/// a matrix apart from C. Returns without waiting. Plans are kept for the calling thread.
/// @throws carat::error: unsupported for a machine, type, size or epilogue it can't serve, with the
///         reason and before anything is started; invalid_argument for operands in host memory,
///         where it is seen; out_of_memory.
void multiply(const place& where, const product& it, std::span<const core::operands> all);

/// Operands at one distance from one product to the next, in elements; 0: one matrix for all.
struct strided_operands {
    core::operands first;  // without an `e` e's distance means nothing
    std::int64_t a;
    std::int64_t b;
    std::int64_t c;
    std::int64_t e;
    std::size_t count;  // 1 at least

    [[nodiscard]] core::operands at(const core::problem& p, std::size_t i) const;
};

/// The same for these. Whether they lie in the GPU's memory the first and the last say.
void multiply(const place& where, const product& it, const strided_operands& all);

/// A product of a group.
struct member {
    core::problem problem;
    core::layout e_layout;
    core::operands data;
};

/// The same for products of different sizes and strides, alike in types and factors.
void multiply_group(const place& where, std::span<const member> all,
                    const detail::epilogue_steps* steps);

/// Of products that share out the rows of A and C (and E), or K: whole matrices. What isn't shared
/// out is so many elements apart from product to product; 0: one for all.
struct ragged_operands {
    core::operands first;
    std::int64_t b;
    std::int64_t c;
    std::int64_t e;
    const std::int32_t* ends;  // in GPU memory
    std::size_t count;
    bool along_k;
};

/// The same for these, where the problem is that of all that is shared out.
void multiply_ragged(const place& where, const product& it, const ragged_operands& all);

/// C = E + epilogue(sums), all checked; see carat/sums.hpp.
void finish_sums(const place& where, const detail::erased_matrix& sums,
                 const detail::erased_matrix* e, const detail::erased_matrix& c,
                 const detail::epilogue_steps& steps);

}  // namespace carat::cuda_call
