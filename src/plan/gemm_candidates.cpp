#include "plan/gemm_candidates.hpp"

#include <algorithm>

#include "plan/cpu_plan.hpp"
#include "plan/gemm_cost.hpp"
#include "plan/gemm_fitted.hpp"

namespace carat::plan {

using core::kernel_desc;
using core::kernel_schedule;
using core::operand_major;

namespace {

// The persistent ones write rows; columns only where swapping is no way out, as for A through
// registers and blocks of scales.
bool writes_c_well(const kernel_desc& k, const gemm_request& of, bool swap_ab) {
    // Of lines that aren't whole 128 bytes persistent kernels add E by their threads.
    if (of.adds_e && of.asked.block_n == 0 && k.is_persistent() &&
        k.block_n * of.result_bytes % line_bytes != 0)
        return false;
    if (swap_ab != of.c_by_rows) return true;
    if (k.schedule == kernel_schedule::pingpong) return false;
    return !k.is_persistent() || k.accumulate == core::accumulation::blockwise ||
           k.a_from_registers();
}

bool takes_cluster(const kernel_desc& k, int split_k, int shared) {
    if (k.is_persistent()) return split_k == 1 && shared == k.cluster_m * k.cluster_n;
    return split_k <= k.most_split_k && shared <= k.most_cluster_m && (split_k == 1 || shared == 1);
}

// Where the last wave is left partly filled.
bool may_stream_k(const candidate& c, const gemm_request& of) {
    const std::int64_t slots = ctas_at_a_time(c.shared(), of.sms);
    return c.ctas() > slots && c.ctas() % slots != 0;
}

// Two on an SM are of the same kernel where there are CTAs enough, else of the next one as well.
// That gained nothing where CTAs share B, and takes a pipeline that half of the memory still holds:
// of many rows six stages, for a few k-blocks. Three have registers enough up to 64 x 64.
bool may_leave_room(const candidate& c, const gemm_request& of, const gemm_costs& costs,
                    int ctas_per_sm) {
    const kernel_desc& k = *c.kernel;
    if (k.is_persistent()) return ctas_per_sm == 1;
    const bool fit = c.ctas() <= ctas_at_a_time(c.split_k * c.shared(), of.sms);
    const int most = k.block_m == 64 && k.block_n <= 64 ? 3 : 2;
    if (of.by_fitted_costs) return ctas_per_sm <= most && (ctas_per_sm > 1 || fit);
    if (c.shared() > 1) return ctas_per_sm == (fit ? 1 : 2);
    if (of.asked.ctas_per_sm != 0) return ctas_per_sm == std::min(of.asked.ctas_per_sm, most);
    if (is_thin(of, costs)) return ctas_per_sm <= most && (ctas_per_sm > 1 || fit);
    candidate half = c;
    half.ctas_per_sm = 2;
    const bool leaves = c.k_blocks <= costs.residency.few_k_blocks * c.split_k &&
                        stages_that_fit(half, costs) >= costs.residency.enough_stages;
    return ctas_per_sm == (!fit || leaves ? 2 : 1);
}

// Of few rows parts of K of 128 took up to 4 % less than one of 64 where they fill two thirds of
// the GPU and leave room for the next kernel; 4 % more with fewer, and 8 % with all the room
// (results/h200/parts_of_few.json).
bool are_slow_parts(const candidate& c, const gemm_request& of, const gemm_costs& costs) {
    return is_thin(of, costs) && c.split_k > 1 &&
           std::max(c.kernel->block_m, c.kernel->block_n) >= 128 &&
           (3 * c.ctas() < 2 * of.sms || c.ctas_per_sm == 1);
}

// Of single tiles two that share won next to nothing, and four beyond one wave nothing; of pingpong
// one tile to a CTA has no other beside which it is stored. Of a few k-blocks tiles of 96 columns
// gained 12 to 20 %, but lost as much where a CTA has its SM to itself and can't begin early (i8
// and e4m3 at K = 208 to 816).
bool is_worthless(const candidate& c, const gemm_request& of, bool glu) {
    constexpr int few_k_blocks = 8;
    if (c.kernel->block_n == 96 && most_ctas_per_sm(*c.kernel) == 1 && of.asked.block_n == 0 &&
        c.k_blocks < few_k_blocks)
        return true;
    if (c.is_pingpong())
        return of.asked.schedule != kernel_schedule::pingpong && !glu && c.ctas() <= of.sms;
    return !c.kernel->is_persistent() && c.shared() > 1 && of.asked.cluster_m == 0 &&
           (c.shared() == 2 || c.ctas() > ctas_at_a_time(c.shared(), of.sms));
}

candidate make_candidate(const kernel_desc& k, const gemm_request& of, bool swap_ab, int split_k,
                         int shared) {
    return {.kernel = &k,
            .swap_ab = swap_ab,
            .m = swap_ab ? of.n : of.m,
            .n = swap_ab ? of.m : of.n,
            .k_blocks = k_blocks_of(of.k, of),
            .split_k = split_k,
            .cluster_m = k.cluster_n > 1 ? 1 : shared,
            .cluster_n = k.cluster_n,
            .batch = of.batch};
}

class fastest {
  public:
    fastest(const gemm_request& of, const gemm_costs& costs, bool glu)
        : of_(of), costs_(costs), glu_(glu) {}

