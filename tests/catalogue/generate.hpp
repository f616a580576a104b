// Random cases, each a function of the entry's name and a number, and their reduction to the
// smallest that still fails.
#pragma once

#include <cstdint>

#include "tests/support/product_case.hpp"

namespace carat::test {

// Threads to try: up to 3, but a vendor's not beyond the machine's, since libraries that spin at
// their barriers take seconds for milliseconds then.
[[nodiscard]] int most_threads(const rows::implementation& entry);

// Case `number` of an entry and signature. It is drawn again without tunables, special strides or
// factors that the entry refuses.
[[nodiscard]] product_case random_case(const rows::implementation& entry,
                                       const core::signature& types, std::uint64_t number);

// Shrinks a failing case as long as it fails: smaller sizes, plain strides, addresses, factors,
// threads and data.
[[nodiscard]] product_case smallest_failing(product_case failing);

}  // namespace carat::test
