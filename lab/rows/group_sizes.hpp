// The rows of each product of a group, as text: "100,28,0", or "uneven:7:4096/64" for 4096 rows in
// 64 products, divided randomly by the seed 7. The suffix ":device" means that sizes are read in
// the GPU's memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace carat::rows {

// At least one product and one row in all; some products may have none. Throws
// carat::error(invalid_argument) otherwise.
[[nodiscard]] std::vector<std::int64_t> rows_of_groups(std::string_view text);

[[nodiscard]] bool are_sizes_on_device(std::string_view text);

[[nodiscard]] std::int64_t sum_of(const std::vector<std::int64_t>& rows);

}  // namespace carat::rows
