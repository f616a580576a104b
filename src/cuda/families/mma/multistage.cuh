// Large tiles, for as much of the tensor cores' rate as mma.sync gives: each warp multiplies 64 x
// 64 of C where registers allow it, so that what it reads from shared memory takes less time than
// what it multiplies, and reads the next step's operands while it multiplies this one's.
//
//     copies     stage 0 1 2 | 3          | 4          | ...     so many are under way
//     read       0.0 | 0.1     1.0 | 1.1     2.0 | ...           stage.step
//     multiply         0.0   | 0.1   1.0   | 1.1   2.0 | ...
//
// Operands are read where they lie, 16 bytes at a time: their lines begin at multiples of those.
#pragma once

#include <algorithm>
#include <type_traits>

#include "cuda/common/raster.cuh"
#include "cuda/families/mma/kernel.cuh"

namespace carat::cuda::mma {

template <class Math, int BlockM, int BlockN, int WarpsM, int WarpsN, int CtasPerSm>
struct multistage_config {
    using math = Math;
    using element = typename Math::element;
    using sum = typename Math::sum;
    using narrow = typename Math::narrow;
    using tile_of_a = tile_in_shared<Math, Math::a, BlockM>;
    using tile_of_b = tile_in_shared<Math, Math::b, BlockN>;
    static constexpr bool reads_anywhere = false;
    static constexpr int block_m = BlockM;
    static constexpr int block_n = BlockN;
    static constexpr int block_k = Math::block_k;
    static constexpr int k_of_part = 2 * block_k;  // sums of fp8 that are promoted together
    static constexpr int warps_n = WarpsN;
    static constexpr int warps = WarpsM * WarpsN;
    static constexpr int threads = warps * 32;
    static constexpr int ctas_per_sm = CtasPerSm;
    static constexpr int warp_m = BlockM / WarpsM;
    static constexpr int warp_n = BlockN / WarpsN;
    static constexpr int sums_stride = warp_n + 8;

    static constexpr int a_elements = tile_of_a::elements;
    static constexpr int stage_elements = a_elements + tile_of_b::elements;
    static constexpr int a_bytes = a_elements * static_cast<int>(sizeof(element));
    static constexpr int stage_bytes = stage_elements * static_cast<int>(sizeof(element));
    static constexpr int steps = block_k / Math::step_k;
    static_assert(warp_m % 16 == 0 && warp_n % 16 == 0 && steps % 2 == 0);

    // What a warp's sums go through on their way to C, 16 rows at a time.
    struct slab {
        using sum = typename Math::sum;
        using narrow = typename Math::narrow;
        static constexpr bool fuses_vectors = true;
        static constexpr int threads = 32;
        static constexpr int block_m = 16;
        static constexpr int block_n = multistage_config::warp_n;
        static constexpr int k_groups = 1;
        static constexpr int sums_stride = multistage_config::sums_stride;
        static constexpr int sums_of_group = block_m * sums_stride;
    };
    static constexpr int slab_bytes = slab::sums_of_group * static_cast<int>(sizeof(sum));
    static constexpr int shared_bytes = warps * slab_bytes;  // at least
    static constexpr int fewest_bytes = std::max(shared_bytes, 2 * stage_bytes);
};

// At most `stages` - 2 of the latest stages are still under way.
__device__ __forceinline__ void wait_for_stage(int stages) {
    if (stages == 4)
        wait_for_copies<2>();
    else if (stages > 4)
        wait_for_copies<4>();
    else if (stages == 3)
        wait_for_copies<1>();
    else
        wait_for_copies<0>();
}

// The main loop of a CTA.
template <class C, class Part>
class multistage_loop {
    using element = typename C::element;
    using loader_of_a = loader<C, C::math::a, C::block_m>;
    using loader_of_b = loader<C, C::math::b, C::block_n>;
    static constexpr bool ahead = C::math::reads_ahead;
    static constexpr int buffers = ahead ? 2 : 1;

