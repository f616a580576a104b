// The public call's entry to GPUs: products in device memory, started on a caller's stream. Nothing
// here is within a namespace carat::cuda, which to callers is the type of a place.
#pragma once

#include <carat/erased.hpp>

#include "core/gpu_call.hpp"

struct CUstream_st;

namespace carat::gpu_engine {

/// Starts the products of a call whose arguments were checked, in one launch where that can be, and
/// returns without waiting. The factor of E is the problem's beta; an `e` is null, C itself or a
/// matrix apart from C; the columns are those of C, of which a gate among the steps has two of A B
/// for each. Device -1 is the calling thread's. Whether matrices at one distance lie in the GPU's
/// memory the first and the last say. Plans are kept for the calling thread.
/// @throws carat::error: unsupported for a machine, type, size or epilogue it can't serve, with the
///         reason and before anything is started; invalid_argument for operands in host memory,
///         where it is seen; out_of_memory.
void multiply(int device, CUstream_st* stream, const core::gpu_call& call,
              const core::gpu_operands& all);

/// C = E + epilogue(sums), all checked; see carat/sums.hpp.
void finish_sums(int device, CUstream_st* stream, const detail::erased_matrix& sums,
                 const detail::erased_matrix* e, const detail::erased_matrix& c,
                 const detail::epilogue_steps& steps);

}  // namespace carat::gpu_engine
