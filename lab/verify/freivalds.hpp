// Products too large to compute again: C R against alpha A (B R) + beta C0 R for random vectors,
// the columns of R, all at once and in twofold sums; and a few whole rows and columns entry by
// entry. Freivalds, "Probabilistic machines can use less running time", IFIP 1977.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/verify/componentwise.hpp"

namespace carat::verify {

class freivalds {
  public:
    // Vectors, and one lane more that carries |A| |B| 1 for the bounds.
    static constexpr std::int64_t vectors = 31;
    static constexpr std::int64_t lanes = vectors + 1;

    // Throws carat::error when an operand is not finite.
    freivalds(const core::problem& p, const sources& from, std::uint64_t seed, int threads,
              progress_meter& meter);

    void check(const source& c, const bound& allowed, int threads, tally& to) const;

    // Multiply-adds of the constructor, for a progress_meter.
    [[nodiscard]] static double work(const core::problem& p);

  private:
    void combine(const sum_matrix& correction, const sum_matrix& initial);
    void check_rows(const source& c, const bound& allowed, int threads, tally& to) const;
    [[nodiscard]] finding judge(std::int64_t row, const sum_matrix& seen,
                                const bound& allowed) const;
    [[nodiscard]] finding judge_integer(std::int64_t row, const sum_matrix& seen) const;
    [[nodiscard]] bound::entry largest_entry(std::int64_t row) const;
    [[nodiscard]] double row_tolerance(std::int64_t row, const bound& allowed) const;
    void locate(const source& c, finding& f) const;

    core::problem problem_;
    bool integer_;
    std::vector<double> random_;  // R: n x lanes
    sum_matrix expected_;         // alpha A (B R) + beta C0 R; absolute: the row's sum of D
    std::vector<line_facts> a_rows_;
    std::vector<line_facts> c_rows_;
    line_facts b_all_;  // over all columns: most nonzeros, finest grid, largest element and sum
    std::vector<std::int64_t> rows_;  // checked entry by entry
    std::vector<std::int64_t> cols_;
    std::vector<componentwise> whole_;  // of those rows, of those columns
};

}  // namespace carat::verify
