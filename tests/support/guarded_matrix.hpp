// A matrix of any type in guarded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem.hpp"
#include "lab/workload/workload.hpp"
#include "tests/support/guarded.hpp"

namespace carat::test {

struct placement {
    flush side = flush::front;
    std::int64_t offset = 0;  // elements

    bool operator==(const placement&) const = default;
};

class guarded_matrix {
  public:
    guarded_matrix(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where,
                   const placement& place);

    void fill(const workload::distribution& d, std::uint64_t seed, workload::operand which);
    void set(std::int64_t i, std::int64_t j, double value);
    [[nodiscard]] std::byte* data() const { return block_.data(); }
    [[nodiscard]] std::vector<std::byte> snapshot() const;
    void restore(const std::vector<std::byte>& from);
    void forbid() const { block_.forbid(); }

    // A snapshot with every element of the matrix blanked out: what must not change.
    [[nodiscard]] std::vector<std::byte> surroundings() const;

  private:
    [[nodiscard]] std::int64_t bytes_to(std::int64_t i, std::int64_t j) const;

    dtype type_;
    std::int64_t rows_;
    std::int64_t cols_;
    core::layout where_;
    guarded_block block_;
};

}  // namespace carat::test
