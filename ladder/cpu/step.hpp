// What every step of the ladder shares, so that a step is nothing but its loops. A step is a class
// template over the element type: its constructor gets whatever is not the product itself
// (workspace, workers), its call operator computes
//
//     C += alpha A B        for sizes that are not zero and alpha that is not zero.
//
// The rest of C = alpha A B + beta C is done here: C is multiplied by beta first (beta = 0 writes
// zeros without reading C), and a product with alpha = 0 or K = 0 ends there, A and B unread.
//
// Integers are computed in std::uint32_t: the same bits as int32, and where an int32 would overflow
// (undefined behaviour in C++) it wraps, so the result is exact modulo 2^32. The public call checks
// for overflow before it comes here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <carat/views.hpp>

#include "lab/rows/implementation.hpp"
#include "lab/space/execution_space.hpp"

namespace carat::ladder::cpu {

using std::size_t;

// Every entry refuses an alpha or beta that its integers can't hold, and a tile wider than all
// three sizes when the user asked for it by name.
[[nodiscard]] std::string unsupported(const core::problem& p, const core::settings& s);

// C = beta C, in the order in which C lies in memory.
template <class T>
void scale(T beta, matrix_view<T> c) {
    if (beta == T{1}) return;
    if (c.row_stride() < c.col_stride()) c = transposed(c);
    for (size_t i = 0; i < c.rows(); ++i)
        for (size_t j = 0; j < c.cols(); ++j) c(i, j) = beta == T{0} ? T{0} : beta * c(i, j);
}

// alpha and beta in the type computed in: integers by way of int64, so that -1 wraps as it should.
template <class T>
[[nodiscard]] T factor(double value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::int64_t>(value));
    else
        return static_cast<T>(value);
}

// Memory for rows x cols elements of T, for a step's constructor to take.
template <class T>
[[nodiscard]] space::buffer workspace(std::int64_t rows, std::int64_t cols) {
    const std::int64_t elements = core::checked_product(rows, cols, "workspace");
    const auto size_bytes = core::checked_product(elements, std::int64_t{sizeof(T)}, "workspace");
    return {space::host_space(), static_cast<size_t>(size_bytes)};
}

template <class T, class Step>
class step_runnable final : public rows::runnable {
  public:
    step_runnable(const core::problem& p, const core::settings& s)
        : problem_(p), alpha_(factor<T>(p.alpha)), beta_(factor<T>(p.beta)), step_(p, s) {}

    void run(const core::operands& data) override {
        const matrix_view<T> c = core::c_view<T>(problem_, data);
        scale(beta_, c);
        if (c.empty() || problem_.k == 0 || alpha_ == T{0}) return;
        step_(alpha_, core::a_view<T>(problem_, data), core::b_view<T>(problem_, data), c);
    }

    [[nodiscard]] int threads() const override {
        if constexpr (requires { step_.threads(); })
            return step_.threads();
        else
            return 1;
    }

  private:
    core::problem problem_;
    T alpha_;
    T beta_;
    Step step_;
};

template <template <class> class Step>
[[nodiscard]] std::unique_ptr<rows::runnable> prepare_real(const core::problem& p,
                                                           const core::settings& s) {
    if (p.c_type == dtype::f32) return std::make_unique<step_runnable<float, Step<float>>>(p, s);
    return std::make_unique<step_runnable<double, Step<double>>>(p, s);
}

template <template <class> class Step>
[[nodiscard]] std::unique_ptr<rows::runnable> prepare(const core::problem& p,
                                                      const core::settings& s) {
    using integer = std::uint32_t;
    if (p.c_type == dtype::i32)
        return std::make_unique<step_runnable<integer, Step<integer>>>(p, s);
    return prepare_real<Step>(p, s);
}

inline constexpr core::signature real[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"},
                                           {dtype::f32, dtype::f32, dtype::f32, "f32"}};
inline constexpr core::signature real_and_integer[] = {
    real[0], real[1], {dtype::i32, dtype::i32, dtype::i32, "i32"}};

}  // namespace carat::ladder::cpu