    void try_residencies(candidate c) {
        for (const int ctas_per_sm : {1, 2, 3}) {
            if (!may_leave_room(c, of_, costs_, ctas_per_sm)) continue;
            c.ctas_per_sm = ctas_per_sm;
            if (of_.asked.split_k == 0 && are_slow_parts(c, of_, costs_)) continue;
            keep(c);
        }
    }

    [[nodiscard]] const std::optional<gemm_plan>& best() const { return best_; }

  private:
    void keep(const candidate& c) {
        const double taken =
            of_.by_fitted_costs ? fitted_seconds(c, of_, costs_) : seconds(c, of_, costs_, glu_);
        const bool must_save = c.kernel->stream_k && best_ && of_.asked.stream_k != choice::yes &&
                               !of_.by_fitted_costs;
        if (best_ && taken * (must_save ? costs_.stream_k.worth_factor : 1) >= best_->seconds)
            return;
        best_ = {.kernel = c.kernel,
                 .swap_ab = c.swap_ab,
                 .split_k = c.split_k,
                 .cluster_m = c.cluster_m,
                 .cluster_n = c.cluster_n,
                 .ctas_per_sm = c.ctas_per_sm,
                 .seconds = taken};
    }

    const gemm_request& of_;
    const gemm_costs& costs_;
    bool glu_;
    std::optional<gemm_plan> best_;
};

}  // namespace

std::int64_t candidate::ctas() const {
    return ceil_div(m, std::int64_t{cluster_m} * kernel->block_m) *
           ceil_div(n, std::int64_t{cluster_n} * kernel->block_n) * shared() * split_k * batch;
}

candidate candidate_of(const gemm_plan& plan, const gemm_request& of) {
    return {.kernel = plan.kernel,
            .swap_ab = plan.swap_ab,
            .m = plan.swap_ab ? of.n : of.m,
            .n = plan.swap_ab ? of.m : of.n,
            .k_blocks = k_blocks_of(of.k, of),
            .split_k = plan.split_k,
            .cluster_m = plan.cluster_m,
            .cluster_n = plan.cluster_n,
            .batch = of.batch,
            .ctas_per_sm = plan.ctas_per_sm};
}

std::int64_t k_blocks_of(std::int64_t k, const gemm_request& of) {
    return ceil_div(of.bytes_of(k), line_bytes);
}

bool matches(const kernel_desc& kernel, const gemm_request& wanted, bool swap_ab) {
    // A and B are scaled in blocks of different shapes.
    if (swap_ab && wanted.accumulate == core::accumulation::blockwise) return false;
    return kernel.batched == wanted.persistent_batch && kernel.accumulate == wanted.accumulate &&
           kernel.a_type == (swap_ab ? wanted.b_type : wanted.a_type) &&
           kernel.b_type == (swap_ab ? wanted.a_type : wanted.b_type) &&
           kernel.a_major == (swap_ab ? wanted.b_major : wanted.a_major) &&
           kernel.b_major == (swap_ab ? wanted.a_major : wanted.b_major);
}

bool is_asked_for(const matching_kernels::tile& t, const gemm_overrides& asked) {
    return (asked.block_m == 0 || t.block_m == asked.block_m) &&
           (asked.block_n == 0 || t.block_n == asked.block_n) &&
           t.schedule == asked.schedule.value_or(t.schedule);
}

matching_kernels::matching_kernels(const gemm_request& wanted, core::kernel_table all) {
    for (const kernel_desc& k : all)
        for (const bool swap_ab : {false, true}) {
            if (wanted.asked.swaps_for_c_only && swap_ab == wanted.c_by_rows) continue;
            if (!matches(k, wanted, swap_ab)) continue;
            all_[swap_ab ? 1 : 0].push_back(&k);
            const tile t{k.block_m, k.block_n, k.schedule};
            if (std::ranges::find(tiles_, t) == tiles_.end()) tiles_.push_back(t);
        }
    // Of two that are as fast the smaller one is taken.
    std::ranges::stable_sort(tiles_, {},
                             [](const tile& t) { return std::pair(t.block_n, t.block_m); });
}

bool matching_kernels::has(core::kernel_schedule schedule) const {
    return std::ranges::find(tiles_, schedule, &tile::schedule) != tiles_.end();
}

const kernel_desc* matching_kernels::find(const tile& of, bool swap_ab, bool stream_k) const {
    for (const kernel_desc* const k : all_[swap_ab ? 1 : 0])
        if (k->block_m == of.block_m && k->block_n == of.block_n && k->schedule == of.schedule &&
            k->stream_k == stream_k)
            return k;
    return nullptr;
}

std::optional<gemm_plan> best_of(const gemm_request& of, const gemm_costs& costs,
                                 const matching_kernels& kernels, const matching_kernels::tile& t,
                                 int split_k, int shared, bool glu) {
    fastest found(of, costs, glu);
    if (split_k > k_blocks_of(of.k, of)) return std::nullopt;
    for (const bool swap_ab : {!of.c_by_rows, of.c_by_rows}) {
        for (const bool stream_k : {false, true}) {
            const kernel_desc* const k = kernels.find(t, swap_ab, stream_k);
            if (k == nullptr || (glu && !k->glu) || !takes_cluster(*k, split_k, shared) ||
                !writes_c_well(*k, of, swap_ab))
                continue;
            const candidate c = make_candidate(*k, of, swap_ab, split_k, shared);
            if (!of.by_fitted_costs && is_worthless(c, of, glu)) continue;
            const bool may = may_stream_k(c, of);
            if (stream_k && (!may || of.asked.stream_k == choice::no)) continue;
            const bool has_other = kernels.find(t, swap_ab, true) != nullptr;
            if (!stream_k && may && has_other && of.asked.stream_k == choice::yes) continue;
            found.try_residencies(c);
        }
    }
    return found.best();
}

std::optional<gemm_plan> best_clusters(const gemm_request& of, const gemm_costs& costs,
                                       const matching_kernels& kernels,
                                       const matching_kernels::tile& t) {
    std::optional<gemm_plan> best;
    const gemm_overrides& asked = of.asked;
    // Of whole lines none of more rows and columns was fastest in eight parts.
    const int most = asked.split_k != 0                         ? asked.split_k
                     : asked.cluster_m > 1                      ? 1
                     : is_thin(of, costs) || of.by_fitted_costs ? 8
                                                                : 4;
    for (const int split_k : {8, 4, 2, 1}) {
        if (split_k > most) continue;
        for (const int shared : {4, 2, 1}) {
            const bool is_fixed = t.schedule != kernel_schedule::single_tile;
            if (!is_fixed && asked.cluster_m != 0 && shared > asked.cluster_m) continue;
            const auto one = best_of(of, costs, kernels, t, split_k, shared);
            if (one && (!best || one->seconds < best->seconds)) best = one;
            if (one && asked.cluster_m != 0) break;
        }
        if (best && asked.split_k != 0) break;
    }
    return best;
}

}  // namespace carat::plan
