// Wrong implementations by the dozen: a right product in which one region of C or of K is spoiled
// in one way, at some time. Drawn by a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "lab/rows/implementation.hpp"

namespace carat::mutants {

enum class region : std::uint8_t { row, column, tile, k_block, one_k, k_block_of_tile };
enum class effect : std::uint8_t { zero, stale, repeated, shifted, narrower };
enum class moment : std::uint8_t { first_run, later_run, other_set };
enum class narrowed : std::uint8_t { a, b, both };

struct mutant {
    region where = region::row;
    effect how = effect::zero;
    moment when = moment::first_run;
    narrowed whose = narrowed::both;
    int from_run = 2;  // for later_run: from this one on
    // Rows, columns and k spoilt: [first, last).
    std::int64_t i0 = 0, i1 = 0, j0 = 0, j1 = 0, k0 = 0, k1 = 0;
};

// Digits of the significand that a kernel which computes too narrowly would keep of a type.
[[nodiscard]] int narrower_digits(dtype type);

// Whether it spoils sums over some k, and not entries of C.
[[nodiscard]] bool spoils_sums(const mutant& by);

// When a mutant is one, from run to run of its product.
class schedule {
  public:
    explicit schedule(const mutant* by) : by_(by) {}
    // Whether the run that begins is spoiled.
    [[nodiscard]] bool spoils_next(const core::operands& where);

  private:
    const mutant* by_;
    int runs_ = 0;
    const void* first_a_ = nullptr;
};

struct coordinates {
    std::int64_t i = 0, j = 0;
};

// Where the value of a repeated or shifted entry comes from.
#if defined(__CUDACC__)
__host__ __device__
#endif
    inline coordinates
    source_of(const mutant& by, std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n) {
    const std::int64_t height = by.i1 - by.i0;
    const std::int64_t width = by.j1 - by.j0;
    if (by.how == effect::repeated && by.where != region::column)
        i = i >= height ? i - height : i + height;
    else if (by.how == effect::repeated)
        j = j >= width ? j - width : j + width;
    else if (by.where == region::column)
        i = (i + 1) % m;
    else
        j = (j + 1) % n;
    return {i % m, j};
}

[[nodiscard]] mutant draw(std::mt19937_64& random, std::int64_t m, std::int64_t n, std::int64_t k);
[[nodiscard]] std::string describe(const mutant& m);

// The product, spoilt by `by`; right where that is null.
[[nodiscard]] std::unique_ptr<rows::runnable> make_product(const core::problem& p,
                                                           const mutant* by);

}  // namespace carat::mutants
