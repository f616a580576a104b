// The five loops around a micro-kernel, over packed blocks.
#pragma once

#include "cpu/task.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

// Packed blocks start on cache lines and pages of their own.
[[nodiscard]] constexpr std::int64_t on_pages(std::int64_t elements) {
    constexpr std::int64_t page_elements = 1024;
    return (elements + page_elements - 1) / page_elements * page_elements;
}

// The columns [j, j + n) of B over the depths [p, p + k).
struct panel {
    std::int64_t j;
    std::int64_t n;
    std::int64_t p;
    std::int64_t k;
};

// Packs `count` columns of a panel from its column `first`, a multiple of nr, into their place.
template <class T>
void pack_panel(const task<T>& t, const panel& where, std::int64_t first, std::int64_t count,
                T* packed);

// Adds the products of all rows of A with a panel of B, which is packed unless blocks.reads_b.
// `packed_a` has room for a block of A.
template <class T>
void multiply_panel(const task<T>& t, const plan::blocking& blocks, const panel& where,
                    const T* packed_b, T* packed_a);

// Elements of T of workspace that multiply_blocked needs.
[[nodiscard]] std::int64_t blocked_elements(const plan::blocking& blocks);

// Multiplies large operands in packed blocks, on one thread.
template <class T>
void multiply_blocked(const task<T>& t, const plan::blocking& blocks, T* workspace);

}  // namespace carat::cpu_engine
