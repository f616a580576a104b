// How many rows each product of a group has, in the words of who asks for it: "100,28,0", or
// "uneven:7:4096/64", 4096 rows in 64 products, cut where the seed 7 says. With ":device" behind,
// that is to be read in the GPU's memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace carat::rows {

// One product at least, and one row in all; some may have none. Throws
// carat::error(invalid_argument) on anything else.
[[nodiscard]] std::vector<std::int64_t> rows_of_groups(std::string_view text);

[[nodiscard]] bool are_sizes_on_device(std::string_view text);

[[nodiscard]] std::int64_t sum_of(const std::vector<std::int64_t>& rows);

}  // namespace carat::rows
