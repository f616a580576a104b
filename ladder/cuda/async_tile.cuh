// Fills shared tiles with cp.async, one after the other along k. Which thread copies what is
// decided once; per tile there is only a pointer to move on. Any strides and any edge: elements go
// one by one (4 or 8 bytes), with zeros where the matrix ends, or in vectors of 16 bytes where rows
// are contiguous and aligned.
#pragma once

#include "cuda/common/async_copy.cuh"
#include "ladder/cuda/tiles.cuh"

namespace carat::ladder::cuda {

// Copies tiles whose first column is x0 out of `m`; see tiles.cuh for what k and x mean.
template <class T, int Depth, int Width, int Threads>
class tile_copier {
    static constexpr int size = vector<T>::size;

  public:
    __device__ tile_copier(const matrix<const T>& m, std::int64_t x0)
        : matrix_(m),
          x0_(x0),
          last_whole_(x0 + Width <= m.cols ? m.rows - Depth : -1),
          along_k_(m.row_stride == 1),
          in_vectors_(m.col_stride == 1 && aligned_for_vectors(m, m.row_stride)) {
        // Neighbouring threads copy neighbours along k, or along x: whichever lie side by side.
        const int own = static_cast<int>(threadIdx.x);
        if (in_vectors_)
            place(own / (Width / size), own % (Width / size) * size,
                  Threads / (Width / size) * m.row_stride);
        else if (along_k_)
            place(own % Depth, own / Depth, Threads / Depth * m.col_stride);
        else
            place(own / Width, own % Width, Threads / Width * m.row_stride);
    }

    // Starts copying the Depth rows from k0 on, where k0 is one Depth further each time; they are
    // there when the copies have been waited for and the block has met at a barrier.
    __device__ __forceinline__ void start(shared_tile<T, Depth, Width>& to, std::int64_t k0) {
        if (k0 > last_whole_) return copy_edge(to, k0);
        if (in_vectors_)
            copy<size, false>(&to.at[k_][x_]);
        else if (along_k_)
            copy<1, true>(&to.at[k_][x_]);
        else
            copy<1, false>(&to.at[k_][x_]);
        from_ += Depth * matrix_.row_stride;
    }

  private:
    __device__ void place(int k, int x, std::int64_t step) {
        k_ = k;
        x_ = x;
        from_ = &matrix_(k, x0_ + x);
        step_ = step;
    }

    // A tile that lies inside the matrix. Three instructions a copy: what is not a multiplication
    // costs time here.
    template <int Size, bool AlongK>
    __device__ __forceinline__ void copy(T* to) const {
        constexpr int copies = Depth * Width / Size / Threads;
        constexpr int pitch = Width + size;
        constexpr int to_step = AlongK ? Threads / Depth : Threads / (Width / Size) * pitch;
        static_assert(copies * Size * Threads == Depth * Width && Threads % Depth == 0 &&
                      Threads % (Width / Size) == 0);
        const T* from = from_;
#pragma unroll
        for (int e = 0; e < copies; ++e) {
            carat::cuda::copy_async<Size * sizeof(T)>(to + e * to_step, from, true);
            from += step_;
        }
    }

    // A tile that sticks out: zeros where the matrix ends. Rolled up, to leave the registers alone.
    __device__ void copy_edge(shared_tile<T, Depth, Width>& to, std::int64_t k0) const {
#pragma unroll 1
        for (int e = static_cast<int>(threadIdx.x); e < Depth * Width; e += Threads) {
            const int k = along_k_ ? e % Depth : e / Width;
            const int x = along_k_ ? e / Depth : e % Width;
            const bool inside = matrix_.contains(k0 + k, x0_ + x);
            carat::cuda::copy_async<sizeof(T)>(
                &to.at[k][x], inside ? &matrix_(k0 + k, x0_ + x) : matrix_.data, inside);
        }
    }

    matrix<const T> matrix_;
    std::int64_t x0_;
    std::int64_t last_whole_;  // the last k0 of a tile that lies inside; -1: there is none
    bool along_k_;
    bool in_vectors_;
    int k_;  // where in the tile this thread's first copy goes
    int x_;
    const T* from_;      // and where it comes from, in the next tile
    std::int64_t step_;  // to where its next one comes from
};

}  // namespace carat::ladder::cuda
