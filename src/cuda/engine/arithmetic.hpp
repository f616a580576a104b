// The arithmetics that the engine offers for one product.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/kernel_desc.hpp"
#include "core/signature.hpp"

namespace carat::cuda::engine {

enum class arithmetic : std::uint8_t {
    native,      // the types' own; fp8 promoted to f32
    tf32,        // f32 rounded
    three_tf32,  // f32 as two numbers of tf32
    fast_fp8,    // fp8 summed in 14 bits
    fp8_blocks   // fp8 with a scale for each block
};

/// "cuda.engine.tf32"
[[nodiscard]] std::string_view row_name(arithmetic how);

/// The types of A, B and C that it takes.
[[nodiscard]] std::span<const core::signature> signatures_of(arithmetic how);

/// Whether tensor cores do it; f32 and f64 in their own arithmetic they don't.
[[nodiscard]] bool is_on_tensor_cores(arithmetic how, dtype a_type);

[[nodiscard]] core::accumulation accumulation_for(arithmetic how, dtype a_type);

}  // namespace carat::cuda::engine
