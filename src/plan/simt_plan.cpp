#include "plan/simt_plan.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "core/dtype_traits.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::plan {

namespace {

constexpr double around_s = 4e-6;    // a kernel's beginning and end, of many on a stream
constexpr double meeting_s = 5e-6;   // of the blocks that share K, and their beginning and end
constexpr double sending_s = 1e-11;  // of a byte of a tile, from block to block
// A block alone where two could be leaves its multiprocessor waiting now and then.
constexpr double alone = 0.85;

bool is_asked_for(const simt_tile& t, const simt_request& p) {
    return (p.block_m == 0 || t.m == p.block_m) && (p.block_n == 0 || t.n == p.block_n);
}

}  // namespace

simt_parts parts_of(const simt_tile& of, int split_k, const simt_request& p,
                    const simt_rates& here) {
    const std::int64_t blocks = p.batch * ceil_div(p.m, of.m) * ceil_div(p.n, of.n) * split_k;
    const std::int64_t places = ctas_at_a_time(split_k, p.sms);
    const bool each_alone = blocks <= places;
    const std::int64_t rounds = each_alone ? 1 : ceil_div(blocks, places * of.ctas_per_sm);
    const int together = each_alone ? 1 : of.ctas_per_sm;
    const auto depth = static_cast<double>(ceil_div(ceil_div(p.k, of.k), split_k) * of.k);
    const double rate =
        here.products_per_s * of.share * (together < of.ctas_per_sm ? alone : 1) / together;
    const auto bytes =
        static_cast<double>(core::bytes_of(p.type, p.batch * (p.m * p.k + p.k * p.n + p.m * p.n)));
    const double tile_bytes =
        static_cast<double>(core::bytes_of(p.type, std::int64_t{of.m} * of.n));
    simt_parts found;
    found.blocks = blocks;
    found.at_once = each_alone ? places : places * of.ctas_per_sm;
    found.bytes = bytes;
    found.multiplying_s = static_cast<double>(rounds) * of.m * of.n * depth / rate;
    found.memory_s = bytes / here.memory_bytes_per_s;
    found.launch_s = around_s;
    found.meeting_s =
        split_k > 1 ? static_cast<double>(rounds) * (meeting_s + sending_s * tile_bytes) : 0;
    found.seconds = around_s + std::max(found.multiplying_s, found.memory_s) + found.meeting_s;
    return found;
}

std::optional<simt_plan> make_simt_plan(const simt_request& wanted,
                                        std::span<const simt_tile> tiles) {
    std::optional<simt_plan> best;
    for (const simt_tile& t : tiles) {
        if (!is_asked_for(t, wanted)) continue;
        const std::int64_t steps = ceil_div(wanted.k, t.k);
        for (const int split_k : {8, 4, 2, 1}) {
            if (split_k > std::min<std::int64_t>(steps, t.most_split_k)) continue;
            if (wanted.split_k != 0 && split_k > wanted.split_k) continue;
            const double taken = parts_of(t, split_k, wanted).seconds;
            if (!best || taken < best->seconds)
                best = {.block_m = t.m, .block_n = t.n, .split_k = split_k, .seconds = taken};
            if (wanted.split_k != 0) break;
        }
    }
    return best;
}

std::string reason_against(const simt_request& wanted, std::span<const simt_tile> tiles) {
    std::string there;
    for (const simt_tile& t : tiles) {
        if (is_asked_for(t, wanted)) return {};
        there += (there.empty() ? "" : ", ") + std::to_string(t.m) + " x " + std::to_string(t.n);
    }
    return std::string("no kernel has") +
           (wanted.block_m == 0 ? "" : " block_m=" + std::to_string(wanted.block_m)) +
           (wanted.block_n == 0 ? "" : " block_n=" + std::to_string(wanted.block_n)) + " for " +
           std::string(name(wanted.type)) + ": there are " + there;
}

}  // namespace carat::plan
