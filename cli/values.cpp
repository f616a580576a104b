#include "cli/values.hpp"

#include <algorithm>

#include <carat/error.hpp>

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

}  // namespace carat::cli
