// Fills a shared tile with cp.async. Which thread copies what is decided once; per tile there is
// only a pointer to move on. Any strides and any edge: elements go one by one (4 or 8 bytes), with
// zeros where the matrix ends, or in vectors of 16 bytes where rows are contiguous and aligned.
#pragma once

#include "cuda/common/async_copy.cuh"
#include "ladder/cuda/tiles.cuh"

namespace carat::ladder::cuda {

// Copies tiles whose first column is x0 out of `m`; see tiles.cuh for what k and x mean.
template <class T, int Depth, int Width, int Threads>
class tile_copier {
  public:
    __device__ tile_copier(const matrix<const T>& m, std::int64_t x0)
        : matrix_(m),
          x0_(x0),
          along_k_(m.row_stride == 1),
          in_vectors_(m.col_stride == 1 && aligned_for_vectors(m, m.row_stride)) {}

    // Starts copying the Depth rows from k0 on; they are there when the copies have been waited for
    // and the block has met at a barrier.
    __device__ void start(shared_tile<T, Depth, Width>& to, std::int64_t k0) const {
        if (x0_ + Width > matrix_.cols || k0 + Depth > matrix_.rows)
            copy_edge(to, k0);
        else if (in_vectors_)
            copy<vector<T>::size, false>(to, k0);
        else if (along_k_)
            copy<1, true>(to, k0);
        else
            copy<1, false>(to, k0);
    }

  private:
    // A tile that lies inside the matrix. Neighbouring threads copy neighbours along k, or along x:
    // whichever lie side by side. Three instructions an element: what is not a multiplication
    // costs time here.
    template <int Size, bool AlongK>
    __device__ void copy(shared_tile<T, Depth, Width>& to, std::int64_t k0) const {
        constexpr int copies = Depth * Width / Size / Threads;
        constexpr int across = Width / Size;
        static_assert(copies * Size * Threads == Depth * Width && Threads % Depth == 0);
        const int own = static_cast<int>(threadIdx.x);
        const int k = AlongK ? own % Depth : own / across;
        const int x = AlongK ? own / Depth : own % across * Size;
        constexpr int k_step = AlongK ? 0 : Threads / across;
        constexpr int x_step = AlongK ? Threads / Depth : 0;
        const T* from = &matrix_(k0 + k, x0_ + x);
        const std::int64_t step = k_step * matrix_.row_stride + x_step * matrix_.col_stride;
#pragma unroll
        for (int e = 0; e < copies; ++e) {
            carat::cuda::copy_async<Size * sizeof(T)>(&to.at[k + e * k_step][x + e * x_step], from,
                                                      true);
            from += step;
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
    bool along_k_;
    bool in_vectors_;
};

}  // namespace carat::ladder::cuda
