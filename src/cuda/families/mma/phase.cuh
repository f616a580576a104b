// Where an operand's runs begin between 16 bytes. Memory is copied by 16 bytes whatever an address
// is: a run's pieces lie in shared memory as they do in memory, so that its first element is up to
// three places behind where the first piece begins, and whoever reads it is told how far.
//
//     memory   [ . . 0 1 | 2 3 4 5 | 6 7 . . ]      run r: phase 2
//     shared   [ . . 0 1 | 2 3 4 5 | 6 7 . . ]      element k is in place k + 2
//
// Runs that are 16 bytes' elements apart (or more, by a power of 2) have one phase, so that a
// thread that copies or reads every fourth, or eighth, keeps one number.
#pragma once

#include <cstdint>

#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

template <class Element>
struct phases {
    static constexpr int pieces = 16 / static_cast<int>(sizeof(Element));  // elements of one

    std::uint32_t first;  // elements to the tile's first run, and from each to the next one
    std::uint32_t step;

    // The phases of a tile that begins at this line and k.
    __device__ __forceinline__ phases(const operand_view& of, std::int64_t product, int line,
                                      int k) {
        const auto low = [](std::int64_t x) { return static_cast<std::uint32_t>(x); };
        step = low(of.run_stride);
        first = low(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(of.data) /
                                              sizeof(Element))) +
                low(product) * low(of.product_stride) + low(of.along_k ? line : k) * step +
                low(of.along_k ? k : line);
    }
    [[nodiscard]] __device__ __forceinline__ int of_run(int run) const {
        return static_cast<int>((first + static_cast<std::uint32_t>(run) * step) %
                                static_cast<std::uint32_t>(pieces));
    }
    // All runs begin at multiples of so many elements, a power of 2.
    [[nodiscard]] __device__ __forceinline__ bool are_multiples_of(int count) const {
        return ((first | step) & static_cast<std::uint32_t>(count - 1)) == 0;
    }
};

// An operand's tile.
template <class Element>
struct tile_of_operand {
    const operand_view& of;
    phases<Element> phase;
};

}  // namespace carat::cuda::mma
