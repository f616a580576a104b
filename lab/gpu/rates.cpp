#include "lab/gpu/rates.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lab/files/output.hpp"

namespace carat::gpu {

tuning::measured_rates rates_of(const machine::peaks& limits) {
    const auto unit = [&](std::string_view name) {
        const auto found = std::ranges::find(limits.compute, name, &machine::compute_peak::unit);
        return found == limits.compute.end() ? 0 : 1e9 * found->gflops;
    };
    const auto level = [&](std::string_view name) {
        const auto found =
            std::ranges::find(limits.bandwidth, name, &machine::bandwidth_peak::level);
        return found == limits.bandwidth.end() ? 0 : 1e9 * found->gb_per_s;
    };
    return {.half_flop_per_s = unit("tensor bf16"),
            .tf32_flop_per_s = unit("tensor tf32"),
            .f64_flop_per_s = std::max(unit("dfma"), unit("dmma")),
            .ffma_flop_per_s = unit("ffma"),
            .l2_bytes_per_s = level("L2"),
            .memory_bytes_per_s = level("HBM")};
}

void keep_rates(const std::string& gpu, const tuning::measured_rates& rates) {
    const std::string file = tuning::rates_file();
    if (file.empty()) return;
    tuning::rates_by_gpu all = tuning::kept_rates();
    all[gpu] = rates;
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [name, of] : all) {
        nlohmann::json one = {{"name", name}};
        tuning::each_rate(of, [&](const char* field, double value) { one[field] = value; });
        list.push_back(one);
    }
    try {
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        files::write_whole(file, nlohmann::json{{"schema", 1}, {"gpus", list}}.dump(1) + "\n");
    } catch (const std::exception&) {
    }
}

}  // namespace carat::gpu
