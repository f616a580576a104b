#include "cli/values.hpp"

#include <algorithm>
#include <charconv>

#include <carat/error.hpp>

#include "lab/gpu/gpu.hpp"
#include "lab/request/request.hpp"

namespace carat::cli {

void add_distribution_flag(CLI::App& sub, std::string& text) {
    sub.add_option("--distribution", text,
                   "uniform(lo,hi), normal(mean,sd), integers(lo,hi), ill-conditioned(phi) "
                   "(default: uniform(0,1), or integers(0,100) for integer types)")
        ->check([](const std::string& given) -> std::string {
            try {
                (void)workload::parse_distribution(given);
                return {};
            } catch (const error& failure) {
                return failure.what();
            }
        });
}

workload::distribution values_of(const std::string& text, const std::vector<dtype>& types) {
    if (!text.empty()) return workload::parse_distribution(text);
    const bool integers = std::ranges::any_of(
        types, [](dtype type) { return type == dtype::i32 || is_byte_integer(type); });
    return integers ? workload::integers(0, 100) : workload::uniform(0, 1);
}

std::optional<rows::device> choose_device(const std::string& text) {
    constexpr std::string_view prefix = "cuda:";
    if (!text.starts_with(prefix)) return request::parse_device(text);
    int device = 0;
    const char* const first = text.data() + prefix.size();
    const char* const last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(first, last, device);
    if (problem != std::errc() || end != last || device < 0)
        throw error(error_code::invalid_argument,
                    "device '" + text + "' names no GPU: give its number, from 0, as in cuda:0");
    gpu::select(device);
    return rows::device::cuda;
}

}  // namespace carat::cli
