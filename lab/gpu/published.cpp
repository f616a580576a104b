#include "lab/gpu/published.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace carat::gpu {

namespace {

constexpr std::string_view text =
#include "lab/gpu/published.inc"
    ;

published_gpu read(const nlohmann::json& from, const nlohmann::json& sources) {
    published_gpu gpu;
    gpu.name = from.at("name");
    gpu.matches = from.at("matches");
    gpu.excludes = from.value("not", std::vector<std::string>{});
    gpu.compute_capability = from.at("compute_capability");
    gpu.sms = from.at("sms");
    if (!from.at("boost_mhz").is_null()) gpu.boost_mhz = from.at("boost_mhz").get<int>();
    gpu.l2_mib = from.at("l2_mib");
    gpu.shared_kib = from.at("shared_kib");
    gpu.memory_gb_per_s = from.at("memory_gb_per_s");
    for (const auto& [unit, tflops] : from.at("tflops").items())
        gpu.rates.push_back({unit, tflops});
    gpu.ran = from.value("ran", false);
    for (const std::string key : from.at("sources")) gpu.sources.push_back(sources.at(key));
    return gpu;
}

std::vector<published_gpu> read_all() {
    const nlohmann::json all = nlohmann::json::parse(text);
    std::vector<published_gpu> gpus;
    for (const nlohmann::json& one : all.at("gpus")) gpus.push_back(read(one, all.at("sources")));
    return gpus;
}

}  // namespace

std::optional<double> published_gpu::tflops(std::string_view unit) const {
    const auto found = std::ranges::find(rates, unit, &published_rate::unit);
    if (found == rates.end()) return {};
    return found->tflops;
}

std::span<const published_gpu> published_gpus() {
    static const std::vector<published_gpu> all = read_all();
    return all;
}

const published_gpu* published(std::string_view device_name) {
    const auto is_in_name = [&](const std::string& part) {
        return device_name.find(part) != std::string_view::npos;
    };
    for (const published_gpu& gpu : published_gpus())
        if (std::ranges::all_of(gpu.matches, is_in_name) &&
            std::ranges::none_of(gpu.excludes, is_in_name))
            return &gpu;
    return nullptr;
}

std::string_view experience_with(std::string_view device_name) {
    const published_gpu* const gpu = published(device_name);
    return gpu != nullptr && gpu->ran ? measured : built_only;
}

}  // namespace carat::gpu
