// The reference for every entry of a product, or of some of its rows or columns.
#pragma once

#include <vector>

#include "lab/verify/bound.hpp"
#include "lab/verify/product.hpp"
#include "lab/verify/tally.hpp"

namespace carat::verify {

// The operands of a product that are read: C0 is empty if beta is 0, A and B if alpha is.
struct sources {
    source a;
    source b;
    source c;
};

// f64 needs twofold sums; integers too, to be exact for any size (their products have 62 bits).
[[nodiscard]] bool needs_twofold(const core::problem& p);

// Exact value modulo 2^32 of a whole number.
[[nodiscard]] std::uint32_t modulo_32(double whole);

class componentwise {
  public:
    componentwise(const core::problem& p, const sources& from, int threads, progress_meter& meter);

    // The names of a selection's rows and columns in the whole product.
    void name_rows(std::vector<std::int64_t> rows) { row_names_ = std::move(rows); }
    void name_cols(std::vector<std::int64_t> cols) { col_names_ = std::move(cols); }

    // Judges the entries of the whole C, or the selected ones.
    void check(const source& c, const bound& allowed, int threads, tally& to) const;

  private:
    void include_factors(const source& c, int threads);
    void include_specials(const sources& from, int threads, progress_meter& meter);
    void reduce_to_integers(const source& c, int threads);
    [[nodiscard]] finding examine(const source& c, std::int64_t i, std::int64_t j, double got,
                                  const bound& allowed) const;
    [[nodiscard]] finding judge(std::int64_t i, std::int64_t j, double got,
                                const bound& allowed) const;
    [[nodiscard]] finding judge_integer(std::int64_t i, std::int64_t j, double got) const;

    core::problem problem_;
    sum_matrix sums_;  // after the constructor: the product itself, alpha, beta and C0 included
    std::vector<line_facts> a_rows_;
    std::vector<line_facts> b_cols_;
    std::vector<line_facts> c_rows_;
    bool integer_;
    std::vector<std::int64_t> row_names_;
    std::vector<std::int64_t> col_names_;
};

}  // namespace carat::verify
