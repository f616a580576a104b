// The local parts of a distributed product whose result is known (lab/verify/exact.hpp): made and
// checked element by element, so that no process needs a whole matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <carat/distribution.hpp>
#include <carat/erased.hpp>

#include "lab/verify/exact.hpp"

namespace carat::lab_ranks {

/// A local matrix by columns.
struct local_matrix {
    dtype type;
    distributed::share of;
    std::int64_t rows, cols, leading;
    std::vector<std::byte> data;

    local_matrix(dtype type, const distributed::share& of);
    [[nodiscard]] std::byte* at(std::int64_t i, std::int64_t j);
    [[nodiscard]] carat::detail::erased_matrix view();
};

/// The elements of A, or of B, by the rules of the pass.
void fill_a(local_matrix& a, const verify::exact_pass& pass);
void fill_b(local_matrix& b, const verify::exact_pass& pass);

/// The number of entries that are not what they must be.
class checker {
  public:
    explicit checker(const verify::exact_pass& pass);
    ~checker();
    checker(const checker&) = delete;
    checker& operator=(const checker&) = delete;
    [[nodiscard]] std::int64_t wrong(local_matrix& c) const;

  private:
    struct tables;
    std::unique_ptr<tables> tables_;
    const verify::exact_pass& pass_;
};

}  // namespace carat::lab_ranks
