// A case of the laboratory with a right kernel and mutants of it, and how many it caught.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "core/implementation.hpp"
#include "lab/session/request.hpp"
#include "mutant.hpp"

namespace carat::mutants {

struct settings {
    std::uint64_t seed = 1;
    std::int64_t wanted = 240;
    std::int64_t size = 300;
};

/// --seed=, --mutants= and --size= of the command line.
[[nodiscard]] settings& asked();

/// The tunable that a kernel takes: which mutant to be, 0 for none.
[[nodiscard]] std::span<const core::tunable> tunables();
/// Null for none.
[[nodiscard]] const mutant* chosen(const core::settings& s);

struct score {
    std::int64_t mutants = 0;
    std::int64_t caught = 0;

    void add(const score& other) {
        mutants += other.mutants;
        caught += other.caught;
    }
};

/// Expects the right kernel to be verified and timed, and every mutant caught.
[[nodiscard]] score run(const core::implementation& kernel, dtype type, const session::shape& shape,
                        std::int64_t count, std::mt19937_64& random);

void tell(const score& all, const std::string& where);

}  // namespace carat::mutants
