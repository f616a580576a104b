// An operand packed once: lines (rows of A or columns of B) over all of k, as micropanels for
// register tiles or a matrix unit, so that any block of k is an offset in it. With register tiles
// it always takes the role of A; sums are the same in either role.
#pragma once

#include <carat/prepare.hpp>

#include "core/problem.hpp"
#include "cpu/kernels/micro_kernel.hpp"
#include "cpu/task.hpp"
#include "cpu/workspace.hpp"

namespace carat::detail {

struct prepared_operand {
    cpu_engine::workspace memory;
    cpu_engine::source lines;  // where vectors begin that begin a micropanel
    side place = side::right;
    bool for_matrix_unit = false;
    std::int64_t largest = 0;  // magnitude of integers
};

}  // namespace carat::detail

namespace carat::cpu_engine {

using detail::prepared_operand;

// Packs an operand of `count` lines by `k`, stored as `from` says. Returns its bytes. Throws
// carat::error (overflow, out_of_memory).
std::size_t pack_operand(prepared_operand& into, const kernel_set& with, dtype type,
                         const source& from, std::int64_t count, std::int64_t k);

}  // namespace carat::cpu_engine
