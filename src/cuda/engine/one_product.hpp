// One product of a call, started with a plan that the thread kept.
#pragma once

#include "cuda/common/scope.hpp"
#include "cuda/engine/kept_plans.hpp"

namespace carat::gpu_engine {

/// Where what beta multiplies lies.
enum class place_of_e : std::uint8_t {
    nowhere,
    in_c,
    beside_c,  // another matrix laid out as C, for kernels that have a second pointer
    elsewhere  // to be copied to C
};
[[nodiscard]] place_of_e place_in(const core::gpu_call& call, const core::operands& data);

/// Tells kernels to add it from beside C.
void add_residual(core::gpu_call& call, cuda::bindings& with);

/// A call for this one of products of different sizes.
[[nodiscard]] core::gpu_call one_of(const core::gpu_call& all, const core::gpu_product& product);

/// An empty sum: a product with zeros, so that the kernels need no second way. They lie along K, or
/// across it, as TMA wants it where K is shared out.
void multiply_zeros_instead(core::gpu_call& call, cuda::bindings& with, cuda::call_scope& scope,
                            bool across_k = false);

/// Starts one product. False: a GLU is better taken by a kernel of its own, and nothing was
/// started.
[[nodiscard]] bool multiply_one(core::gpu_call call, cuda::bindings with, cuda::call_scope& scope);

}  // namespace carat::gpu_engine
