// The steps, whose files say how each gets to its plan. A step has at most one parameter that a
// user can set, which choose() is given; 0 where there is none.
#pragma once

#include "ladder/cuda/bf16_plan.hpp"
#include "ladder/cuda/plan.hpp"

namespace carat::ladder::cuda {

// Steps 1 to 7, for double, float and 32-bit integers.
struct naive_step {
    static constexpr const char* name = "cuda.ladder.naive";
    template <class T>
    static plan<T> choose(int);
};
struct coalesced_step {
    static constexpr const char* name = "cuda.ladder.coalesced";
    template <class T>
    static plan<T> choose(int);
};
struct tiled_step {
    static constexpr const char* name = "cuda.ladder.tiled";
    template <class T>
    static plan<T> choose(int tile_size);
};
struct register_tiled_step {
    static constexpr const char* name = "cuda.ladder.register_tiled";
    template <class T>
    static plan<T> choose(int tile_size);
};
struct vectorised_step {
    static constexpr const char* name = "cuda.ladder.vectorised";
    template <class T>
    static plan<T> choose(int);
};
struct double_buffered_step {
    static constexpr const char* name = "cuda.ladder.double_buffered";
    template <class T>
    static plan<T> choose(int);
};
struct warp_tiled_step {
    static constexpr const char* name = "cuda.ladder.warp_tiled";
    template <class T>
    static plan<T> choose(int);
};

// Steps 8 and 9, for all types that tensor cores take.
struct wmma_step {
    static constexpr const char* name = "cuda.ladder.wmma";
    template <class In, class Out, class Sum>
    static plan<In, Out, Sum> choose(int);
};
struct wmma_shared_step {
    static constexpr const char* name = "cuda.ladder.wmma_shared";
    template <class In, class Out, class Sum>
    static plan<In, Out, Sum> choose(int small);
};

// Step 10 has this before step 9: to(i, j) = from(i, j), where `to` is row by row. Any number of
// blocks will do.
template <class T>
struct to_half_step {
    static constexpr int threads = 256;
    static void (*kernel())(matrix<const T> from, matrix<__half> to);
};

// Steps 21 and 22 have this before the product: to(i, j) = from(i, j), where elements of a column
// of `from` lie side by side. A block does side x side of them.
template <class T>
struct turn_step {
    static constexpr int side = 32;
    static constexpr int threads = 8 * side;
    static void (*kernel())(matrix<const T> from, matrix<T> to);
};
struct wide_step {
    static constexpr const char* name = "cuda.ladder.wide";
    static plan<float> choose();
};

// Steps 11 to 20. What a step's instructions need of a GPU: 8.0 or later; or 9.0 and code built for
// 90a, the only one that has them all.
enum class gpu_needs : std::uint8_t { ampere, hopper };

struct mma_step {
    static constexpr const char* name = "cuda.ladder.mma";
    static constexpr gpu_needs needs = gpu_needs::ampere;
    static bf16_plan choose(int);
};
struct swizzled_step {
    static constexpr const char* name = "cuda.ladder.swizzled";
    static constexpr gpu_needs needs = gpu_needs::ampere;
    static bf16_plan choose(int);
};
struct staged_step {
    static constexpr const char* name = "cuda.ladder.staged";
    static constexpr gpu_needs needs = gpu_needs::ampere;
    static bf16_plan choose(int stages);
};
struct tma_step {
    static constexpr const char* name = "cuda.ladder.tma";
    static constexpr gpu_needs needs = gpu_needs::hopper;
    static bf16_plan choose(int);
};
struct wgmma_step {
    static constexpr const char* name = "cuda.ladder.wgmma";
    static constexpr gpu_needs needs = gpu_needs::hopper;
    static bf16_plan choose(int);
};
struct specialised_step {
    static constexpr const char* name = "cuda.ladder.specialised";
    static constexpr gpu_needs needs = gpu_needs::hopper;
    static bf16_plan choose(int);
};
struct multicast_step {
    static constexpr const char* name = "cuda.ladder.multicast";
    static constexpr gpu_needs needs = gpu_needs::hopper;
    static bf16_plan choose(int);
};
struct persistent_step {
    static constexpr const char* name = "cuda.ladder.persistent";
    static constexpr gpu_needs needs = gpu_needs::hopper;
    static bf16_plan choose(int band);
};
struct deferred_store_step {
    static constexpr const char* name = "cuda.ladder.deferred_store";
    static constexpr gpu_needs needs = gpu_needs::hopper;
    static constexpr bool stores_by_tma = true;
    static bf16_plan choose(int);
};
struct stream_k_step {
    static constexpr const char* name = "cuda.ladder.stream_k";
    static constexpr gpu_needs needs = gpu_needs::hopper;
    static constexpr bool stores_by_tma = true;
    static bf16_plan choose(int);
};

}  // namespace carat::ladder::cuda
