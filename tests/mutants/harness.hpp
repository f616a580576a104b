// A case of the laboratory with a right kernel and mutants of it, and how many it caught.
#pragma once

#include <cstdint>
#include <span>

#include "lab/rows/implementation.hpp"
#include "mutant.hpp"

namespace carat::mutants {

struct settings {
    std::uint64_t seed = 1;
    std::int64_t wanted = 240;
    std::int64_t size = 0;  // 0: as the test has it
};

/// --seed=, --mutants= and --size= of the command line.
[[nodiscard]] settings& asked();

/// Which mutant a kernel is asked to be; null for none, the right one.
[[nodiscard]] const mutant* chosen(const core::settings& s);

/// A kernel of every type, one case each, with as many mutants as were asked for together. Expects
/// the right ones to be verified and timed, and every mutant caught. The i-th case has sides from
/// the i-th of `sizes` on, which are taken in turn; those of the command line go first.
void expect_all_caught(rows::device where, decltype(rows::implementation::prepare) prepare,
                       std::span<const std::int64_t> sizes);

}  // namespace carat::mutants
