#include "plan/gemm_candidates.hpp"

#include <algorithm>

#include "plan/cpu_plan.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::plan {

using core::kernel_desc;
using core::kernel_schedule;

namespace {

// The persistent ones write rows; columns only where swapping is no way out, as for A through
// registers and blocks of scales.
bool writes_c(const kernel_desc& k, const gemm_request& of, bool swap_ab) {
    if (swap_ab != of.c_by_rows || !k.is_persistent()) return true;
    return k.schedule != kernel_schedule::pingpong &&
           (k.accumulate == core::accumulation::blockwise || k.a_from_registers());
}

// Where the last wave is left partly filled, or the only one is and clusters can share its tiles:
// then sums are rounded as those of split-K.
bool has_partial_wave(const candidate& c, const gemm_request& of) {
    const std::int64_t slots = ctas_at_a_time(c.shared(), of.sms);
    if (c.ctas() > slots) return c.ctas() % slots != 0;
    const std::int64_t tiles = c.ctas() / c.shared();
    return of.asked.split_k != 1 &&
           clusters_that_share(*c.kernel, tiles, c.k_blocks, slots / c.shared()) > tiles;
}

// Sums of 16 bits that are handed on pay on an H200 only where the last wave is nearly empty and K
// is long; elsewhere they took up to 1.28 times what was expected.
bool pays(const candidate& c, const gemm_request& of) {
    constexpr std::int64_t long_k = 64;  // blocks
    const kernel_desc& k = *c.kernel;
    if (of.asked.stream_k == choice::yes || !is_half(k.a_type) ||
        k.schedule != kernel_schedule::cooperative)
        return true;
    const std::int64_t slots = ctas_at_a_time(c.shared(), of.sms);
    return c.ctas() > slots && 3 * c.ctas() < 4 * slots && c.k_blocks >= long_k;
}

bool has_room(const candidate& c) {
    const kernel_desc& k = *c.kernel;
    if (c.ctas_per_sm == 1) return true;
    return c.ctas_per_sm <= most_ctas_per_sm(k) &&
           stages_that_fit(k, c.split_k, c.ctas_per_sm) >= fewest_stages(k.accumulate);
}

// Whether tiles beside each other share A where nobody asked for it. A cluster that shares only A
// is left out where the turned product, with A and B swapped, has the same tile and shares B.
// Promoted sums and elements of 32 bits lost by it on an H200, and batches were not measured.
bool may_share_a(const candidate& c) {
    const kernel_desc& k = *c.kernel;
    const bool can_be_turned = k.block_n == 64 || k.block_n == 128;
    return c.batch == 1 && k.accumulate == core::accumulation::native && k.a_type != dtype::f32 &&
           (c.cluster_m > 1 || !can_be_turned);
}

// Plans of single tiles that share A count as slower than they are predicted to be: those that were
// to save less than 3 % took longer on an H200 as often as not.
double counted(double seconds, const kernel_desc& k, int cluster_n) {
    return k.is_persistent() || cluster_n == 1 ? seconds : seconds / 0.97;
}

// The most of what was asked for that there is.
bool is_as_asked(const candidate& c, const gemm_request& of) {
    const gemm_overrides& asked = of.asked;
    const kernel_desc& k = *c.kernel;
    if (asked.swaps_for_c_only && c.swap_ab == of.c_by_rows) return false;
    if (k.stream_k ? asked.stream_k == choice::no : false) return false;
    // Batched tiles come in clusters, of products that lie at one distance.
    if (k.is_persistent()) return asked.split_k <= 1 && !(k.batched && asked.cluster_m == 1);
    const auto is_most = [](int value, int most) { return value <= most && 2 * value > most; };
    if (asked.split_k != 0 &&
        !is_most(c.split_k, static_cast<int>(std::min<std::int64_t>(
                                {asked.split_k, k.most_split_k, c.k_blocks}))))
        return false;
    const bool asks_for_sharing = asked.cluster_m > 1 || asked.cluster_n > 1;
    if (asks_for_sharing && asked.split_k <= 1 && c.split_k > 1) return false;
    const int left = most_ctas_of_a_cluster / c.split_k;
    if (asked.cluster_m != 0 &&
        !is_most(c.cluster_m, std::min({asked.cluster_m, k.most_cluster_m, left})))
        return false;
    if (asked.cluster_n == 0 && c.cluster_n > 1 && !may_share_a(c)) return false;
    if (asked.cluster_n != 0 &&
        !is_most(c.cluster_n, std::min({asked.cluster_n, most_cluster_n, left / c.cluster_m})))
        return false;
    if (asked.ctas_per_sm == 0) return true;
    candidate more = c;
    more.ctas_per_sm = c.ctas_per_sm + 1;
    return c.ctas_per_sm == asked.ctas_per_sm ||
           (c.ctas_per_sm < asked.ctas_per_sm && !has_room(more));
}

}  // namespace

