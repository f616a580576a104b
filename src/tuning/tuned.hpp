// Plans that were measured to be faster than those of the models. `carat tune` writes them, and
// engines look here before they ask a model.
//
//     {"schema": 1, "cases": [{"device": "NVIDIA H200", "implementation": "cuda.engine",
//       "types": "bf16,bf16,f32", "layout": "nn", "m": 3000, "n": 3000, "k": 3000,
//       "tunables": {"block_n": 128, "block_m": 128, "split_k": 1}, ... and where it comes from}]}
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/problem.hpp"
#include "core/tunable.hpp"

namespace carat::tuning {

/// A case by its name in a table: device, implementation, types, how A and B are stored (by rows,
/// 'n', or by columns, 't') and sizes. Empty where no table has such: other strides, C by columns.
[[nodiscard]] std::string tuned_case(std::string_view device, std::string_view implementation,
                                     const core::problem& p);

/// "bf16,bf16,f32": those of A, B and C, as tables have them.
[[nodiscard]] std::string types_of(const core::problem& p);

class tuned_table {
  public:
    tuned_table() = default;

    /// @throws carat::error(invalid_argument) naming `source` and what is wrong with it.
    tuned_table(const std::string& json, std::string source);

    /// The way of an implementation with the tunables `known`. Null: nothing better than the
    /// model's way is known.
    /// @throws carat::error(invalid_argument) naming source, case, tunable and range where the way
    /// is none for `known`; without a source it is nothing better.
    [[nodiscard]] const core::tunable_values* find(const std::string& tuned_case,
                                                   std::span<const core::tunable> known) const;
    [[nodiscard]] bool empty() const { return ways_.empty(); }

  private:
    std::string source_;
    std::map<std::string, core::tunable_values> ways_;
};

/// The file that CARAT_TUNED names ("none": no file), else tuned.json in the user's cache
/// directory, read once in a process. A file in the cache that can't be read is none,
/// and has no source.
/// @throws carat::error(invalid_argument) for the one that CARAT_TUNED names.
[[nodiscard]] const tuned_table& tuned();

/// Where `carat tune` writes without --tuned; empty where the environment names no place.
[[nodiscard]] std::string tuned_file();

}  // namespace carat::tuning
