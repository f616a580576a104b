// What the laboratory measured of GPUs that nobody fitted costs on; it is kept in the user's cache
// and read once in a process.
//
//     {"schema": 1, "gpus": [{"name": "NVIDIA L40S", "half_flop_per_s": 3.4e14,
//       "tf32_flop_per_s": ..., "f64_flop_per_s": ..., "ffma_flop_per_s": ...,
//       "l2_bytes_per_s": ..., "memory_bytes_per_s": ...}]}
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace carat::tuning {

/// Rates of one GPU by field; 0: not measured.
struct measured_rates {
    double half_flop_per_s = 0;
    double tf32_flop_per_s = 0;
    double f64_flop_per_s = 0;
    double ffma_flop_per_s = 0;
    double l2_bytes_per_s = 0;
    double memory_bytes_per_s = 0;
};

/// Calls visit(name, value) for each field.
template <class Rates>
void each_rate(Rates& of, const auto& visit) {
    visit("half_flop_per_s", of.half_flop_per_s);
    visit("tf32_flop_per_s", of.tf32_flop_per_s);
    visit("f64_flop_per_s", of.f64_flop_per_s);
    visit("ffma_flop_per_s", of.ffma_flop_per_s);
    visit("l2_bytes_per_s", of.l2_bytes_per_s);
    visit("memory_bytes_per_s", of.memory_bytes_per_s);
}

using rates_by_gpu = std::map<std::string, measured_rates, std::less<>>;

/// @throws carat::error(invalid_argument) naming `source` and what is wrong with it.
[[nodiscard]] rates_by_gpu parse_rates(const std::string& json, const std::string& source);

/// The file as it is now; none where there is no such file or it can't be read.
[[nodiscard]] rates_by_gpu kept_rates();

/// Null: nothing was measured of a GPU of this name, or the file can't be read.
[[nodiscard]] const measured_rates* known_rates(std::string_view gpu);

/// gpu_rates.json in the user's cache; empty where the environment names no place.
[[nodiscard]] std::string rates_file();

}  // namespace carat::tuning
