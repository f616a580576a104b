// Wrong implementations by the dozen: a right product in which one region of C or of K is spoilt in
// one way, at some time. Drawn by a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "core/implementation.hpp"

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

[[nodiscard]] mutant draw(std::mt19937_64& random, std::int64_t m, std::int64_t n, std::int64_t k);
[[nodiscard]] std::string describe(const mutant& m);

// The product, spoilt by `by`; right where that is null.
[[nodiscard]] std::unique_ptr<core::runnable> make_product(const core::problem& p,
                                                           const mutant* by);

}  // namespace carat::mutants
