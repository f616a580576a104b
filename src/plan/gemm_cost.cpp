#include "plan/gemm_cost.hpp"

#include <algorithm>
#include <cmath>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

double accumulator_bytes(const candidate& c) {
    return 4.0 * c.kernel->block_m * c.kernel->block_n;
}

// What a CTA loads of A and B for a k-block, more where TMA takes longer for it.
double k_block_bytes(const candidate& c, const gemm_request& of, const gemm_costs& costs) {
    const auto sectors = [&](bool of_a) {
        const bool on_sectors = of_a != c.swap_ab ? of.a_on_sectors : of.b_on_sectors;
        return on_sectors ? 1.0 : costs.off_sectors_factor;
    };
    return line_bytes *
           (c.kernel->block_m / c.cluster_n * sectors(true) + columns_loaded(c) * sectors(false));
}

double tensor_factor(const core::kernel_desc& k, const gemm_costs& costs) {
    if (k.block_m == 192) return costs.three_warpgroups_factor;
    if (k.schedule == core::kernel_schedule::pingpong) return costs.pingpong_factor;
    const bool waits =
        k.block_n == 192 && is_fp8(k.a_type) && k.accumulate != core::accumulation::native;
    return costs.factor_of(k.block_n) * (waits ? costs.unbuffered_promotion_factor : 1);
}

// Of a thin product, where the CTA is alone or the next kernel's are with it.
double thin_k_block_s(const candidate& c, const gemm_request& of, const gemm_costs& costs) {
    const double read = line_bytes * (c.kernel->block_m + columns_loaded(c));
    const double rate = std::min({costs.thin.alone_bytes_per_s,
                                  costs.thin.all_bytes_per_s / static_cast<double>(c.ctas()),
                                  stages_that_fit(c, costs) * read / costs.thin.latency_s});
    return std::max(k_block_bytes(c, of, costs) / rate, costs.thin.k_block_s);
}

// Of all k-blocks, those of CTAs that take turns one after the other.
double k_blocks_s(const candidate& c, const gemm_request& of, const gemm_costs& costs) {
    const auto k_blocks = static_cast<double>(ceil_div(c.k_blocks, c.split_k));
    const auto [at_once, waves, alone] = turns_of(c, of);
    const double wave_s = k_blocks * k_block_s(c, of, costs, alone).longest_s();
    if (!c.kernel->stream_k) return std::ceil(waves) * wave_s;
    if (!c.is_pingpong())
        return costs.stream_k.less_shared_factor * waves * wave_s + costs.stream_k.fixed_s;
    return waves * wave_s +
           (of.bytes_of(2) <= 2 ? costs.stream_k.fixed_bytes_s : costs.stream_k.fixed_s);
}

// Beside memory some of the k-blocks is seen, the more the longer they are.
gemm_parts thin_parts(const candidate& c, double bytes, const gemm_request& of,
                      const gemm_costs& costs) {
    gemm_parts found;
    const std::int64_t ctas = c.ctas();
    const std::int64_t slots = ctas_at_a_time(c.split_k * c.shared(), of.sms);
    // With room for three, clusters of any size find slots for all their CTAs.
    const bool alone = ctas <= slots || (c.ctas_per_sm == 3 && ctas <= of.sms);
    const auto k_blocks = static_cast<double>(ceil_div(c.k_blocks, c.split_k));
    const double summed = alone ? k_blocks * thin_k_block_s(c, of, costs)
                                : k_blocks * k_block_s(c, of, costs, false).longest_s() *
                                      static_cast<double>(ceil_div(ctas, 2 * slots));
    found.loading_s = summed;
    found.tensor_s = k_blocks * k_block_s(c, of, costs, true).tensor_s *
                     (alone ? 1 : std::ceil(turns_of(c, of).waves));
    found.memory_s = bytes / costs.thin.memory_bytes_per_s;
    const auto [less, more] = std::minmax({summed, found.memory_s});
    const double ratio = less / more;
    found.together_s = more * std::sqrt(std::sqrt(1 + ratio * ratio * ratio * ratio));
    found.launch_s =
        c.ctas_per_sm > 1 && alone ? costs.thin.overlapped_launch_s : costs.thin.launch_s;
    const double sending =
        costs.thin.split_k_send_s + accumulator_bytes(c) / costs.thin.sent_bytes_per_s;
    found.meeting_s = c.split_k > 1 ? sending * c.split_k : 0;
    found.seconds = found.launch_s + found.together_s + found.meeting_s;
    return found;
}

// From memory, with what L2 does not keep for the tiles that read it again.
double operand_bytes(const candidate& c, const gemm_request& of, const gemm_costs& costs) {
    const auto read = [&](std::int64_t lines, std::int64_t tiles) {
        const auto bytes = static_cast<double>(of.bytes_of(lines * of.k));
        return bytes < costs.l2_bytes
                   ? bytes
                   : bytes * (1 + costs.reread_share * static_cast<double>(tiles - 1));
    };
    return static_cast<double>(of.batch) * (read(c.m, ceil_div(c.n, c.kernel->block_n)) +
                                            read(c.n, ceil_div(c.m, c.kernel->block_m)));
}

}  // namespace

