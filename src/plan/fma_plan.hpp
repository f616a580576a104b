// Which fma kernel (src/cuda/families/fma) multiplies a product of f32 or f64, and how it is cut
// up: of all tiles and cuts the one that takes least.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <carat/types.hpp>

#include "plan/fma_tile.hpp"
#include "plan/gemm_plan.hpp"
#include "plan/gpu_costs.hpp"

namespace carat::plan {

/// A or B.
struct fma_operand {
    lying lies = lying::across_k;
    double packing_bytes = 0;   // read and written
    bool runs_along_k = false;  // its lines do; packing turns them
};

struct fma_request {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;  // products of these sizes in one launch
    dtype type = dtype::f32;
    bool c_on_16_bytes = true;  // its rows begin at multiples of 16 bytes
    bool adds_e = false;
    bool one_a = false;  // A is one matrix for all products of a batch
    bool one_b = false;
    fma_operand a = {};
    fma_operand b = {};
    int sms = 132;
    bool leaves_sms = false;       // to other work: no CTA may wait for a place
    bool batch_invariant = false;  // bits are to be those of any tile, of a batch too
    int block_m = 0;               // asked for, exactly; 0: choose
    int block_n = 0;
    int split_k = 0;  // asked for, at most; 0: choose
    int cluster = 0;  // of these, exactly; 0: choose
    arrival arrives = arrival::chosen;
};

/// K in parts: those of a group are multiplied by a cluster of CTAs.
struct fma_cut {
    int cluster = 1;
    int groups = 1;

    [[nodiscard]] int parts() const { return cluster * groups; }
    bool operator==(const fma_cut&) const = default;
};

struct fma_plan {
    std::size_t tile = 0;  // of those to choose from
    int block_m = 0;
    int block_n = 0;
    fma_cut cut;
    double seconds = 0;  // predicted for one launch of many on a stream

    bool operator==(const fma_plan&) const = default;
};

/// Whether a kernel with such tiles can read A and B, packed or not.
[[nodiscard]] bool reads_both(const fma_way& tile, const fma_request& of);

/// Whether its CTAs take tiles in turn where there are more of those. Straight tiles of f64 leave
/// through the memory of their stages, so a CTA has one.
[[nodiscard]] bool takes_tiles_in_turn(const fma_way& tile, const fma_request& of);

/// Whether K is summed in the order in which it lies, as tiles of other families do.
[[nodiscard]] bool sums_in_order(const fma_way& tile, const fma_request& of);

[[nodiscard]] packed_first packing_before(const fma_tile& of, const fma_request& wanted);

/// Packing included.
[[nodiscard]] launch_work work_of(const fma_way& of, const fma_cut& cut, const fma_request& wanted,
                                  const gpu_costs& costs);

/// Packing included.
[[nodiscard]] double seconds_of(const fma_way& tile, const fma_cut& cut, const fma_request& of,
                                const gpu_costs& costs);

[[nodiscard]] const fma_costs& fma_costs_of(const fma_way& tile, dtype type,
                                            const gpu_costs& costs);

/// `tiles` are those of its type, the smallest first, and no size is 0. Nothing where no kernel has
/// the tile that was requested.
[[nodiscard]] std::optional<fma_plan> make_fma_plan(const fma_request& wanted,
                                                    std::span<const fma_way> tiles,
                                                    const gpu_costs& costs);

/// Why there is no plan, and which tiles there are; empty where there is one.
[[nodiscard]] std::string reason_against(const fma_request& wanted, std::span<const fma_way> tiles);

}  // namespace carat::plan