  public:
    __device__ __forceinline__ multistage_loop(Part& own, const arguments<typename C::sum>& p,
                                               const coordinate& at, element* shared)
        : own_(own),
          a_(p.a, at.product, at.row, at.m, at.first_k, at.k),
          b_(p.b, at.product, at.col, at.n, at.first_k, at.k),
          shared_(shared),
          begin_(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))),
          from_(begin_),
          stages_(p.stages),
          count_((at.k + C::block_k - 1) / C::block_k),
          whole_(a_.copies_singly() && b_.copies_singly() ? at.k / C::block_k : 0) {}

    __device__ __forceinline__ void run() {
#pragma unroll 1
        for (int i = 0; i + 1 < stages_; ++i) start(i, i);
        wait_for_stage(stages_);
        __syncthreads();
        if (ahead && count_ > 0) own_.read(held_[0], from_, from_ + C::a_bytes, 0);
        int i = 0;
#pragma unroll 1
        for (; i + stages_ <= whole_; ++i) stage<true>(i);
#pragma unroll 1
        for (; i < count_; ++i) stage<false>(i);
    }

  private:
    // Its number, and its place in shared memory.
    __device__ __forceinline__ void start(int number, int place) {
        if (number < count_) {
            element* const to = shared_ + place * C::stage_elements;
            a_.start(to);
            b_.start(to + C::a_elements);
        }
        commit_copies();
    }

    __device__ __forceinline__ void next_stage() {
        wait_for_stage(stages_);
        __syncthreads();
        place_ = place_ + 1 == stages_ ? 0 : place_ + 1;
        from_ = begin_ + static_cast<std::uint32_t>(place_ * C::stage_bytes);
    }

    // Whole: so is the stage that is started meanwhile.
    template <bool Whole>
    __device__ __forceinline__ void stage(int number) {
#pragma unroll(ahead ? C::steps : 1)
        for (int step = 0; step < C::steps; ++step) {
            const int read = ahead ? (step + 1) % C::steps : step;
            if (ahead && read == 0) next_stage();
            auto& to = held_[read % buffers];
            if (ahead)
                own_.read_early(to, from_, from_ + C::a_bytes, read);
            else
                own_.read(to, from_, from_ + C::a_bytes, read);
            const auto read_late = [&](int column) {
                if (ahead) own_.read_late(to, from_ + C::a_bytes, read, column);
            };
            if (step == 0)
                multiply_and_start<Whole>(number + stages_ - 1, read_late);
            else
                own_.multiply(held_[step % buffers], read_late);
        }
        if (!ahead) next_stage();
        own_.end_stage(number, number + 1 == count_);
    }

    // Where the stage before this one was the next one goes that isn't under way yet: a whole one
    // copy by copy between multiplications.
    template <bool Whole, class Read>
    __device__ __forceinline__ void multiply_and_start(int number, const Read& read_late) {
        const int place = (place_ == 0 ? stages_ : place_) - 1;
        if constexpr (!Whole) {
            start(number, place);
            own_.multiply(held_[0], read_late);
            return;
        }
        element* const to = shared_ + place * C::stage_elements;
        own_.multiply(held_[0], [&](int column) {
            read_late(column);
            start_copies(to, column);
        });
        a_.go_on();
        b_.go_on();
        commit_copies();
    }
    __device__ __forceinline__ void start_copies(element* to, int column) const {
        constexpr int of_a = loader_of_a::copies;
        constexpr int all = of_a + loader_of_b::copies;
        constexpr int each = (all + Part::columns - 1) / Part::columns;
#pragma unroll
        for (int copy = column * each; copy < (column + 1) * each; ++copy) {
            if (copy < of_a)
                a_.start_one(to, copy);
            else if (copy < all)
                b_.start_one(to + C::a_elements, copy - of_a);
        }
    }

    Part& own_;
    loader_of_a a_;
    loader_of_b b_;
    element* shared_;
    std::uint32_t begin_;  // of the stages
    std::uint32_t from_;   // of the one that is read
    int place_ = 0;        // of that
    int stages_;
    int count_;
    int whole_;  // stages
    typename Part::fragments held_[buffers];
};

