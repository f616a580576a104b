#include "cuda/families/mma/choose.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "core/dtype_traits.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/families/mma/multistage_product.hpp"
#include "cuda/families/mma/packed_product.hpp"
#include "cuda/families/mma/product.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::mma {

namespace {

// What small tiles can do of it, if anything.
std::optional<arithmetic> small_arithmetic(dtype a_type, products_of how) {
    const bool is_own = is_half(a_type) || a_type == dtype::f32 || a_type == dtype::f64;
    if (how == products_of::own && is_own) return arithmetic::own;
    if (how == products_of::tf32) return arithmetic::tf32;
    return std::nullopt;
}

// One row of either kind of tiles, and what it needs packed.
struct candidate {
    bool is_large;
    std::size_t row;
    packed_operands packs;
    int splits;
    double seconds;
};

double packing_s(const gemm_task& task, packed_operands which) {
    const core::problem& p = task.problem;
    const auto bytes = [&](std::int64_t elements) {  // read and written
        return 2.0 * static_cast<double>(core::bytes_of(p.a_type, elements));
    };
    plan::packed_first first;
    if (which.a) first.columns += bytes(p.m * p.k * task.batch.matrices_a());
    if (which.b) first.columns += bytes(p.n * p.k * task.batch.matrices_b());
    return plan::seconds_of(first, costs_in_use().packing);
}

// Of large tiles on an H100, as the small ones' costs are (costs.hpp): what a multiprocessor does
// in a second with tiles of 128 x 256, and what its CTAs begin and end with. Not fitted.
double large_s(const gemm_task& task, products_of how, const multistage_desc& tile, int splits) {
    constexpr double launch_s = 2.3e-6;
    constexpr double cta_s = 2.5e-6;
    constexpr double bytes_of_k_per_s = 8e12;  // 2 flop for each byte of K, by each place of C
    constexpr double gathering_s = 2e-6;
    constexpr double sums_per_s = 2.5e10;  // that a CTA leaves or finds
    const core::problem& p = task.problem;
    const double places = tile.block_m * tile.block_n;
    const double share = places >= 128 * 256 ? 1 : places >= 128 * 128 ? 0.9 : 0.5;
    const double products = how == products_of::three_tf32 ? 3 : 1;
    const std::int64_t ctas = plan::ceil_div(p.m, tile.block_m) *
                              plan::ceil_div(p.n, tile.block_n) * task.batch.count * splits;
    const std::int64_t sms = describe(device_in_use()).multiprocessors;
    const std::int64_t on_sm = std::min<std::int64_t>(tile.ctas_per_sm, plan::ceil_div(ctas, sms));
    const auto waves = static_cast<double>(plan::ceil_div(ctas, sms * on_sm));
    const double work = products * places * static_cast<double>(on_sm * p.k) / splits * 2 *
                        static_cast<double>(size_bytes(p.a_type));
    const double gathering = splits == 1 ? 0 : gathering_s + (1 + splits) * places / sums_per_s;
    return launch_s + waves * (cta_s + work / (share * bytes_of_k_per_s)) + gathering;
}

class candidates {
  public:
    candidates(const gemm_task& task, products_of how, const asked_tile& asked)
        : task_(task), how_(how), asked_(asked) {
        if (const auto small = small_arithmetic(task.problem.a_type, how)) add_small(*small);
        // Small tiles of tf32 number K in another order within a step.
        if (how != products_of::tf32 || !asked.batch_invariant) add_large();
    }

    [[nodiscard]] const candidate* fastest() const {
        const auto found = std::ranges::min_element(all_, {}, &candidate::seconds);
        return found == all_.end() ? nullptr : &*found;
    }

  private:
    [[nodiscard]] bool is_asked(int block_m, int block_n) const {
        return (asked_.block_m == 0 || asked_.block_m == block_m) &&
               (asked_.block_n == 0 || asked_.block_n == block_n);
    }

