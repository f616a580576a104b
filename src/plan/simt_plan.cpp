#include "plan/simt_plan.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "core/dtype_traits.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::plan {

namespace {

// Both units do 128 multiply-adds a clock and multiprocessor.
constexpr double products_per_s = 128 * 1.98e9;
constexpr double memory_bytes_per_s = 4.1e12;
constexpr double around_s = 4e-6;    // a kernel's beginning and end, of many on a stream
constexpr double meeting_s = 5e-6;   // of the blocks that share K, and their beginning and end
constexpr double sending_s = 1e-11;  // of a byte of a tile, from block to block
// A block alone where two could be leaves its multiprocessor waiting now and then.
constexpr double alone = 0.85;

struct candidate {
    simt_tile of;
    int split_k;
};

double seconds(const candidate& w, const simt_request& p) {
    const std::int64_t blocks = p.batch * ceil_div(p.m, w.of.m) * ceil_div(p.n, w.of.n) * w.split_k;
    const std::int64_t places = ctas_at_a_time(w.split_k, p.sms);
    const bool each_alone = blocks <= places;
    const std::int64_t rounds = each_alone ? 1 : ceil_div(blocks, places * w.of.ctas_per_sm);
    const int together = each_alone ? 1 : w.of.ctas_per_sm;
    const auto depth = static_cast<double>(ceil_div(ceil_div(p.k, w.of.k), w.split_k) * w.of.k);
    const double rate =
        products_per_s * w.of.share * (together < w.of.ctas_per_sm ? alone : 1) / together;
    const double multiplying = static_cast<double>(rounds) * w.of.m * w.of.n * depth / rate;
    const auto bytes =
        static_cast<double>(core::bytes_of(p.type, p.batch * (p.m * p.k + p.k * p.n + p.m * p.n)));
    const double tile_bytes =
        static_cast<double>(core::bytes_of(p.type, std::int64_t{w.of.m} * w.of.n));
    return around_s + std::max(multiplying, bytes / memory_bytes_per_s) +
           (w.split_k > 1 ? static_cast<double>(rounds) * (meeting_s + sending_s * tile_bytes) : 0);
}

bool is_asked_for(const simt_tile& t, const simt_request& p) {
    return (p.block_m == 0 || t.m == p.block_m) && (p.block_n == 0 || t.n == p.block_n);
}

}  // namespace

std::optional<simt_plan> make_simt_plan(const simt_request& wanted,
                                        std::span<const simt_tile> tiles) {
    std::optional<simt_plan> best;
    for (const simt_tile& t : tiles) {
        if (!is_asked_for(t, wanted)) continue;
        const std::int64_t steps = ceil_div(wanted.k, t.k);
        for (const int split_k : {8, 4, 2, 1}) {
            if (split_k > std::min<std::int64_t>(steps, t.most_split_k)) continue;
            if (wanted.split_k != 0 && split_k > wanted.split_k) continue;
            const double taken = seconds({t, split_k}, wanted);
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
