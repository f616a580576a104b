// The device's part of finish.hpp.
#pragma once

#include "cuda/common/activation.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/finish.hpp"
#include "cuda/sm90/from_registers.cuh"

namespace carat::cuda::sm90 {

// What is the same down a column, of the columns of a box: each lane has those of one or two, and
// the others ask it.
template <int Columns>
struct column_values {
    static constexpr int of_lane = Columns / 32;
    float scale[of_lane];
    float bias[of_lane];

    __device__ __forceinline__ column_values(const finish& last, int first, int n, int thread) {
#pragma unroll
        for (int i = 0; i < of_lane; ++i) {
            const int at = min(first + thread % 32 * of_lane + i, n - 1);
            scale[i] = of_columns(last.scale) ? __ldg(last.scale.values + at) : 1.0f;
            bias[i] = of_columns(last.bias) ? __ldg(last.bias.values + at) : 0.0f;
        }
    }

  private:
    static __device__ __forceinline__ bool of_columns(const line_values& v) {
        return v.values != nullptr && !v.of_rows;
    }
};

// A warpgroup's sums where wgmma leaves them, a box of them at a time: a thread has pairs of
// neighbours in two rows.
template <class C, int Columns>
struct pair_finish {
    const arguments<float>& p;
    int thread;
    bool only_bias;        // of columns, if any
    float factor[2] = {};  // of each row
    float bias[2] = {};
    column_values<Columns> of_columns;

    __device__ __forceinline__ pair_finish(const arguments<float>& with, int row, int col,
                                           int of_thread)
        : p(with), thread(of_thread), of_columns(p.last, col, p.n, thread) {
        only_bias = p.last.scale.values == nullptr &&
                    (p.last.bias.values == nullptr || !p.last.bias.of_rows);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int at = min(row + place_of_sum<C::a_in_registers>(thread, 2 * i).row, p.m - 1);
            factor[i] = p.alpha * of_row(p.last.scale, at, 1.0f);
            bias[i] = of_row(p.last.bias, at, 0.0f);
        }
    }

    __device__ __forceinline__ void go_to(int col) {
        of_columns = column_values<Columns>(p.last, col, p.n, thread);
    }

    // The sums of a box become what C is of them, but for what is added.
    template <int Count>
    __device__ __forceinline__ void apply(float (&some)[Count]) const {
        if (only_bias)
            each_column(some, [&](float& upper, float& lower, int lane, int own) {
                const float shift = __shfl_sync(0xffffffffu, of_columns.bias[own], lane);
                upper = upper * factor[0] + shift;
                lower = lower * factor[1] + shift;
            });
        else
            each_column(some, [&](float& upper, float& lower, int lane, int own) {
                const float shift = __shfl_sync(0xffffffffu, of_columns.bias[own], lane);
                const float scale = __shfl_sync(0xffffffffu, of_columns.scale[own], lane);
                upper = upper * (factor[0] * scale) + (bias[0] + shift);
                lower = lower * (factor[1] * scale) + (bias[1] + shift);
            });
        activate(p.last.then, some);
    }

  private:
    static __device__ __forceinline__ float of_row(const line_values& v, int at, float otherwise) {
        return v.values != nullptr && v.of_rows ? __ldg(v.values + at) : otherwise;
    }

    // The sums in both rows of each column, and the lane that has the column's values, as which of
    // its own.
    template <int Count, class Visit>
    __device__ __forceinline__ void each_column(float (&some)[Count], const Visit& visit) const {
        constexpr int of_lane = Columns / 32;
#pragma unroll
        for (int i = 0; i < Count; i += 4)
#pragma unroll
            for (int neighbour = 0; neighbour < 2; ++neighbour) {
                const int column = 2 * i + 2 * (thread % 4) + neighbour;
                visit(some[i + neighbour], some[i + 2 + neighbour], column / of_lane,
                      of_lane == 1 ? 0 : neighbour);
            }
    }
};

// Where nothing is finished: the sums times alpha.
template <class Factor>
struct pair_scaling {
    Factor alpha;

    __device__ __forceinline__ pair_scaling(const arguments<Factor>& with, int, int, int)
        : alpha(with.alpha) {}
    __device__ __forceinline__ void go_to(int) {}
    template <int Count>
    __device__ __forceinline__ void apply(Factor (&some)[Count]) const {
#pragma unroll
        for (Factor& x : some) x *= alpha;
    }
};

// Four neighbours along lines of C: what is the same on every line is read once.
struct line_finish {
    const finish& of;
    bool rows;  // lines are rows
    float scale[4];
    float bias[4];

    struct line_values_now {
        float scale;
        float bias;
    };

    __device__ __forceinline__ line_finish(const finish& last, bool by_rows, int along, int left)
        : of(last), rows(by_rows) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            // Beyond C, as all of a thread's part may be, there is nothing to read.
            scale[i] = i < left && across(of.scale) ? __ldg(of.scale.values + along + i) : 1.0f;
            bias[i] = i < left && across(of.bias) ? __ldg(of.bias.values + along + i) : 0.0f;
        }
    }

    [[nodiscard]] __device__ __forceinline__ line_values_now of_line(int line) const {
        return {along(of.scale) ? __ldg(of.scale.values + line) : 1.0f,
                along(of.bias) ? __ldg(of.bias.values + line) : 0.0f};
    }

    [[nodiscard]] __device__ __forceinline__ float scaled(float x, int neighbour,
                                                          const line_values_now& now) const {
        return x * scale[neighbour] * now.scale + bias[neighbour] + now.bias;
    }
    template <int Count>
    __device__ __forceinline__ void activate(float (&x)[Count]) const {
        cuda::activate(of.then, x);
    }
    // Integers are not finished.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t scaled(std::uint32_t x, int,
                                                                  const line_values_now&) const {
        return x;
    }
    template <int Count>
    __device__ __forceinline__ void activate(std::uint32_t (&)[Count]) const {}

  private:
    // One number for each line, or one for each neighbour on it.
    [[nodiscard]] __device__ bool along(const line_values& v) const {
        return v.values != nullptr && v.of_rows == rows;
    }
    [[nodiscard]] __device__ bool across(const line_values& v) const {
        return v.values != nullptr && v.of_rows != rows;
    }
};

}  // namespace carat::cuda::sm90
