// Small programs that keep one unit of a core, or one level of memory, busy. They are compiled once
// for each ISA level (isa/*.cpp); this is their common interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <carat/types.hpp>

#include "core/isa.hpp"

namespace carat::machine {

// What one step does to every accumulator c with the operands x and y.
enum class arithmetic : std::uint8_t {
    multiply_add,  // c[l] = c[l] * x[l] + y[l]
    dot,           // c[l] += sum over d of x[l * depth + d] * y[l * depth + d]
    matrix,        // c[i][j] += sum over d of x[i][d] * y[j][d], 2 x 2
    tile,          // c[i][j] += sum over p, d of x[i][p * depth + d] * y[p][j * depth + d], 16 x 16
};

// run(steps, state) works on 64-byte aligned memory: x, y (operand_bytes each), then `chains`
// independent accumulators of `lanes` elements. The loop runs in registers, and the chains hide the
// unit's latency. The results are stored in the state, so that the work cannot be optimised away
// and can be checked.
struct compute_kernel {
    const char* unit;     // "avx512 fma"
    const char* feature;  // name in /proc/cpuinfo that it needs beyond its level, or ""
    arithmetic form;
    dtype operand;
    dtype accumulator;
    int lanes;
    int chains;
    int depth;  // products for one lane and step
    int operand_bytes;
    void (*run)(std::int64_t steps, void* state);
};

// Multiplications and additions count as one operation each.
[[nodiscard]] constexpr double operations_per_step(const compute_kernel& k) {
    const int products = k.form == arithmetic::tile ? 16 * k.depth : k.depth;
    return 2.0 * k.lanes * k.chains * products;
}

[[nodiscard]] constexpr std::size_t state_bytes(const compute_kernel& k) {
    return 2 * static_cast<std::size_t>(k.operand_bytes) + static_cast<std::size_t>(k.lanes) *
                                                               static_cast<std::size_t>(k.chains) *
                                                               size_bytes(k.accumulator);
}

// The sum modulo 2^64 of `bytes` at `data` as 64-bit integers, `passes` times. `data` is 64-byte
// aligned, `bytes` a multiple of 1024.
using read_kernel = std::uint64_t (*)(const void* data, std::int64_t bytes, std::int64_t passes);

struct leveled_kernel {
    core::isa level;
    const compute_kernel* kernel;
};

// The kernels of all levels that this machine can run.
[[nodiscard]] std::vector<leveled_kernel> compute_kernels();

[[nodiscard]] read_kernel reader(core::isa level);

// Whether the kernel computes what its form says, on small numbers that every type holds exactly.
[[nodiscard]] bool computes_right(const compute_kernel& kernel, std::int64_t steps);

// Fills x, y and the accumulators with those numbers.
void fill_state(const compute_kernel& kernel, void* state);

// The tables of each level; sources in isa/.
#define CARAT_DECLARE_KERNELS(level)                                               \
    namespace level {                                                              \
    extern const std::span<const compute_kernel> multiply_add_kernels;             \
    extern const std::span<const compute_kernel> dot_kernels;                      \
    std::uint64_t read(const void* data, std::int64_t bytes, std::int64_t passes); \
    }
CARAT_DECLARE_KERNELS(baseline)
CARAT_DECLARE_KERNELS(avx2)
CARAT_DECLARE_KERNELS(avx512)
CARAT_DECLARE_KERNELS(sve256)
CARAT_DECLARE_KERNELS(sve512)
CARAT_DECLARE_KERNELS(narrow)  // of Arm: every unit for narrow types
#undef CARAT_DECLARE_KERNELS

}  // namespace carat::machine
