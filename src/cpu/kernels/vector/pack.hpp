// Packing: copies vectors (rows of A, columns of B) of any strides into micropanels, which the
// register tile reads sequentially, and converts them to the type of the computation.
//
//   outer_stride=1: copied      k_stride=1: transposed in square blocks      else: one by one
//
// A block of Q x Q is transposed in registers by log2(Q) rounds of interleaving lines i and i +
// Q/2. With loops left over, the compiler kept lines on the stack and read two narrow stores back
// as one wide load, which waits for both: 512^3 in f32 packed at 5 to 7 GB/s, now at 12 to 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cpu/kernels/vector/convert.hpp"
#include "cpu/kernels/vector/unroll.hpp"

namespace carat::cpu_engine::CARAT_ISA {

template <class T, int Q>
struct square {
    typedef T line __attribute__((vector_size(Q * sizeof(T))));

    template <int... I>
    static line low(line a, line b, std::integer_sequence<int, I...>) {
        return __builtin_shufflevector(a, b, (I % 2 * Q + I / 2)...);
    }
    template <int... I>
    static line high(line a, line b, std::integer_sequence<int, I...>) {
        return __builtin_shufflevector(a, b, (I % 2 * Q + I / 2 + Q / 2)...);
    }

    static line load(const T* in) {
        line x;
        __builtin_memcpy(&x, in, sizeof x);
        return x;
    }
    template <class S>
    static line load(const S* in) {
        T values[std::size_t{Q}];
        for (int p = 0; p < Q; ++p) values[p] = widen(in[p]);
        return load(values);
    }

    // x[p][i] becomes x[i][p].
    static void turn(line (&x)[std::size_t{Q}]) {
        constexpr std::make_integer_sequence<int, Q> all;
        CARAT_UNROLL for (int round = 1; round < Q; round *= 2) {
            line y[std::size_t{Q}];
            CARAT_UNROLL for (int i = 0; i < Q / 2; ++i) {
                y[2 * i] = low(x[i], x[i + Q / 2], all);
                y[2 * i + 1] = high(x[i], x[i + Q / 2], all);
            }
            CARAT_UNROLL for (int i = 0; i < Q; ++i) x[i] = y[i];
        }
    }

