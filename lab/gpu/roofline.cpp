#include "lab/gpu/roofline.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/dtype_traits.hpp"

namespace carat::gpu {

namespace {

// The units for this precision. The first must have been measured: the others alone may be slower
// than what the product really used.
std::vector<std::string> units_for(dtype type, std::string_view computes_in) {
    const std::string precision(computes_in);
    const bool wide = !core::is_storage_type(type);
    const std::string own = "tensor " + std::string(name(type));
    if (precision == "f64") return {"dfma", "dmma"};
    if (precision == "f32")
        return wide ? std::vector<std::string>{"ffma"} : std::vector<std::string>{own, "ffma"};
    if (precision == "i32")
        return wide ? std::vector<std::string>{"imad"} : std::vector<std::string>{own, "imad"};
    // Either format, however its sums are kept: "fp8/f32 (...)".
    if (precision.starts_with("fp8")) return {is_fp8(type) ? own : "tensor e4m3"};
    if (precision == "3xtf32") return {"tensor tf32"};
    return {"tensor " + precision};
}

// Multiplications of those units for one of the product's.
double multiplications(std::string_view computes_in) {
    return computes_in == "3xtf32" ? 3 : 1;
}

// The best of the units, by either figure of a peak.
template <class Figure>
std::optional<double> best_of(const machine::peaks& limits, dtype type,
                              std::string_view computes_in, Figure figure) {
    std::optional<double> best;
    for (const std::string& unit : units_for(type, computes_in)) {
        const auto found = std::ranges::find(limits.compute, unit, &machine::compute_peak::unit);
        if (found != limits.compute.end())
            best = std::max(best.value_or(0),
                            std::invoke(figure, *found) / multiplications(computes_in));
        else if (!best)
            return {};
    }
    return best;
}

std::optional<double> bandwidth_of(const machine::peaks& limits, const std::string& level) {
    const auto found = std::ranges::find(limits.bandwidth, level, &machine::bandwidth_peak::level);
    if (found == limits.bandwidth.end()) return {};
    return found->gb_per_s;
}

struct feed {
    double gb_per_s;
    std::string level;
};

// The fastest rate at which such sets can be read.
std::optional<feed> feed_of(const known_gpu& gpu, std::int64_t rotating_bytes) {
    const auto l2 = bandwidth_of(gpu.limits, "L2");
    const auto hbm = bandwidth_of(gpu.limits, "HBM");
    const bool fits = rotating_bytes <= gpu.l2_bytes;
    if (!l2 || (!hbm && !fits)) return {};
    if (fits) return feed{*l2, "L2"};
    const double comes =
        1 - static_cast<double>(gpu.l2_bytes) / static_cast<double>(rotating_bytes);
    const double from_hbm = *hbm / comes;
    return from_hbm < *l2 ? feed{from_hbm, "HBM"} : feed{*l2, "L2"};
}

}  // namespace

std::optional<double> peak_gflops(const machine::peaks& limits, dtype type,
                                  std::string_view computes_in) {
    return best_of(limits, type, computes_in, &machine::compute_peak::gflops);
}

std::optional<machine::roof> roofline(const known_gpu& gpu, const rows::operation& all,
                                      std::string_view computes_in, std::int64_t rotating_bytes) {
    machine::roof result;
    result.arithmetic_intensity = machine::arithmetic_intensity(all);
    const auto peak = peak_gflops(gpu.limits, all.one.a_type, computes_in);
    const auto fed = feed_of(gpu, rotating_bytes);
    if (result.arithmetic_intensity <= 0 || !peak || !fed) return {};
    const double fed_gflops = result.arithmetic_intensity * fed->gb_per_s;
    result.level = fed->level;
    result.gflops = std::min(*peak, fed_gflops);
    result.bound = fed_gflops < *peak ? result.level : "compute";
    return result;
}

core::roofline_rates rates_of(const machine::peaks& limits, dtype type,
                              std::string_view computes_in) {
    return {peak_gflops(limits, type, computes_in).value_or(0),
            bandwidth_of(limits, "HBM").value_or(0)};
}

std::string exceeded_limit(const known_gpu& gpu, const rows::operation& all,
                           std::string_view computes_in, std::int64_t rotating_bytes,
                           double gflops) {
    constexpr double slack = machine::impossible_slack;
    const auto peak =
        best_of(gpu.limits, all.one.a_type, computes_in, &machine::compute_peak::most_gflops);
    if (peak && gflops > *peak * slack) return "compute";
    const auto fed = feed_of(gpu, rotating_bytes);
    const double intensity = machine::arithmetic_intensity(all);
    if (fed && intensity > 0 && gflops > intensity * fed->gb_per_s * slack) return fed->level;
    return {};
}

}  // namespace carat::gpu