    // Groups of warps that share K add their sums up in another order.
    void add_small(arithmetic how) {
        packed_operands packs;
        if (!reads(task_, how)) packs = {true, true};
        const gemm_task read = packed(task_, packs);
        if (!reads(read, how)) return;
        const auto tiles = tiles_for(task_.problem.a_type, how);
        for (std::size_t row = 0; row < tiles.size(); ++row) {
            const kernel_desc& tile = tiles[row];
            if (!is_asked(tile.block_m, tile.block_n) ||
                (asked_.batch_invariant && tile.k_groups > 1))
                continue;
            all_.push_back(
                {false, row, packs, 1, packing_s(task_, packs) + predicted_s(read, how, row)});
        }
    }
    void add_large() {
        const packed_operands packs{!multistage_reads_a(task_), !multistage_reads_b(task_)};
        const auto tiles = multistage_tiles(task_.problem.a_type, how_);
        for (std::size_t row = 0; row < tiles.size(); ++row) {
            if (!is_asked(tiles[row].block_m, tiles[row].block_n) ||
                !has_room_for(task_, how_, row))
                continue;
            for (int splits = 1; splits == 1 || splits <= most_splits(tiles[row]); splits *= 2)
                all_.push_back(
                    {true, row, packs, splits,
                     packing_s(task_, packs) + large_s(task_, how_, tiles[row], splits)});
        }
    }
    // As long as CTAs that share K leave SMs idle, and each has K enough.
    [[nodiscard]] int most_splits(const multistage_desc& tile) const {
        constexpr std::int64_t least_k_bytes = 512;
        const core::problem& p = task_.problem;
        const std::int64_t tiles = plan::ceil_div(p.m, tile.block_m) *
                                   plan::ceil_div(p.n, tile.block_n) * task_.batch.count;
        const std::int64_t room =
            std::int64_t{describe(device_in_use()).multiprocessors} * tile.ctas_per_sm / tiles;
        const std::int64_t deep =
            p.k * static_cast<std::int64_t>(size_bytes(p.a_type)) / least_k_bytes;
        const std::int64_t asked = asked_.batch_invariant ? 1 : asked_.splits;
        return static_cast<int>(std::min({room, deep, asked == 0 ? std::int64_t{16} : asked}));
    }

    const gemm_task& task_;
    products_of how_;
    asked_tile asked_;
    std::vector<candidate> all_;
};

}  // namespace

std::string reason_against_tile(const core::problem& p, products_of how, const asked_tile& asked) {
    std::set<std::pair<int, int>> known;
    if (const auto small = small_arithmetic(p.a_type, how))
        for (const kernel_desc& tile : tiles_for(p.a_type, *small))
            known.emplace(tile.block_m, tile.block_n);
    for (const multistage_desc& tile : multistage_tiles(p.a_type, how))
        known.emplace(tile.block_m, tile.block_n);
    std::string list;
    for (const auto& [m, n] : known) {
        if ((asked.block_m == 0 || asked.block_m == m) &&
            (asked.block_n == 0 || asked.block_n == n))
            return {};
        list += (list.empty() ? "" : ", ") + std::to_string(m) + "x" + std::to_string(n);
    }
    return "there is no tile of " + std::to_string(asked.block_m) + " x " +
           std::to_string(asked.block_n) + " by mma.sync: take one of " + list;
}

std::unique_ptr<const gemm_product> prepare_any(const gemm_task& task, products_of how,
                                                const asked_tile& asked) {
    const candidates all(task, how, asked);
    const candidate* const best = all.fastest();
    if (best == nullptr) return nullptr;
    return prepare_packed(task, best->packs, [&](const gemm_task& read) {
        return best->is_large
                   ? prepare_multistage(read, how, best->row, best->splits)
                   : prepare(read, *small_arithmetic(read.problem.a_type, how), best->row);
    });
}

// Lines or depths that are shared out begin anywhere, as small tiles read them. Of bytes rows are
// shared out, each of which begins at a multiple of 16 bytes, packed where it does not.
std::unique_ptr<const gemm_product> prepare_any_ragged(const gemm_task& task, products_of how,
                                                       bool along_k, const core::problem& likely) {
    // Parts of 3xTF32 need one K, or lines that begin so: f32's own arithmetic needs neither.
    const products_of read_as = how == products_of::three_tf32 ? products_of::own : how;
    if (const auto small = small_arithmetic(task.problem.a_type, read_as)) {
        packed_operands packs;
        if (!reads(task, *small)) packs = {true, true};
        const gemm_task read = packed(task, packs);
        if (!reads(read, *small)) return nullptr;
        gemm_task each = read;
        each.problem.m = likely.m;
        each.problem.k = std::max<std::int64_t>(1, likely.k);
        return prepare_packed(task, packs, [&](const gemm_task& given) {
            return prepare(given, *small, planned_row(each, *small));
        });
    }
    if (along_k) return nullptr;
    const packed_operands packs{!multistage_reads_a(task), !multistage_reads_b(task)};
    gemm_task each = packed(task, packs);
    each.problem.m = likely.m;
    const candidates all(each, how, {.splits = 1});
    const candidate* const best = all.fastest();
    if (best == nullptr) return nullptr;
    return prepare_packed(task, packs, [&](const gemm_task& given) {
        return prepare_multistage(given, how, best->row, 1);
    });
}

}  // namespace carat::cuda::mma
