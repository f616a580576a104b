// The device's part of finish.hpp.
#pragma once

#include "cuda/common/activation.cuh"
#include "cuda/sm90/alike.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/finish.hpp"
#include "cuda/sm90/from_registers.cuh"

namespace carat::cuda::sm90 {

// alpha x, a zero as the sum of a product and no bias has it: bits don't depend on the way to C.
__device__ __forceinline__ float times(float alpha, float x) {
    return fmaf(alpha, x, 0.0f);
}
__device__ __forceinline__ std::uint32_t times(std::uint32_t alpha, std::uint32_t x) {
    return alpha * x;
}

// Of a gate a tile's columns of B lie in two places, gates and values, and become half as many of
// C.
template <class C, class Factor>
[[nodiscard]] __device__ __forceinline__ bool is_gated(const arguments<Factor>& p) {
    if constexpr (C::gates) return p.last.gates;
    return false;
}
template <class C, class Factor>
[[nodiscard]] __device__ __forceinline__ int columns_of_c(const arguments<Factor>& p) {
    return is_gated<C>(p) ? C::tile_n / 2 : C::tile_n;
}
template <class C, class Factor>
[[nodiscard]] __device__ __forceinline__ int columns_of_b(const arguments<Factor>& p) {
    return is_gated<C>(p) ? 2 * p.n : p.n;
}
// How much further right than beside the first half the second one begins.
template <class C, class Factor>
[[nodiscard]] __device__ __forceinline__ int to_second_half(const arguments<Factor>& p) {
    return is_gated<C>(p) ? p.n - C::tile_n / 2 : 0;
}

// A warpgroup's sums leave in boxes of columns, and where it has several parts of 64 rows the boxes
// of each columns one part after the other. The sums of a box, its number known at run time: code
// for all of them, but no more than that. some[i] = of(i, the box's i-th).
template <int Box, class Factor, class Sum, int Parts, int All, int Count, class Of>
__device__ __forceinline__ void take_numbered(Factor (&some)[Count], int number,
                                              const Sum (&sums)[Parts][All], const Of& of) {
    constexpr int columns = Box / Parts * Count;
    if constexpr (columns < All) {
        if (number == Box) {
            constexpr int first = columns + Count > All ? All - Count : columns;
#pragma unroll
            for (int i = 0; i < Count; ++i)
                some[i] = of(i, static_cast<Factor>(sums[Box % Parts][first + i]));
        } else {
            take_numbered<Box + 1>(some, number, sums, of);
        }
    }
}

// Of values that are the same down a column, those of a tile: each lane has every 32nd column's,
// and the others ask it.
template <int Columns>
struct column_values {
    static constexpr int of_lane = Columns / 32;
    float of[of_lane];

    // From column `first` of `n` on, those of the second half `further` right.
    __device__ __forceinline__ void read(const line_values& v, float otherwise, int first,
                                         int further, int n, int thread) {
#pragma unroll
        for (int i = 0; i < of_lane; ++i) {
            const int column = first + i * 32 + thread % 32 + (2 * i < of_lane ? 0 : further);
            of[i] = v.values != nullptr && !v.of_rows ? __ldg(v.values + min(column, n - 1))
                                                      : otherwise;
        }
    }

    // That of the thread's i-th column, of pairs of neighbours.
    [[nodiscard]] __device__ __forceinline__ float at(int i, int thread) const {
        const int column = i / 2 * 8 + i % 2;
        return __shfl_sync(0xffffffffu, of[column / 32], column % 32 + 2 * (thread % 4));
    }

    // So many columns fewer from now on.
    __device__ __forceinline__ void leave(int columns) {
#pragma unroll
        for (int left = 0; left < 2; ++left)
            if (left < columns / 32)
#pragma unroll
                for (int i = 0; i + 1 < of_lane; ++i) of[i] = of[i + 1];
    }
};

// A bias is of rows or of columns. Where it is of one, the other adds -0, which changes no number,
// nor the sign of a zero; where there is none, each sum has 0 added to it, as in times().
constexpr float unchanged = -0.0f;
[[nodiscard]] __device__ __forceinline__ float without_bias(const line_values& bias) {
    return bias.values != nullptr ? unchanged : 0.0f;
}

__device__ __forceinline__ float of_row(const line_values& v, int at, float otherwise) {
    return v.values != nullptr && v.of_rows ? __ldg(v.values + at) : otherwise;
}

// What a tile's finish reads before its sums are there, which takes as long as memory takes: the
// bias of its columns.
template <class C, class Factor, bool Finishes = C::finishes&& std::is_same_v<Factor, float>>
struct read_ahead {
    __device__ __forceinline__ void read(const arguments<Factor>&, int, int) {}
};
template <class C, class Factor>
struct read_ahead<C, Factor, true> {
    column_values<C::tile_n> shifts;

