// Verification in a GPU's own memory: operands are made, and every entry is compared, where they
// lie. The kernels are plain and share nothing with those they judge. All work goes to the GPU in
// use and is done on return.
#pragma once

#include <memory>
#include <string_view>

#include "core/problem.hpp"
#include "lab/verify/exact.hpp"

namespace carat::gpu {

/// Writes the A and B of an exact pass to a GPU's memory.
/// @throws carat::error(device_failed, out_of_memory), here and below.
void fill(const verify::exact_pass& pass, const core::problem& p, const core::operands& data);

/// As pass.check(), for a C in a GPU's memory.
[[nodiscard]] verify::verdict check(const verify::exact_pass& pass, const core::problem& p,
                                    const void* c);

/// As verify::check_padding().
[[nodiscard]] verify::verdict check_padding(const core::problem& p, const void* c);

/// As verify::poison().
void poison(const core::problem& p, void* c);

/// A B of finite operands in a GPU's memory, alpha 1 and beta 0, every entry in f64 (integers
/// modulo 2^32), to hold a C against with the bound of verify::reference.
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
