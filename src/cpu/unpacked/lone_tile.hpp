// A product so small that it is one tile of C, or of so few columns that it is tiles one under the
// other, read where it lies or turned on the stack: what is known before its operands are is worked
// out once, for all products of a batch.
#pragma once

#include <utility>

#include "core/problem.hpp"
#include "cpu/kernels/micro_kernel.hpp"
#include "cpu/scratch.hpp"
#include "cpu/unpacked/loops.hpp"

namespace carat::cpu_engine {

// Whether its C is no more than one tile.
template <class T>
[[nodiscard]] bool fits_tile(const kernel<T>& with, const core::problem& p) {
    int vectors = 1;  // without a division
    while (vectors < with.unpacked_vectors && p.m > vectors * with.lanes) ++vectors;
    return p.m <= vectors * with.lanes &&
           p.n <= with.unpacked_columns[static_cast<std::size_t>(vectors - 1)];
}

// Whether there is one, of a product on the path unpacked, for one thread, whose rows of C lie side
// by side.
template <class T>
[[nodiscard]] bool is_lone_tile(const kernel<T>& with, const core::problem& p, std::int64_t kc) {
    if (p.k > kc || (p.c_layout.row_stride != 1 && p.m != 1)) return false;
    if (!fits_tile(with, p)) return p.n <= with.tall_columns && p.a_layout.row_stride == 1;
    if (p.a_layout.row_stride == 1) return true;
    constexpr std::int64_t panel_bytes = stack_bytes / 2;
    // No deeper than where sums are cut of an A that is packed.
    return p.a_layout.col_stride == 1 && p.m <= with.mr && p.k <= unpacked_kc &&
           p.k * with.mr * std::int64_t{sizeof(T)} <= panel_bytes;
}

template <class T>
class lone_tile {
  public:
    // `p` as the engine has turned it; `swapped`: its A is the caller's B.
    lone_tile(const kernel<T>& with, const core::problem& p, bool swapped, T alpha, T beta)
        : rows_(p.m),
          tall_(fits_tile(with, p) ? nullptr : with.tall[static_cast<std::size_t>(p.n - 1)]),
          run_(tall_ != nullptr
                   ? nullptr
                   : with.find_products(static_cast<int>(p.m), static_cast<int>(p.n), p.k)),
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
                .cols = static_cast<int>(p.n),
                .packed_a = nullptr} {}
    lone_tile(const lone_tile&) = delete;
    lone_tile& operator=(const lone_tile&) = delete;

    void operator()(const core::operands& data) {
        const T* const a = point_to(data);
        if (tall_ != nullptr) return tall_(call_, rows_);
        if (turn_ != nullptr) turn(a);
        run_(call_, one_product);
    }

    // As many products as `steps` says, of which these operands are the first's.
    void operator()(const core::operands& data, product_steps steps) {
        if (swapped_) std::swap(steps.a, steps.b);
        const T* a = point_to(data);
        if (tall_ == nullptr && turn_ == nullptr) return run_(call_, steps);
        for (std::int64_t left = steps.count; left > 0; --left) {
            if (tall_ != nullptr) {
                tall_(call_, rows_);
                call_.a += steps.a;
            } else {
                turn(a);
                run_(call_, one_product);
            }
            a += steps.a;
            call_.b += steps.b;
            call_.c += steps.c;
        }
    }

  private:
    // Not made anew for each: what is written word by word and read at once waits for its words.
    static constexpr product_steps one_product = {1, 0, 0, 0};

    // Returns where A begins.
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
    tall_function<T> tall_;
    products_function<T> run_;
    decltype(kernel<T>::turn_rows) turn_;
    std::int64_t outer_stride_;
    bool swapped_;
    tile_call<T> call_;
    alignas(64) T panel_[stack_bytes / 2 / sizeof(T)];  // left as it is
};

}  // namespace carat::cpu_engine
