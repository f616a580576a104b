// Verification in a GPU's memory: operands are made, and every entry is compared, in place. The
// kernels share nothing with those they judge. Functions use the current GPU and return when the
// work is done.
#pragma once

#include <memory>
#include <string_view>

#include "core/problem.hpp"
#include "lab/verify/operation.hpp"

namespace carat::gpu {

/// Writes the A and B of an exact pass to a GPU's memory.
/// @throws carat::error(device_failed, out_of_memory), here and below.
void fill(const verify::exact_pass& pass, const core::problem& p, const core::operands& data);

/// Does what pass.fill_c() does.
void fill_c(const verify::exact_pass& pass, const core::problem& p, void* c);

/// Does what pass.check() does, for a C in a GPU's memory.
[[nodiscard]] verify::verdict check(const verify::exact_pass& pass, const core::problem& p,
                                    const void* c);

/// The same for all products.
inline void fill(const verify::exact_passes& pass, const rows::operation& all,
                 const core::operands& data) {
    for (std::int64_t i = 0; i < all.count; ++i)
        if (const core::problem p = problem_of(all, i); p.m != 0)
            fill(pass.of(i), p, product_at(all, data, i));
}
inline void fill_c(const verify::exact_passes& pass, const rows::operation& all,
                   const core::operands& data) {
    for (std::int64_t i = 0; i < all.count; ++i)
        if (const core::problem p = problem_of(all, i); p.m != 0)
            fill_c(pass.of(i), p, product_at(all, data, i).c);
}
[[nodiscard]] inline verify::verdict check(const verify::exact_passes& pass,
                                           const rows::operation& all, const core::operands& data) {
    verify::verdict found;
    found.passed = true;
    for (std::int64_t i = 0; i < all.count; ++i)
        if (const core::problem p = problem_of(all, i); p.m != 0)
            verify::add_product(found, check(pass.of(i), p, product_at(all, data, i).c), all, i);
    return found;
}

/// Does what verify::check_padding() does.
[[nodiscard]] verify::verdict check_padding(const core::problem& p, const void* c);

/// Does what verify::poison() does.
void poison(const core::problem& p, void* c);

/// alpha A B + beta C for finite operands in a GPU's memory, every entry in f64 (integers modulo
/// 2^32), with which a later C is compared within the bound of verify::reference.
class reference {
  public:
    reference(const core::problem& p, const core::operands& data);
    reference(reference&&) noexcept;
    reference& operator=(reference&&) noexcept;
    ~reference();

    [[nodiscard]] verify::verdict check(const void* c, std::string_view computes_in) const;

  private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace carat::gpu