    // out[p * out_step + i] = in[i * outer_stride + p] for i, p < Q.
    template <class S>
    static void transpose(const S* in, std::int64_t outer_stride, T* out, std::int64_t out_step) {
        line x[std::size_t{Q}];
        CARAT_UNROLL for (int i = 0; i < Q; ++i) x[i] = load(in + i * outer_stride);
        turn(x);
        CARAT_UNROLL for (int p = 0; p < Q; ++p)
            __builtin_memcpy(out + p * out_step, &x[p], sizeof x[p]);
    }
};

// The largest power of two that fits in a vector register and in `extent`.
template <class T>
constexpr int square_size(int extent, int lanes) {
    int size = 1;
    while (2 * size <= extent && 2 * size <= lanes) size *= 2;
    return size;
}

template <class T, class S, int Width>
void pack_rows(const S* in, std::int64_t outer_stride, std::int64_t k_stride, int extent,
               std::int64_t k, T* out) {
    for (std::int64_t p = 0; p < k; ++p, out += Width) {
        for (int i = 0; i < extent; ++i) out[i] = widen(in[i * outer_stride + p * k_stride]);
        for (int i = extent; i < Width; ++i) out[i] = T{0};
    }
}

// Packs full micropanels of adjacent vectors: a few k across all panels before the next few, since
// each k is then one stretch of memory instead of 100 to 200 bytes on each page.
template <class T, class S, int Width>
void pack_copied(const S* in, std::int64_t k_stride, std::int64_t panels, std::int64_t k, T* out) {
    constexpr std::int64_t together = 4;
    for (std::int64_t first = 0; first < k; first += together) {
        const std::int64_t k_left = k - first < together ? k - first : together;
        for (std::int64_t panel = 0; panel < panels; ++panel) {
            const S* from = in + first * k_stride + panel * Width;
            T* to = out + (panel * k + first) * Width;
            for (std::int64_t p = 0; p < k_left; ++p, to += Width, from += k_stride)
                for (int i = 0; i < Width; ++i) to[i] = widen(from[i]);
        }
    }
}

// Packs the last of adjacent vectors, which fill a micropanel in part: whole registers where it
// can.
template <class T, class S, int Width, int Lanes>
void pack_last_copied(const S* in, std::int64_t k_stride, int extent, std::int64_t k, T* out) {
    for (std::int64_t p = 0; p < k; ++p, in += k_stride, out += Width) {
        int i = 0;
        for (; i + Lanes <= extent; i += Lanes)
            for (int lane = 0; lane < Lanes; ++lane) out[i + lane] = widen(in[i + lane]);
        for (; i < extent; ++i) out[i] = widen(in[i]);
        for (; i < Width; ++i) out[i] = T{0};
    }
}

// If Width is not a multiple of the square, the last square overlaps the one before.
template <class T, class S, int Width, int Lanes>
void pack_transposed(const S* in, std::int64_t outer_stride, std::int64_t k, T* out) {
    constexpr int q = square_size<T>(Width, Lanes);
    std::int64_t p = 0;
    for (; p + q <= k; p += q) {
        for (int i = 0; i < Width; i += q) {
            const int line = i + q <= Width ? i : Width - q;
            square<T, q>::transpose(in + line * outer_stride + p, outer_stride,
                                    out + p * Width + line, Width);
        }
    }
    pack_rows<T, S, Width>(in + p, outer_stride, 1, Width, k - p, out + p * Width);
}

// Squares of full size down to four; the last one along each axis overlaps the one before.
template <class T, class S, int Q>
inline void transpose_some(const S* in, std::int64_t outer_stride, int extent, std::int64_t k,
                           T* out, std::int64_t out_step) {
    if (extent >= Q && k >= Q) {
        for (std::int64_t p = 0; p < k; p += Q) {
            const std::int64_t depth = p + Q <= k ? p : k - Q;
            for (int i = 0; i < extent; i += Q) {
                const int line = i + Q <= extent ? i : extent - Q;
                square<T, Q>::transpose(in + line * outer_stride + depth, outer_stride,
                                        out + depth * out_step + line, out_step);
            }
        }
    } else if constexpr (Q > 4) {
        transpose_some<T, S, Q / 2>(in, outer_stride, extent, k, out, out_step);
    } else {
        for (std::int64_t p = 0; p < k; ++p)
            for (int i = 0; i < extent; ++i)
                out[p * out_step + i] = widen(in[i * outer_stride + p]);
    }
}

// See kernel<T> in micro_kernel.hpp.
template <class T, int Width, int Lanes>
void turn_rows(const T* in, std::int64_t outer_stride, int rows, std::int64_t k, T* out,
               std::int64_t out_step) {
    transpose_some<T, T, square_size<T>(Width, Lanes)>(in, outer_stride, rows, k, out, out_step);
}

// See pack_function in kernel.hpp.
template <class T, class S, int Width, int Lanes>
void pack(const void* source, std::int64_t outer_stride, std::int64_t k_stride, std::int64_t extent,
          std::int64_t k, T* out) {
    const S* in = static_cast<const S*>(source);
    if (outer_stride == 1) {
        const std::int64_t panels = extent / Width;
        pack_copied<T, S, Width>(in, k_stride, panels, k, out);
        extent -= panels * Width;
        in += panels * Width;
        out += panels * Width * k;
    }
    for (; extent >= Width; extent -= Width, in += Width * outer_stride, out += Width * k) {
        if (k_stride == 1) {
            pack_transposed<T, S, Width, Lanes>(in, outer_stride, k, out);
        } else {
            pack_rows<T, S, Width>(in, outer_stride, k_stride, Width, k, out);
        }
    }
    if (extent > 0 && k_stride == 1) {
        const auto some = static_cast<int>(extent);
        transpose_some<T, S, square_size<T>(Width, Lanes)>(in, outer_stride, some, k, out, Width);
        for (std::int64_t p = 0; p < k; ++p)
            for (int i = some; i < Width; ++i) out[p * Width + i] = T{0};
    } else if (extent > 0 && outer_stride == 1) {
        pack_last_copied<T, S, Width, Lanes>(in, k_stride, static_cast<int>(extent), k, out);
    } else if (extent > 0) {
        pack_rows<T, S, Width>(in, outer_stride, k_stride, static_cast<int>(extent), k, out);
    }
}

}  // namespace carat::cpu_engine::CARAT_ISA
