#include "plan/fma_plan.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/dtype_traits.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::plan {

namespace {

// Fitted to every cut of 150 random products of f32 (seed 2718) and as many of f64 (90210) on an
// H200: what they choose is as fast as the fastest cut to 2.5 and 2.9 %, in the geometric mean.
struct fma_costs {
    double launch_s;
    double filling_s;  // until the first k-tile has come
    double memory_share;
    double l2_bytes_per_s;
    double stored_bytes_per_s;   // of an SM
    double meeting_s;            // in a cluster, for each CTA of it
    double sending_s;            // of a byte of a tile
    double group_s;              // groups that meet
    double passed_bytes_per_s;   // what they leave to the last one, of an SM
    double added_bytes_per_s;    // what that adds
    double beside;               // of the shorter of multiplying and memory, seen beside the longer
    double off_16_bytes = 0.43;  // of the rate of storing
};
constexpr fma_costs f32_costs = {1.16e-6,  1.26e-6, 1.68,   5.17e12, 25.8e9, 0.538e-6,
                                 2.79e-11, 1.02e-6, 22.3e9, 93.6e9,  0.221};
constexpr fma_costs f64_costs = {1.24e-6,  1.38e-6, 2.79,   11.5e12, 36.1e9, 0.115e-6,
                                 5.12e-11, 1.59e-6, 22.8e9, 115e9,   0.2};

const fma_costs& costs_of(dtype type) {
    return type == dtype::f64 ? f64_costs : f32_costs;
}

// Groups that worked out; of more than a thousand shares of tiles no kernel keeps count, and what
// groups leave to the last one should not leave L2 by much.
constexpr int groups_tried[] = {1, 2, 3, 4, 5, 6, 8, 12, 16};
constexpr std::int64_t most_shared = 1024;
constexpr std::int64_t most_left_bytes = 64'000'000;

std::int64_t tiles_of(const fma_tile& t, const fma_request& p) {
    return p.batch * ceil_div(p.m, t.m) * ceil_div(p.n, t.n);
}

bool may_form(int groups, const fma_tile& t, const fma_request& p, int cluster) {
    const std::int64_t tiles = tiles_of(t, p);
    return groups == 1 || (tiles * cluster <= most_shared &&
                           core::bytes_of(p.type, tiles * groups * t.m * t.n) <= most_left_bytes);
}

std::vector<fma_cut> cuts_of(const fma_tile& t, const fma_request& p) {
    std::vector<fma_cut> all;
    const std::int64_t steps = ceil_div(p.k, t.k);
    for (int cluster = 1; cluster <= t.most_cluster; cluster *= 2)
        for (const int groups : groups_tried) {
            const fma_cut cut{cluster, groups};
            if (may_form(groups, t, p, cluster) && cut.parts() <= steps &&
                (p.cluster == 0 || p.cluster == cluster) &&
                (p.split_k == 0 || cut.parts() <= p.split_k))
                all.push_back(cut);
        }
    if (p.split_k == 0 || all.empty()) return all;
    const int most = std::ranges::max(all, {}, &fma_cut::parts).parts();
    std::erase_if(all, [&](const fma_cut& cut) { return cut.parts() < most; });
    return all;
}

bool is_asked_for(const fma_tile& t, const fma_request& p) {
    return (p.block_m == 0 || t.m == p.block_m) && (p.block_n == 0 || t.n == p.block_n);
}

// Of what a full SM reaches, that of so many blocks on it.
double units_busy(const fma_tile& t, std::int64_t blocks) {
    if (t.ctas_per_sm == 1) return 1;
    return t.alone + (1 - t.alone) * static_cast<double>(blocks - 1) / (t.ctas_per_sm - 1);
}

double packed_bytes(const fma_tile& t, const fma_request& p) {
    return p.packed_bytes + (t.reads_along_k ? 0 : p.along_k_bytes);
}

}  // namespace

double fma_packing_s(double bytes, const fma_rates& here) {
    constexpr double launch_s = 3.0e-6;
    constexpr double at_memory_bytes_per_s = 0.75;
    return bytes == 0 ? 0 : launch_s + bytes / (at_memory_bytes_per_s * here.memory_bytes_per_s);
}