// Its tiles of one product in bands (raster.cuh), those of all products one after the other.
template <class C>
__device__ __forceinline__ coordinate multistage_coordinate(const arguments<typename C::sum>& p,
                                                            int cta) {
    const tile_coordinate tile =
        raster_swizzle(cta % p.tiles, p.tiles_m, p.tiles / max(p.tiles_m, 1));
    return {cta / p.tiles, tile.m * C::block_m, tile.n * C::block_n, 0, p.m, p.n, p.k};
}

template <class C>
__device__ __forceinline__ place_in_cta place_of(int thread) {
    const int warp = thread / 32;
    return {warp / C::warps_n * C::warp_m, warp % C::warps_n * C::warp_n, thread % 32, 0};
}

// False: there is no tile for this CTA.
template <class C>
__device__ __forceinline__ bool find_tile(coordinate& at, const arguments<typename C::sum>& p) {
    const auto cta = static_cast<int>(blockIdx.x);
    if (p.shared_out != ragged_dimension::none) {
        at = coordinate_of<C>(p, cta);
        return find_ragged<C>(at, p);
    }
    at = multistage_coordinate<C>(p, cta / p.splits);
    if (p.splits > 1) take_part_of_k<C>(at, cta % p.splits, p.splits);
    return true;
}

template <class C, class Part>
__device__ __forceinline__ void store_by_slabs(Part& part, const arguments<typename C::sum>& p,
                                               const coordinate& at, unsigned char* shared) {
    using slab = typename C::slab;
    const int thread = ptx::thread_anew();
    const place_in_cta own = place_of<C>(thread);
    auto* const sums =
        reinterpret_cast<typename C::sum*>(shared) + thread / 32 * slab::sums_of_group;
    const int row = at.row + own.row;
    const int col = at.col + own.col;
    const std::int64_t first = place_in_c(p, at) + own.row * p.row_stride + own.col * p.col_stride;
    const int rows = at.m - row;
    const int cols = min(C::warp_n, at.n - col);
    const scaling<typename C::sum> scaled(p);
#pragma unroll 1
    for (int i = 0; i < C::warp_m / 16; ++i) {
        part.sums().stage_piece(i, sums, scaled, own.lane);
        __syncwarp();
        store<slab>(
            p, {first + i * 16 * p.row_stride, row + i * 16, col, min(16, rows - i * 16), cols},
            sums, own.lane);
        __syncwarp();
    }
}

template <class C>
__device__ __forceinline__ void compute_large_tile(const arguments<typename C::sum>& p,
                                                   unsigned char* shared) {
    // The threads' copies need the registers until sums are stored.
    __shared__ coordinate kept;
    const bool is_ragged = p.shared_out != ragged_dimension::none;
    ptx::pdl_trigger();
    if (is_ragged) ptx::pdl_wait();
    coordinate at;
    if (!find_tile<C>(at, p)) return;
    if (threadIdx.x == 0) kept = at;
    typename C::math::template part<C> part(p, at, place_of<C>(static_cast<int>(threadIdx.x)));
    multistage_loop<C, decltype(part)> loop(part, p, at,
                                            reinterpret_cast<typename C::element*>(shared));
    if (!is_ragged) ptx::pdl_wait();
    loop.run();
    __syncthreads();
    part.finish();
    store_by_slabs<C>(part, p, kept, shared);
}

template <class C>
__global__ void __launch_bounds__(C::threads, C::math::reads_ahead ? C::ctas_per_sm : 1)
    multistage_kernel(const __grid_constant__ arguments<typename C::sum> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    if constexpr (runs_here<C>()) compute_large_tile<C>(p, shared);
}

}  // namespace carat::cuda::mma
