#include "plan/gemm_fitted.hpp"

#include <algorithm>
#include <cmath>

#include "plan/cpu_plan.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::plan {

namespace {

using core::kernel_desc;
using fitted_costs = gemm_costs::fitted_products;

class fitted_candidate {
  public:
    fitted_candidate(const candidate& c, const gemm_request& of, const gemm_costs& costs)
        : c_(c),
          of_(of),
          costs_(costs),
          turns_(turns_of(c, of)),
          rounds_(std::ceil(turns_.waves)) {}

    [[nodiscard]] double seconds() const {
        const double result = static_cast<double>(of_.batch * of_.m * of_.n) * of_.result_bytes;
        const double memory = operand_bytes() / fit().memory_bytes_per_s;
        const auto [less, more] = std::minmax({k_blocks_s(), memory});
        const double hidden = c_.is_pingpong() ? fit().pingpong_storing_share : 1;
        const double storing = std::max(tile_bytes() / own().stored_bytes_per_s,
                                        hidden * result / fit().storing_bytes_per_s);
        return own().launch_s + more + fit().hidden_share * less + storing + meeting_s() +
               (rounds_ - 1) * own().turn_s;
    }

  private:
    [[nodiscard]] const fitted_costs& fit() const {
        return of_.batch > 1 ? costs_.batched : costs_.off_lines;
    }
    [[nodiscard]] const kernel_desc& k() const { return *c_.kernel; }
    [[nodiscard]] const fitted_costs::of_schedule& own() const {
        return fit().schedules[static_cast<std::size_t>(k().schedule)];
    }

    // Of C, by an SM in all rounds.
    [[nodiscard]] double tile_bytes() const {
        return static_cast<double>(k().block_m) * k().block_n * of_.result_bytes / c_.split_k *
               rounds_ * (turns_.alone ? 1 : 2);
    }

    [[nodiscard]] double tensor_factor() const {
        if (k().block_m == 192) return fit().three_warpgroups_factor;
        if (c_.is_pingpong()) return fit().pingpong_factor;
        const bool waits = k().block_n == 192 && is_fp8(k().a_type) &&
                           k().accumulate != core::accumulation::native;
        const auto& widths = fit().width_factors;
        const auto found =
            std::ranges::find(widths, k().block_n, &gemm_costs::width_factor::block_n);
        return (found == widths.end() ? 1 : found->factor) *
               (waits ? costs_.unbuffered_promotion_factor : 1);
    }

    // Of A's lines and B's; lines that begin between sectors count for more.
    [[nodiscard]] double read_bytes(double between_sectors) const {
        const bool a_on = c_.swap_ab ? of_.b_on_sectors : of_.a_on_sectors;
        const bool b_on = c_.swap_ab ? of_.a_on_sectors : of_.b_on_sectors;
        return line_bytes *
               (static_cast<double>(k().block_m) / c_.cluster_n * (a_on ? 1 : between_sectors) +
                columns_loaded(c_) * (b_on ? 1 : between_sectors));
    }

    [[nodiscard]] double loading_s() const {
        const double read = read_bytes(own().off_sectors_factor);
        const bool is_narrow = c_.split_k > 1 && k().block_m == 128 && k().block_n <= 64;
        const double slower = is_narrow ? fit().split_k_narrow_factor : 1;
        if (!turns_.alone)
            return 2 * read / slower /
                   (c_.split_k > 1 ? fit().split_k_pair_bytes_per_s : fit().pair_bytes_per_s);
        const double held = stages_that_fit(c_, costs_) * read_bytes(1) / fit().latency_s;
        return read / slower / std::min(own().alone_bytes_per_s, held);
    }

    [[nodiscard]] double k_blocks_s() const {
        const double together = turns_.alone ? 1 : 2;
        const double tensor = fit().column_s * k().block_m / 128 *
                              std::max(k().block_n, costs_.fewest_columns) * tensor_factor();
        const double one =
            std::max({together * tensor, loading_s(), together * fit().least_k_block_s});
        const double turn = one * static_cast<double>(ceil_div(c_.k_blocks, c_.split_k));
        if (!k().stream_k) return rounds_ * turn;
        if (!c_.is_pingpong())
            return costs_.stream_k.less_shared_factor * turns_.waves * turn + fit().stream_k_s;
        return turns_.waves * turn +
               (of_.bytes_of(2) <= 2 ? fit().stream_k_of_bytes_s : fit().stream_k_s);
    }

    [[nodiscard]] double operand_bytes() const {
        const auto read = [&](std::int64_t lines, std::int64_t tiles) {
            const auto bytes = static_cast<double>(of_.bytes_of(lines * of_.k));
            return bytes < fit().l2_bytes
                       ? bytes
                       : bytes * (1 + fit().reread_share * static_cast<double>(tiles - 1));
        };
        return static_cast<double>(of_.batch) *
               (read(c_.m, ceil_div(c_.n, k().block_n)) + read(c_.n, ceil_div(c_.m, k().block_m)));
    }

    [[nodiscard]] double meeting_s() const {
        const double sums = 4.0 * k().block_m * k().block_n;
        if (c_.split_k > 1)
            return fit().split_k_sync_s + fit().split_k_send_s * c_.split_k +
                   sums / fit().sent_bytes_per_s;
        if (k().is_persistent() || c_.shared() == 1) return 0;
        return fit().multicast_s[c_.shared() == 2 ? 0 : 1];
    }

    const candidate& c_;
    const gemm_request& of_;
    const gemm_costs& costs_;
    gemm_turns turns_;
    double rounds_;
};

}  // namespace

bool is_fitted(const gemm_request& of, const gemm_costs& costs) {
    const bool is_summed_so = of.accumulate == core::accumulation::native ||
                              of.accumulate == core::accumulation::promoted;
    if (of.bytes_of(1) > 2 || !is_summed_so || !of.c_on_16_bytes || of.adds_e) return false;
    if (of.batch == 1) return !of.on_lines && of.asked == gemm_overrides{} && !is_thin(of, costs);
    constexpr double most_work = 2e11;
    constexpr double most_elements = 6e7;
    const auto batch = static_cast<double>(of.batch);
    return of.asked == gemm_overrides{.schedule = of.asked.schedule} &&
           batch * static_cast<double>(of.m * of.n) * static_cast<double>(of.k) < most_work &&
           batch * static_cast<double>(of.m * of.n + (of.m + of.n) * of.k) < most_elements;
}

double fitted_seconds(const candidate& c, const gemm_request& of, const gemm_costs& costs) {
    return fitted_candidate(c, of, costs).seconds();
}

}  // namespace carat::plan