std::int64_t candidate::ctas() const {
    return ceil_div(m, std::int64_t{cluster_m} * kernel->block_m) *
           ceil_div(n, std::int64_t{cluster_n} * kernel->block_n) * shared() * split_k * batch;
}

candidate detail::make_candidate(const kernel_desc& k, const gemm_request& of, bool swap_ab,
                                 const cluster_shape& cluster) {
    return {.kernel = &k,
            .swap_ab = swap_ab,
            .m = swap_ab ? of.n : of.m,
            .n = swap_ab ? of.m : of.n,
            .k_blocks = k_blocks_of(of.k, of),
            .split_k = cluster.split_k,
            .cluster_m = cluster.m,
            .cluster_n = cluster.n,
            .batch = of.batch};
}

candidate candidate_of(const gemm_plan& plan, const gemm_request& of) {
    candidate c = detail::make_candidate(*plan.kernel, of, plan.swap_ab,
                                         {plan.split_k, plan.cluster_m, plan.cluster_n});
    c.ctas_per_sm = plan.ctas_per_sm;
    return c;
}

gemm_plan plan_of(const candidate& c, double seconds) {
    return {.kernel = c.kernel,
            .swap_ab = c.swap_ab,
            .split_k = c.split_k,
            .cluster_m = c.cluster_m,
            .cluster_n = c.cluster_n,
            .ctas_per_sm = c.ctas_per_sm,
            .seconds = seconds};
}

bool is_better(const candidate& c, double seconds, const std::optional<gemm_plan>& than,
               const gemm_request& of) {
    if (!than) return true;
    if (of.asked.stream_k == choice::yes && than->kernel->stream_k != c.kernel->stream_k)
        return c.kernel->stream_k;
    return counted(seconds, *c.kernel, c.cluster_n) <
           counted(than->seconds, *than->kernel, than->cluster_n);
}

std::int64_t k_blocks_of(std::int64_t k, const gemm_request& of) {
    return ceil_div(of.bytes_of(k), line_bytes);
}

bool matches(const kernel_desc& kernel, const gemm_request& wanted, bool swap_ab) {
    // A and B are scaled in blocks of different shapes.
    if (swap_ab && wanted.accumulate == core::accumulation::blockwise) return false;
    return kernel.accumulate == wanted.accumulate &&
           kernel.a_type == (swap_ab ? wanted.b_type : wanted.a_type) &&
           kernel.b_type == (swap_ab ? wanted.a_type : wanted.b_type) &&
           kernel.a_major == (swap_ab ? wanted.b_major : wanted.a_major) &&
           kernel.b_major == (swap_ab ? wanted.a_major : wanted.b_major);
}

bool is_asked_for(const kernel_desc& kernel, const gemm_overrides& asked) {
    return (asked.block_m == 0 || kernel.block_m == asked.block_m) &&
           (asked.block_n == 0 || kernel.block_n == asked.block_n) &&
           kernel.schedule == asked.schedule.value_or(kernel.schedule) &&
           (kernel.block_m != asked.not_block_m || kernel.block_n != asked.not_block_n);
}

bool is_legal(const candidate& c, const gemm_request& of) {
    const kernel_desc& k = *c.kernel;
    if (!is_asked_for(k, of.asked) || !is_as_asked(c, of)) return false;
    if (k.is_persistent() && k.batched != (of.batch > 1)) return false;
    if (k.stream_k && (!has_partial_wave(c, of) || !pays(c, of))) return false;
    return c.split_k <= c.k_blocks && has_room(c) && writes_c(k, of, c.swap_ab);
}

}  // namespace carat::plan