std::int64_t ctas_at_a_time(int cluster, int sms) {
    // Of a GPU that is cut up there may be no more than 16.
    return cluster <= 2 ? sms : std::max(1, (sms - 16) / cluster) * std::int64_t{cluster};
}

double columns_loaded(const candidate& c) {
    const core::kernel_desc& k = *c.kernel;
    const int in_line = k.block_k();
    const std::int64_t columns =
        k.b_major == core::operand_major::k ? k.block_n : ceil_div(k.block_n, in_line) * in_line;
    return static_cast<double>(columns) / c.cluster_m;
}

bool is_thin(const gemm_request& of, const gemm_costs& costs) {
    return std::min(of.m, of.n) <= costs.thin.most;
}

double stages_that_fit(const candidate& c, const gemm_costs& costs) {
    const double stage = line_bytes * (c.kernel->block_m + columns_loaded(c) * c.shared());
    const double from_others = accumulator_bytes(c) * (c.split_k - 1) / c.split_k;
    const double stages =
        std::floor((costs.thin.shared_bytes / c.ctas_per_sm - from_others) / stage);
    return std::clamp(stages, 1.0, costs.thin.most_stages);
}

int most_ctas_per_sm(const core::kernel_desc& k) {
    const bool native = k.accumulate == core::accumulation::native;
    return k.is_persistent() || (k.block_n >= 96 && (!native || k.a_from_registers())) ? 1 : 2;
}

gemm_turns turns_of(const candidate& c, const gemm_request& of) {
    const std::int64_t ctas = c.ctas();
    const std::int64_t slots = ctas_at_a_time(c.split_k * c.shared(), of.sms);
    const bool alone = most_ctas_per_sm(*c.kernel) == 1 || ctas <= slots;
    const std::int64_t at_once = alone ? slots : 2 * slots;
    return {at_once, static_cast<double>(ctas) / static_cast<double>(at_once), alone};
}

double k_block_parts::longest_s() const {
    return std::max({tensor_s, loading_s, least_s});
}

k_block_parts k_block_s(const candidate& c, const gemm_request& of, const gemm_costs& costs,
                        bool alone) {
    const core::kernel_desc& k = *c.kernel;
    const double tensor_s = costs.column_s * k.block_m / 128 *
                            std::max(k.block_n, costs.fewest_columns) * tensor_factor(k, costs);
    const double read = k_block_bytes(c, of, costs);
    const double slower =
        c.split_k > 1 && k.block_m == 128 && k.block_n <= 64 ? costs.split_k_narrow_factor : 1;
    if (alone) return {tensor_s, read / (costs.alone_bytes_per_s * slower), costs.least_k_block_s};
    const double rate =
        slower * (c.split_k > 1 ? costs.split_k_pair_bytes_per_s : costs.pair_bytes_per_s);
    return {2 * tensor_s, 2 * (read / rate), 2 * costs.least_k_block_s};
}

gemm_parts parts_of(const candidate& c, const gemm_request& of, const gemm_costs& costs, bool glu) {
    gemm_parts found;
    const double result =
        static_cast<double>(of.batch * of.m * of.n) * of.result_bytes / (glu ? 2 : 1);
    // E comes through the pipeline as they do.
    const double operands = operand_bytes(c, of, costs) + (of.adds_e ? result : 0);
    double storing = result / costs.storing_bytes_per_s;
    if (is_thin(of, costs) && !c.kernel->is_persistent()) {
        found = thin_parts(c, operands, of, costs);
        found.seconds = found.seconds + storing;
    } else {
        const double multiplying = k_blocks_s(c, of, costs);
        found.memory_s = operands / costs.memory_bytes_per_s;
        const auto [less, more] = std::minmax({multiplying, found.memory_s});
        const bool multicasts = c.shared() > 1 && !c.kernel->is_persistent();
        const double sharing = multicasts && multiplying > found.memory_s ? costs.multicast_s : 0;
        const double splitting =
            c.split_k > 1 ? costs.split_k_sync_s + costs.split_k_send_s * c.split_k : 0;
        storing = storing * (c.is_pingpong() ? costs.pingpong_storing_share : 1);
        found.launch_s = costs.launch_s;
        found.together_s = more + costs.hidden_share * less;
        found.meeting_s = sharing + splitting;
        found.seconds =
            costs.launch_s + more + costs.hidden_share * less + sharing + storing + splitting;
    }
    found.turns = turns_of(c, of);
    const auto k_blocks = static_cast<double>(ceil_div(c.k_blocks, c.split_k));
    const double rounds = c.kernel->stream_k ? found.turns.waves : std::ceil(found.turns.waves);
    const k_block_parts one = k_block_s(c, of, costs, found.turns.alone);
    if (found.loading_s == 0) {
        found.tensor_s = rounds * k_blocks * one.tensor_s;
        found.loading_s = rounds * k_blocks * one.loading_s;
    }
    found.loaded_bytes = line_bytes * (c.kernel->block_m / c.cluster_n + columns_loaded(c)) *
                         k_blocks * static_cast<double>(c.ctas());
    found.storing_s = storing;
    found.memory_bytes = operands;
    found.stored_bytes = result;
    return found;
}

}  // namespace carat::plan
