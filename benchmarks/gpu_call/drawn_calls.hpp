// Random calls to be measured, in tracks: one for each option that a call may have beyond C = A B
// of whole row-major matrices.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string_view>

#include "core/gpu_call.hpp"
#include "lab/rows/operation.hpp"

namespace carat::benchmark {

struct call_type {
    std::string_view name;
    dtype in;
    dtype out;   // of C, but where the track is about it
    dtype wide;  // what it is summed in
    core::gpu_arithmetic how = core::gpu_arithmetic::native;
};
[[nodiscard]] std::span<const call_type> call_types();

enum class call_track : std::uint8_t { plain, beta, ld, layouts, epilogue, out, even, uneven };
[[nodiscard]] std::span<const std::string_view> call_tracks();  // their names, in this order

/// What calls are drawn from. A corpus of small calls and one of large ones answer different
/// questions, so a figure names its domain.
struct call_domain {
    std::int64_t multiple = 8;  // of sizes
    double least_operations = 2e8;
    double most_operations = 1e12;  // 2 MNK, of a group in all
};

/// Sizes of 16 to 16384, log-uniform, in the domain. N and K of groups are multiples of 256, as in
/// models, with 8 to 256 products of 1 to 4096 rows.
[[nodiscard]] rows::operation drawn_call(call_track track, const call_type& type,
                                         const call_domain& of, std::mt19937_64& random);

/// Whether cuBLAS supports it.
[[nodiscard]] bool is_offered(call_track track, const call_type& type);

}  // namespace carat::benchmark