    __device__ __forceinline__ void read(const arguments<float>& p, int col, int thread) {
        shifts.read(p.last.bias, without_bias(p.last.bias), col, to_second_half<C>(p),
                    columns_of_b<C>(p), thread);
    }
};

// A warpgroup's sums where wgmma leaves them, box after box of them: a thread has pairs of
// neighbours in two rows.
template <class C, int Columns>
struct pair_finish {
    const arguments<float>& p;
    column_values<C::tile_n> shifts;  // of the columns of this box and those after it
    row_range<C::alike> rows;
    int thread;
    bool only_bias;  // of columns, if any

    __device__ __forceinline__ pair_finish(const arguments<float>& with,
                                           const read_ahead<C, float>& ahead,
                                           const row_range<C::alike>& of_rows, int of_thread)
        : p(with), shifts(ahead.shifts), rows(of_rows), thread(of_thread) {
        only_bias = p.last.scale.values == nullptr &&
                    (p.last.bias.values == nullptr || !p.last.bias.of_rows);
    }

    // What the sums of box `number` become before their activation. It begins at column `col`.
    template <int Count, class Sum, int Parts, int All>
    __device__ __forceinline__ void take(float (&some)[Count], int number, int col,
                                         const Sum (&sums)[Parts][All]) {
        // In tiles of 256 columns there are no registers for the shifts of a box at once.
        constexpr bool at_once = C::sums == summing::straight && C::tile_n < 256;
        if (at_once && only_bias) {
            float shift[Columns / 4];
#pragma unroll
            for (int i = 0; i < Columns / 4; ++i) shift[i] = shifts.at(i, thread);
            take_numbered<0>(some, number, sums, [&](int i, float x) {
                return fmaf(x, p.alpha, shift[i / 4 * 2 + i % 2]);
            });
            return;
        }
        take_numbered<0>(some, number, sums, [](int, float x) { return x; });
        if (only_bias)
            each_column(some, [&](float& upper, float& lower, int i) {
                const float shift = shifts.at(i, thread);
                upper = fmaf(upper, p.alpha, shift);
                lower = fmaf(lower, p.alpha, shift);
            });
        else
            scale(some, number % Parts * 64, col);
    }

    // The boxes that follow begin so many columns on.
    __device__ __forceinline__ void advance(int columns) {
        shifts.leave(columns);
    }

  private:
    template <int Count>
    __device__ __forceinline__ void scale(float (&some)[Count], int first_row, int col) const {
        column_values<Columns> scales;
        scales.read(p.last.scale, 1.0f, col, 0, p.n, thread);
        float factor[2];
        float bias[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int in_part = place_of_sum<C::a_in_registers>(thread, 2 * i).row;
            const int at = min(rows.at(first_row + in_part), p.m - 1);
            factor[i] = p.alpha * of_row(p.last.scale, at, 1.0f);
            bias[i] = of_row(p.last.bias, at, unchanged);
        }
        each_column(some, [&](float& upper, float& lower, int i) {
            const float of_column = scales.at(i, thread);
            const float shift = shifts.at(i, thread);
            upper = fmaf(upper, factor[0] * of_column, bias[0] + shift);
            lower = fmaf(lower, factor[1] * of_column, bias[1] + shift);
        });
    }