fma_parts parts_of(const fma_tile& of, const fma_cut& cut, const fma_request& p,
                   const fma_rates& here) {
    const fma_costs& costs = costs_of(p.type);
    const std::int64_t places = ctas_at_a_time(cut.cluster, p.sms);
    const double depth =
        static_cast<double>(ceil_div(ceil_div(p.k, of.k), cut.parts()) * std::int64_t{of.k});
    const double products = depth * of.m * of.n / (here.products_per_s * of.share);
    const auto bytes = [&](std::int64_t elements) {
        return static_cast<double>(core::bytes_of(p.type, p.batch * elements));
    };
    fma_parts found;
    found.blocks = tiles_of(of, p) * cut.parts();
    found.at_once = places * of.ctas_per_sm;
    const std::int64_t full = found.blocks / found.at_once;
    const std::int64_t left = ceil_div(found.blocks % found.at_once, places);  // to an SM
    const auto rounds = static_cast<double>(full + (left > 0 ? 1 : 0));
    const auto together = static_cast<double>(full > 0 ? of.ctas_per_sm : left);
    const double share = static_cast<double>(core::bytes_of(p.type, std::int64_t{of.m} * of.n)) /
                         cut.cluster;  // of a tile, a CTA's to store
    if (full == 0) found.at_once = places * left;
    found.bytes = bytes(p.m * p.k + p.k * p.n + p.m * p.n);
    found.l2_bytes = bytes(p.m * p.k * ceil_div(p.n, of.n) + p.k * p.n * ceil_div(p.m, of.m));
    found.multiplying_s =
        static_cast<double>(full) * of.ctas_per_sm * products +
        static_cast<double>(left) * products / units_busy(of, std::max<std::int64_t>(left, 1));
    constexpr double beyond_l2_bytes = 64e6;
    constexpr double most_of_memory = 0.9;  // where L2 holds little of it
    const double memory_share = found.bytes > beyond_l2_bytes
                                    ? std::min(most_of_memory, costs.memory_share)
                                    : costs.memory_share;
    found.memory_s = std::max(found.bytes / (memory_share * here.memory_bytes_per_s),
                              found.l2_bytes / costs.l2_bytes_per_s);
    found.launch_s = costs.launch_s + costs.filling_s * (cut.cluster > 1 ? rounds : 1);
    if (cut.cluster > 1)
        found.meeting_s =
            rounds * (costs.meeting_s * cut.cluster + costs.sending_s * share * cut.cluster);
    if (cut.groups > 1)
        found.meeting_s += costs.group_s + rounds * together * share / costs.passed_bytes_per_s +
                           cut.groups * share / costs.added_bytes_per_s;
    const double aligned = p.c_on_16_bytes ? 1 : costs.off_16_bytes;
    found.storing_s = std::max(rounds * together * share / (costs.stored_bytes_per_s * aligned),
                               bytes(p.m * p.n) / (1.1 * here.memory_bytes_per_s));
    found.seconds = found.launch_s + std::max(found.multiplying_s, found.memory_s) +
                    costs.beside * std::min(found.multiplying_s, found.memory_s) + found.meeting_s +
                    found.storing_s;
    return found;
}

std::optional<fma_plan> make_fma_plan(const fma_request& wanted, std::span<const fma_tile> tiles) {
    std::optional<fma_plan> best;
    for (const fma_tile& t : tiles) {
        if (!is_asked_for(t, wanted)) continue;
        for (const fma_cut& cut : cuts_of(t, wanted)) {
            const double taken =
                parts_of(t, cut, wanted).seconds + fma_packing_s(packed_bytes(t, wanted));
            if (!best || taken < best->seconds)
                best = {.block_m = t.m, .block_n = t.n, .cut = cut, .seconds = taken};
        }
    }
    return best;
}

std::string reason_against(const fma_request& wanted, std::span<const fma_tile> tiles) {
    std::string there;
    for (const fma_tile& t : tiles) {
        if (is_asked_for(t, wanted)) return {};
        there += (there.empty() ? "" : ", ") + std::to_string(t.m) + " x " + std::to_string(t.n);
    }
    return std::string("no kernel has") +
           (wanted.block_m == 0 ? "" : " block_m=" + std::to_string(wanted.block_m)) +
           (wanted.block_n == 0 ? "" : " block_n=" + std::to_string(wanted.block_n)) + " for " +
           std::string(name(wanted.type)) + ": there are " + there;
}

}  // namespace carat::plan
