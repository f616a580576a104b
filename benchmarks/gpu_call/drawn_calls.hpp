// Random calls to be measured, in tracks: one for each option that a call may have beyond C = A B
// of whole row-major matrices.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string_view>

#include "lab/rows/operation.hpp"

namespace carat::benchmark {

struct call_type {
    std::string_view name;
    dtype in;
    dtype out;     // of C, but where the track is about it
    dtype wide;    // what it is summed in
    bool is_tf32;  // f32 data on the tensor cores
};
[[nodiscard]] std::span<const call_type> call_types();

enum class call_track : std::uint8_t { plain, beta, ld, layouts, epilogue, out, even, uneven };
[[nodiscard]] std::span<const std::string_view> call_tracks();  // their names, in this order

/// Sizes of 64 to 8192 in multiples of `multiple`, log-uniform, of at most about two milliseconds
/// of work. N and K of groups are multiples of 256, as in models, with 8 to 256 products of 1 to
/// 4096 rows.
[[nodiscard]] rows::operation drawn_call(call_track track, const call_type& type,
                                         std::int64_t multiple, std::mt19937_64& random);

/// Whether cuBLAS supports it.
[[nodiscard]] bool is_offered(call_track track, const call_type& type);

}  // namespace carat::benchmark