    // The sums in both rows of the thread's i-th column.
    template <int Count, class Visit>
    static __device__ __forceinline__ void each_column(float (&some)[Count], const Visit& visit) {
#pragma unroll
        for (int i = 0; i < Count / 2; ++i) {
            const int upper = i / 2 * 4 + i % 2;
            visit(some[upper], some[upper + 2], i);
        }
    }
};

// Of a gate: the first half of the sums becomes their activation times the second half, both scaled
// and shifted before. In place, since beside 128 sums there are no registers for others.
template <class C, int Parts, int All>
__device__ __forceinline__ void take_gates(const arguments<float>& p,
                                           const read_ahead<C, float>& ahead,
                                           const row_range<C::alike>& rows, int col, int thread,
                                           float (&sums)[Parts][All]) {
    // The thread's sums in its i-th column, each with its part of 64 rows and which of two it is.
    const auto each_in_column = [&](int i, const auto& visit) {
#pragma unroll
        for (int part = 0; part < Parts; ++part)
#pragma unroll
            for (int lower = 0; lower < 2; ++lower)
                visit(sums[part][i / 2 * 4 + i % 2 + 2 * lower], part, lower);
    };
    if (p.last.scale.values == nullptr && (p.last.bias.values == nullptr || !p.last.bias.of_rows)) {
#pragma unroll
        for (int i = 0; i < All / 2; ++i) {
            const float shift = ahead.shifts.at(i, thread);
            each_in_column(i, [&](float& x, int, int) { x = fmaf(x, p.alpha, shift); });
        }
    } else {
        column_values<C::tile_n> scales;
        scales.read(p.last.scale, 1.0f, col, to_second_half<C>(p), columns_of_b<C>(p), thread);
        float factor[Parts][2];
        float bias[Parts][2];
#pragma unroll
        for (int i = 0; i < 2 * Parts; ++i) {
            const int of_thread = place_of_sum<C::a_in_registers>(thread, i % 2 * 2).row;
            const int at = min(rows.at(i / 2 * 64 + of_thread), p.m - 1);
            factor[i / 2][i % 2] = p.alpha * of_row(p.last.scale, at, 1.0f);
            bias[i / 2][i % 2] = of_row(p.last.bias, at, unchanged);
        }
#pragma unroll
        for (int i = 0; i < All / 2; ++i) {
            const float of_column = scales.at(i, thread);
            const float shift = ahead.shifts.at(i, thread);
            each_in_column(i, [&](float& x, int part, int lower) {
                x = fmaf(x, factor[part][lower] * of_column, bias[part][lower] + shift);
            });
        }
    }
    const auto multiply = [&](const auto& activated) {
#pragma unroll
        for (int part = 0; part < Parts; ++part)
#pragma unroll
            for (int i = 0; i < All / 2; ++i)
                sums[part][i] = activated(sums[part][i]) * sums[part][All / 2 + i];
    };
    if (is_sigmoid_form(p.last.then))
        multiply(sigmoid_form<float>(p.last.then));
    else
        multiply(rectified{});
}

// Where nothing is finished: the sums times alpha, or, of a gate, as they are.
template <class C, class Factor, bool Gated>
struct pair_scaling {
    Factor alpha;

    __device__ __forceinline__ pair_scaling(const arguments<Factor>& with,
                                            const read_ahead<C, Factor>&,
                                            const row_range<C::alike>&, int)
        : alpha(Gated ? Factor{1} : with.alpha) {}
    template <int Count, class Sum, int Parts, int All>
    __device__ __forceinline__ void take(Factor (&some)[Count], int number, int,
                                         const Sum (&sums)[Parts][All]) const {
        take_numbered<0>(some, number, sums, [&](int, Factor x) { return times(alpha, x); });
    }
    __device__ __forceinline__ void advance(int) const {}
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

    __device__ __forceinline__ line_finish(const finish& last, bool by_rows)
        : of(last), rows(by_rows) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            scale[i] = 1.0f;
            bias[i] = 0.0f;
        }
    }
    __device__ __forceinline__ void read(int along, int left) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            // Beyond C, as all of a thread's part may be, there is nothing to read.
            scale[i] = i < left && across(of.scale) ? __ldg(of.scale.values + along + i) : 1.0f;
            bias[i] = i < left && across(of.bias) ? __ldg(of.bias.values + along + i)
                                                  : without_bias(of.bias);
        }
    }

    [[nodiscard]] __device__ __forceinline__ line_values_now of_line(int line) const {
        return {along(of.scale) ? __ldg(of.scale.values + line) : 1.0f,
                along(of.bias) ? __ldg(of.bias.values + line) : unchanged};
    }

    // Rounded once, as everywhere, so that bits don't depend on the way to C.
    [[nodiscard]] __device__ __forceinline__ float scaled(float x, float alpha, int neighbour,
                                                          const line_values_now& now) const {
        return fmaf(x, alpha * scale[neighbour] * now.scale, bias[neighbour] + now.bias);
    }
    template <int Count>
    __device__ __forceinline__ void activate(float (&x)[Count]) const {
        cuda::activate(of.then, x);
    }
    // The same where nothing is scaled or shifted by line.
    [[nodiscard]] __device__ bool is_same_on_each_line() const {
        return !along(of.scale) && !along(of.bias);
    }
    __device__ __forceinline__ void finish_sums(float (&x)[4], float alpha) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] = fmaf(x[i], alpha * scale[i], bias[i]);
    }
    // Integers are not finished.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t scaled(std::uint32_t x,
                                                                  std::uint32_t alpha, int,
                                                                  const line_values_now&) const {
        return alpha * x;
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
