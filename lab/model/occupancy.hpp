// How many CTAs of a kernel an SM holds at once, limited by its threads, registers and shared
// memory. Whole numbers, stored as doubles.
#pragma once

#include <string_view>

namespace carat::model {

// Fields as in machine.gpus[] of a results file; the defaults are those of compute capability 9.0.
struct multiprocessor {
    double threads = 2048;
    double blocks = 32;
    double registers = 65536;
    double shared_bytes = 233472;
    double shared_bytes_per_block = 232448;
    double reserved_bytes = 1024;  // of shared memory, by the system, for each block

    bool operator==(const multiprocessor&) const = default;
};

struct block_needs {
    double threads = 256;
    double registers = 32;  // of each thread
    double shared_bytes = 0;
};

struct residency {
    double blocks = 0;       // on one multiprocessor; 0: it can't run at all
    double occupancy = 0;    // threads resident over the most there can be
    std::string_view limit;  // "threads", "blocks", "registers" or "shared memory"
};

/// Registers are given out to warps by 256 and to the four quarters of a multiprocessor alike.
[[nodiscard]] residency residency_of(const block_needs& block, const multiprocessor& on);

// One CTA of the ladder's GPU kernels, and what it does with each element it loads.
struct gpu_tile {
    block_needs needs;
    double working_set_bytes = 0;  // of shared memory
    double reuse = 1;              // uses of an element brought into shared memory
    double shared_reads = 2;       // words read from shared memory for one multiplication
};

/// cuda.ladder.tiled up to an edge of 32, one thread an element; beyond it
/// cuda.ladder.register_tiled, 16 x 16 threads with (tile / 16)^2 sums each and a depth of 16.
/// `tile` is a multiple of 16 beyond
/// 32. Registers are an estimate: the sums, what feeds them, and 32 for addresses and counters.
[[nodiscard]] gpu_tile gpu_tile_of(double tile, double element_bytes);

}  // namespace carat::model
