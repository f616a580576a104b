#include "lab/machine/roofline.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/dtype_traits.hpp"

namespace carat::machine {

namespace {

// A bound for any number of threads from the measured ones: more threads reach at least what fewer
// did; scaled from the nearest lower number, but at most that of the nearest higher one. `figure`
// returns a peak's figure, or 0 to ignore it.
template <class Peak, class Figure>
std::optional<double> bound_for(const std::vector<Peak>& peaks, int threads, Figure figure) {
    std::map<int, double> best;
    for (const Peak& peak : peaks)
        if (const double value = figure(peak); value > 0)
            best[peak.threads] = std::max(best[peak.threads], value);
    const auto above = best.upper_bound(std::max(1, threads));
    if (above == best.begin()) return {};
    double bound = 0;
    for (auto below = best.begin(); below != above; ++below) bound = std::max(bound, below->second);
    const auto& [most, most_did] = *std::prev(above);
    if (above != best.end() && most < threads)
        bound = std::max(bound, std::min(most_did * threads / most, above->second));
    return bound;
}

bool unit_serves(dtype unit, dtype data) {
    const bool narrow_float = is_half(data);
    // Units that multiply bytes do so at one rate, signed or not.
    return unit == data || (narrow_float && unit == dtype::f32) ||
           (unit == dtype::i8 && data == dtype::u8);
}

double resident_bytes(const rows::operation& all) {
    const core::problem& p = all.one;
    const rows::elements of = elements_of(all);
    return (of.a * traits_of(p.a_type).bits + of.b * traits_of(p.b_type).bits +
            of.c * traits_of(p.c_type).bits) /
           8.0;
}

// The memory from which the rest of sets of `bytes` comes: the level of the next larger ones.
std::string level_beyond(const peaks& limits, std::int64_t bytes, int threads) {
    for (const bandwidth_peak& p : limits.bandwidth)
        if (p.threads == threads && p.working_set_bytes > bytes) return p.level;
    return "DRAM";
}

struct feed {
    double gb_per_s;
    std::string level;
};

// The fastest rate at which a set of so many bytes a thread can be read repeatedly by a measured
// number of threads. For each size, at most that much of the set stays where that size does; the
// rest comes at the rate of larger ones.
std::optional<feed> measured_feed(const peaks& limits, double set_bytes, int threads) {
    std::map<std::int64_t, double> beyond;  // the best rate of larger sets
    double best = 0;
    for (const reading_peak& p : limits.reading)
        if (p.threads == threads) beyond[p.working_set_bytes] = p.gb_per_s;
    for (auto size = beyond.rbegin(); size != beyond.rend(); ++size)
        size->second = std::exchange(best, std::max(best, size->second));
    if (best <= 0) return {};
    double slowest_s = 1 / best;  // for 10^9 bytes
    std::int64_t held_up_beyond = 0;
    for (const auto& [stays, rate] : beyond) {
        if (static_cast<double>(stays) >= set_bytes || rate <= 0) break;
        const double time_s = (1 - static_cast<double>(stays) / set_bytes) / rate;
        if (time_s <= slowest_s) continue;
        slowest_s = time_s;
        held_up_beyond = stays;
    }
    return feed{1 / slowest_s, level_beyond(limits, held_up_beyond, threads)};
}

void keep_faster(std::optional<feed>& best, const std::optional<feed>& other) {
    if (other && (!best || other->gb_per_s > best->gb_per_s)) best = other;
}

// The same for any number of threads, as in bound_for(). Fewer threads have a larger set each.
std::optional<feed> feed_of(const peaks& limits, double set_bytes, int threads) {
    std::set<int> counts;
    for (const reading_peak& p : limits.reading) counts.insert(p.threads);
    const auto each = [&](int count) { return set_bytes / count; };
    std::optional<feed> best;
    const auto above = counts.upper_bound(threads);
    for (auto count = counts.begin(); count != above; ++count)
        keep_faster(best, measured_feed(limits, each(*count), *count));
    if (above == counts.begin() || above == counts.end() || *std::prev(above) == threads)
        return best;
    const int fewer = *std::prev(above);
    std::optional<feed> scaled = measured_feed(limits, each(threads), fewer);
    const std::optional<feed> more = measured_feed(limits, each(*above), *above);
    if (scaled) scaled->gb_per_s *= static_cast<double>(threads) / fewer;
    keep_faster(best, scaled && more && more->gb_per_s < scaled->gb_per_s ? more : scaled);
    return best;
}

std::optional<feed> feed_of(const peaks& limits, const rows::operation& all, int threads,
                            std::int64_t rotating_bytes) {
    const double set_bytes = std::max(resident_bytes(all), static_cast<double>(rotating_bytes));
    return feed_of(limits, set_bytes, std::max(1, threads));
}

}  // namespace

double bytes_of_c_read(const rows::operation& all) {
    const core::problem& p = all.one;
    if (p.beta == 0) return 0;
    return elements_of(all).c * traits_of(p.c_type).bits / 8.0;
}

double compulsory_bytes(const rows::operation& all) {
    return resident_bytes(all) + bytes_of_c_read(all);
}

double arithmetic_intensity(const rows::operation& all) {
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

std::optional<roof> roofline(const peaks& limits, const rows::operation& all, int threads,
                             core::isa most, std::int64_t rotating_bytes) {
    roof result;
    result.arithmetic_intensity = arithmetic_intensity(all);
    if (result.arithmetic_intensity <= 0) return {};
    const auto peak = peak_gflops(limits, all.one.a_type, threads, most);
    const auto fed = feed_of(limits, all, threads, rotating_bytes);
    if (!peak || !fed) return {};
    const double fed_gflops = result.arithmetic_intensity * fed->gb_per_s;
    result.level = fed->level;
    result.gflops = std::min(*peak, fed_gflops);
    result.bound = fed_gflops < *peak ? result.level : "compute";
    return result;
}

std::string exceeded_limit(const peaks& limits, const rows::operation& all, int threads,
                           std::int64_t rotating_bytes, double gflops) {
    const auto peak = peak_gflops(limits, all.one.a_type, threads, core::all_isas.back());
    if (peak && gflops > *peak * impossible_slack) return "compute";
    const auto fed = feed_of(limits, all, threads, rotating_bytes);
    const double intensity = arithmetic_intensity(all);
    if (fed && intensity > 0 && gflops > intensity * fed->gb_per_s * impossible_slack)
        return fed->level;
    return {};
}

}  // namespace carat::machine
