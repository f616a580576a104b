// A product whose C is one tile, tiles side by side or, with few columns, tiles below each other,
// from operands unpacked or transposed on the stack. What does not depend on addresses is computed
// once for all products of a batch.
#pragma once

#include <utility>

#include "core/problem.hpp"
#include "cpu/kernels/micro_kernel.hpp"
#include "cpu/scratch.hpp"
#include "cpu/unpacked/loops.hpp"

namespace carat::cpu_engine {

// Whether a tile may have all rows.
template <class T>
[[nodiscard]] bool fits_rows(const kernel<T>& with, const core::problem& p) {
    return p.m <= with.unpacked_vectors * with.lanes;
}

// The columns of a tile that has all rows.
template <class T>
[[nodiscard]] std::int64_t columns_of_tile(const kernel<T>& with, const core::problem& p) {
    int vectors = 1;  // without a division
    while (p.m > vectors * with.lanes) ++vectors;
    const std::int64_t most = with.unpacked_columns[static_cast<std::size_t>(vectors - 1)];
    return p.n <= most ? p.n : plan::ceil_div(p.n, plan::ceil_div(p.n, most));
}

// Whether a product on the unpacked path, for one thread, with contiguous rows of C, has such
// tiles. Sums over k would be cut every kc, so k must not exceed it.
template <class T>
[[nodiscard]] bool is_lone_tile(const kernel<T>& with, const core::problem& p, std::int64_t kc) {
    if (p.k > kc || (p.c_layout.row_stride != 1 && p.m != 1)) return false;
    if (!fits_rows(with, p)) return p.n <= with.tall_columns && p.a_layout.row_stride == 1;
    if (p.a_layout.row_stride == 1) return true;
    constexpr std::int64_t panel_bytes = stack_bytes / 2;
    return p.a_layout.col_stride == 1 && p.m <= with.mr &&
           p.k * with.mr * std::int64_t{sizeof(T)} <= panel_bytes;
}

template <class T>
class lone_tile {
  public:
    // `p` as the engine has transposed it; `swapped`: its A is the caller's B.
    lone_tile(const kernel<T>& with, const core::problem& p, bool swapped, T alpha, T beta)
        : rows_(p.m),
          columns_(p.n),
          tall_(fits_rows(with, p) ? nullptr : with.tall[static_cast<std::size_t>(p.n - 1)]),
          width_(tall_ != nullptr ? p.n : columns_of_tile(with, p)),
          run_(find(with, p, width_)),
          run_last_(width_ == p.n || p.n % width_ == 0 ? nullptr : find(with, p, p.n % width_)),
          columns_steps_{width_ == p.n ? 1 : p.n / width_, 0, width_ * p.b_layout.col_stride,
                         width_ * p.c_layout.col_stride},
          turn_(p.a_layout.row_stride == 1 ? nullptr : with.turn_rows),
          outer_stride_(p.a_layout.row_stride),
          swapped_(swapped),
          call_{.k = p.k,
                .a = panel_,
                .a_k_stride = turn_ == nullptr ? p.a_layout.col_stride : with.mr,
                .b = nullptr,
                .b_k_stride = p.b_layout.row_stride,
                .b_col_stride = p.b_layout.col_stride,
                .c = nullptr,
                .c_col_stride = p.c_layout.col_stride,
                .alpha = alpha,
                .beta = beta,
                .fetches_c = fetches_tall_c(p.m * p.n * std::int64_t{sizeof(T)}, p.k),
                .last = true,
                .rows = static_cast<int>(p.m),
                .cols = static_cast<int>(width_),
                .packed_a = nullptr} {}
    lone_tile(const lone_tile&) = delete;
    lone_tile& operator=(const lone_tile&) = delete;

    void operator()(const core::operands& data) {
        const T* const a = point_to(data);
        if (turn_ != nullptr) turn(a);
        multiply();
    }

    // Runs as many products as `steps` says; these operands are the first's.
    void operator()(const core::operands& data, product_steps steps) {
        if (swapped_) std::swap(steps.a, steps.b);
        const T* a = point_to(data);
        if (tall_ == nullptr && turn_ == nullptr && width_ == columns_) return run_(call_, steps);
        for (std::int64_t left = steps.count; left > 0; --left) {
            if (turn_ != nullptr)
                turn(a);
            else
                call_.a = a;
            multiply();
            a += steps.a;
            call_.b += steps.b;
            call_.c += steps.c;
        }
    }

  private:
    static constexpr product_steps one_product = {1, 0, 0, 0};

    products_function<T> find(const kernel<T>& with, const core::problem& p, std::int64_t columns) {
        if (tall_ != nullptr) return nullptr;
        return with.find_products(static_cast<int>(p.m), static_cast<int>(columns), p.k);
    }
    // Tiles side by side are products with the same A.
    void multiply() {
        if (tall_ != nullptr) return tall_(call_, rows_);
        run_(call_, columns_steps_);
        if (run_last_ == nullptr) return;
        const T* const b = call_.b;
        T* const c = call_.c;
        call_.b += columns_steps_.count * columns_steps_.b;
        call_.c += columns_steps_.count * columns_steps_.c;
        run_last_(call_, one_product);
        call_.b = b;
        call_.c = c;
    }

    // Returns the beginning of A.
    const T* point_to(const core::operands& data) {
        const T* const a = static_cast<const T*>(swapped_ ? data.b : data.a);
        call_.a = turn_ == nullptr ? a : panel_;
        call_.b = static_cast<const T*>(swapped_ ? data.a : data.b);
        call_.c = static_cast<T*>(data.c);
        return a;
    }
    void turn(const T* a) {
        turn_(a, outer_stride_, call_.rows, call_.k, panel_, call_.a_k_stride);
    }

    std::int64_t rows_;
    std::int64_t columns_;
    tall_function<T> tall_;
    std::int64_t width_;  // columns of a tile
    products_function<T> run_;
    products_function<T> run_last_;  // of the columns that remain, or null
    product_steps columns_steps_;
    decltype(kernel<T>::turn_rows) turn_;
    std::int64_t outer_stride_;
    bool swapped_;
    tile_call<T> call_;
    alignas(64) T panel_[stack_bytes / 2 / sizeof(T)];  // left as it is
};

}  // namespace carat::cpu_engine
