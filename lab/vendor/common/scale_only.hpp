// The product that isn't one: with alpha = 0 or an empty dimension, C = beta C is all that remains.
// Libraries differ here (OpenBLAS #2914 left C unwritten for k = 0, beta = 0), so adapters answer
// it themselves: A and B are never read, and C is not read either when beta = 0.
#pragma once

#include <type_traits>

#include "lab/rows/implementation.hpp"

namespace carat::vendor {

template <class T>
class scale_only final : public rows::runnable {
  public:
    explicit scale_only(const core::problem& p) : p_(p) {}

    void run(const core::operands& data) override {
        if (p_.beta == 1) return;
        T beta{};
        if constexpr (std::is_integral_v<T>) {
            beta = static_cast<T>(static_cast<std::int64_t>(p_.beta));
        } else {
            beta = static_cast<T>(p_.beta);
        }
        const auto c = core::c_view<T>(p_, data);
        for (std::size_t i = 0; i < c.rows(); ++i)
            for (std::size_t j = 0; j < c.cols(); ++j) c(i, j) = beta == 0 ? T{0} : beta * c(i, j);
    }

  private:
    core::problem p_;
};

}  // namespace carat::vendor
