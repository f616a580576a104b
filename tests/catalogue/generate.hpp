// Random cases, each a function of the entry's name and a number, and the way back from a failing
// one to the smallest that fails still.
#pragma once

#include <cstdint>

#include "product_case.hpp"

namespace carat::catalogue_test {

// Threads to try: up to 3, but a vendor's not beyond the machine's, since libraries that spin at
// their barriers take seconds for milliseconds then.
[[nodiscard]] int most_threads(const rows::implementation& entry);

// Case `number` of an entry and signature. Where the entry refuses a tunable, strides that only
// some can take, or factors, the case is drawn again without them.
[[nodiscard]] product_case random_case(const rows::implementation& entry,
                                       const core::signature& types, std::uint64_t number);

// Shrinks a failing case: sizes halved or less one, strides, places, factors, threads, data made
// plain, as long as it goes on failing.
[[nodiscard]] product_case smallest_failing(product_case failing);

// The case with its element types, on row-major matrices without padding.
[[nodiscard]] product_case plain_case(const rows::implementation& entry,
                                      const core::signature& types, std::int64_t m, std::int64_t n,
                                      std::int64_t k);

}  // namespace carat::catalogue_test
