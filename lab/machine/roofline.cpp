#include "lab/machine/roofline.hpp"

#include <algorithm>

#include "core/dtype_traits.hpp"
#include "lab/machine/plan.hpp"

namespace carat::machine {

namespace {

// From the figures for one thread and for all cores, a bound for any number: the first scaled, but
// never above the second. `figure` gives the figure of a peak, 0 for one that doesn't count.
template <class Peak, class Figure>
std::optional<double> bound_for(const std::vector<Peak>& peaks, int threads, Figure figure) {
    double one = 0;
    double all = 0;
    int most = 1;
    for (const Peak& peak : peaks) {
        const double value = figure(peak);
        if (value <= 0) continue;
        if (peak.threads == 1) {
            one = std::max(one, value);
        } else {
            all = std::max(all, value);
            most = std::max(most, peak.threads);
        }
    }
    if (one <= 0) return {};
    if (threads <= 1 || most == 1) return one;
    // All cores together did what the best rounds of one promise, or less.
    return threads >= most ? std::max(one, all) : std::min(threads * one, std::max(one, all));
}

bool unit_serves(dtype unit, dtype data) {
    const bool narrow_float = is_half(data);
    // Units that multiply bytes do so at one rate, signed or not.
    return unit == data || (narrow_float && unit == dtype::f32) ||
           (unit == dtype::i8 && data == dtype::u8);
}

// What the caches of one level hold together when `threads` cores use as many of them as they can.
double capacity_bytes(const description& machine, const cache& c, int threads) {
    const auto groups = [](int all, int of) { return std::max(1, (all + of - 1) / of); };
    int caches = groups(machine.cores, sharing_cores(machine, c, std::max(1, machine.cores)));
    // By threads, too: not all cores of several kinds have as many.
    if (c.shared_by > 0) caches = std::min(caches, groups(machine.hardware_threads, c.shared_by));
    return static_cast<double>(c.size_bytes) * std::clamp(threads, 1, caches);
}

double resident_bytes(const core::operation& all) {
    const core::problem& p = all.one;
    const core::elements of = elements_of(all);
    return (of.a * traits_of(p.a_type).bits + of.b * traits_of(p.b_type).bits +
            of.c * traits_of(p.c_type).bits) /
           8.0;
}

std::string level_holding(const description& machine, double bytes, int threads) {
    for (int level = 1; level <= 3; ++level)
        if (const cache* c = data_cache(machine, level);
            c != nullptr && bytes <= capacity_bytes(machine, *c, threads))
            return "L" + std::to_string(level);
    return "DRAM";
}

}  // namespace

double bytes_of_c_read(const core::operation& all) {
    const core::problem& p = all.one;
    if (p.beta == 0) return 0;
    return elements_of(all).c * traits_of(p.c_type).bits / 8.0;
}

double compulsory_bytes(const core::operation& all) {
    return resident_bytes(all) + bytes_of_c_read(all);
}

double arithmetic_intensity(const core::operation& all) {
    const double bytes = compulsory_bytes(all);
    return bytes > 0 ? 2 * multiply_adds(all) / bytes : 0;
}

std::optional<double> peak_gflops(const peaks& limits, dtype type, int threads, core::isa most) {
    return bound_for(limits.compute, threads, [&](const compute_peak& p) {
        return p.level <= most && unit_serves(p.type, type) ? p.gflops : 0.0;
    });
}

std::optional<double> bandwidth_gb_per_s(const peaks& limits, const std::string& level,
                                         int threads) {
    return bound_for(limits.bandwidth, threads,
                     [&](const bandwidth_peak& p) { return p.level == level ? p.gb_per_s : 0.0; });
}

std::optional<roof> roofline(const description& machine, const peaks& limits,
                             const core::operation& all, int threads) {
    roof result;
    result.arithmetic_intensity = arithmetic_intensity(all);
    if (result.arithmetic_intensity <= 0) return {};
    result.level = level_holding(machine, resident_bytes(all), threads);
    const auto peak = peak_gflops(limits, all.one.a_type, threads, machine.isa_in_use);
    const auto bandwidth = bandwidth_gb_per_s(limits, result.level, threads);
    if (!peak || !bandwidth) return {};
    const double fed = result.arithmetic_intensity * *bandwidth;
    result.gflops = std::min(*peak, fed);
    result.bound = fed < *peak ? result.level : "compute";
    return result;
}

bool above_peak(const peaks& limits, dtype type, int threads, double gflops) {
    const auto peak = peak_gflops(limits, type, threads, core::all_isas.back());
    return peak && gflops > *peak * impossible_slack;
}

}  // namespace carat::machine
