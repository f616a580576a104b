#include "cuda/families/mma/choose.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "core/dtype_traits.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/sms.hpp"
#include "cuda/families/mma/lean_product.hpp"
#include "cuda/families/mma/multistage_product.hpp"
#include "cuda/families/mma/packed_product.hpp"
#include "cuda/families/mma/product.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::mma {

namespace {

// What is asked for; 0: choose.
struct asked_tile {
    int block_m = 0;
    int block_n = 0;
    int splits = 0;                // of K, at most
    bool batch_invariant = false;  // a row's sums don't depend on which tile it is in
};

// K in one part is what a batch-invariant call asks for (settings_for()).
asked_tile tile_of(const plan::gemm_overrides& asked) {
    return {asked.block_m, asked.block_n, asked.split_k, asked.split_k == 1};
}

enum class tile_kind : std::uint8_t { small, lean, large };

// One row of a kind of tiles, and what it needs packed.
struct candidate {
    tile_kind kind;
    std::size_t row;
    packed_operands packs;
    int splits;
    double seconds;
};

double packing_s(const core::gpu_call& call, packed_operands which) {
    return plan::seconds_of(bytes_packed(call, which), costs_in_use().packing);
}

class candidates {
  public:
    candidates(const core::gpu_call& call, const asked_tile& asked) : call_(call), asked_(asked) {
        if (has_small_tiles(call.problem.a_type, call.arithmetic)) add_small();
        if (is_lean(call)) add_lean();
        // Small tiles of tf32 number K in another order within a step.
        if (call.arithmetic != core::gpu_arithmetic::tf32 || !asked.batch_invariant) add_large();
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
    void add_small() {
        packed_operands packs;
        if (!reads(call_)) packs = {true, true};
        const core::gpu_call read = packed(call_, packs);
        if (!reads(read)) return;
        const auto tiles = tiles_for(call_.problem.a_type, call_.arithmetic);
        const std::size_t count = tiles_with_room(read);
        const double packed_s = packing_s(call_, packs);
        const plan::batch_request of = request_for(read, sms_for_products());
        for (std::size_t row = 0; row < count; ++row) {
            const kernel_desc& tile = tiles[row];
            if (!is_asked(tile.block_m, tile.block_n) ||
                (asked_.batch_invariant && tile.k_groups > 1))
                continue;
            each_split(of, tile, [&](int splits) {
                all_.push_back({tile_kind::small, row, packs, splits,
                                packed_s + predicted_s(read, row, splits)});
            });
        }
    }
    void add_lean() {
        for (std::size_t row = 0; row < lean_tiles.size(); ++row)
            if (is_asked(lean_tiles[row].block_m, lean_tiles[row].block_n))
                all_.push_back({tile_kind::lean, row, {}, 1, predicted_lean_s(call_, row)});
    }
    void add_large() {
        const packed_operands packs = packs_for_multistage(call_);
        const core::gpu_call read = packed(call_, packs);
        const double packed_s = packing_s(call_, packs);
        const plan::batch_request of = request_for(read, sms_for_products());
        const auto tiles = multistage_tiles(call_.problem.a_type, call_.arithmetic);
        for (std::size_t row = 0; row < tiles.size(); ++row) {
            if (!is_asked(tiles[row].block_m, tiles[row].block_n) || !has_room_for(call_, row))
                continue;
            each_split(of, tiles[row], [&](int splits) {
                all_.push_back({tile_kind::large, row, packs, splits,
                                packed_s + predicted_multistage_s(read, row, splits)});
            });
        }
    }
    void each_split(const plan::batch_request& of, const auto& tile, const auto& visit) const {
        for (const int splits : plan::counts_of_parts)
            if ((asked_.splits == 0 || splits <= asked_.splits) &&
                plan::may_share_k(of, {tile.block_m, tile.block_n, tile.ctas_per_sm}, splits,
                                  static_cast<int>(size_bytes(call_.problem.a_type))))
                visit(splits);
    }

    const core::gpu_call& call_;
    asked_tile asked_;
    std::vector<candidate> all_;
};

constexpr std::string_view large = "multistage";
constexpr std::string_view lean = "lean";
constexpr std::string_view small = "read where they lie";

std::string_view schedule_of(tile_kind kind) {
    return kind == tile_kind::large ? large : kind == tile_kind::lean ? lean : small;
}

plan::gpu_plan plan_of(const candidate& c, const core::gpu_call& call) {
    const dtype type = call.problem.a_type;
    plan::gpu_plan with{.family = "mma",
                        .row = c.row,
                        .schedule = schedule_of(c.kind),
                        .split_k = c.splits,
                        .packs_a = c.packs.a,
                        .packs_b = c.packs.b,
                        .seconds = c.seconds};
    const auto has = [&](const auto& tile) {
        with.block_m = tile.block_m;
        with.block_n = tile.block_n;
    };
    if (c.kind == tile_kind::large)
        has(multistage_tiles(type, call.arithmetic)[c.row]);
    else if (c.kind == tile_kind::lean)
        has(lean_tiles[c.row]);
    else
        has(tiles_for(type, call.arithmetic)[c.row]);
    return with;
}

std::optional<plan::gpu_plan> plan_of(const candidate* c, const core::gpu_call& call) {
    return c == nullptr ? std::nullopt : std::optional(plan_of(*c, call));
}

// Small tiles that read operands where they lie, beside a family that answers.
std::optional<plan::gpu_plan> choose_in_place(const core::gpu_call& call) {
    if (!takes(call)) return std::nullopt;
    const plan::batch_tile_plan found = planned(call);
    candidate best{tile_kind::small, found.row, {}, found.splits, found.seconds};
    if (!is_lean(call)) return plan_of(best, call);
    for (std::size_t row = 0; row < lean_tiles.size(); ++row) {
        const double seconds = predicted_lean_s(call, row);
        if (seconds < best.seconds) best = {tile_kind::lean, row, {}, 1, seconds};
    }
    return plan_of(best, call);
}

// 3xTF32's parts need one K, or lines that begin so: of those that share out rows or K f32's own
// arithmetic needs neither.
core::gpu_call as_multiplied(core::gpu_call call) {
    const bool has_parts = call.arithmetic == core::gpu_arithmetic::three_tf32;
    if (call.products.is_ragged() && has_parts) call.arithmetic = core::gpu_arithmetic::native;
    return call;
}

// One of those that share out rows or K, packed or not.
core::gpu_call likely_one(core::gpu_call call, packed_operands packs) {
    const core::problem each = call.likely();
    call = packed(call, packs);
    call.problem.m = each.m;
    call.problem.k = std::max<std::int64_t>(1, each.k);
    return call;
}

// Small tiles read lines or depths that begin anywhere, as shared out ones do. Only the rows of
// bytes can be shared out; one that doesn't begin at a multiple of 16 bytes is packed.
std::optional<plan::gpu_plan> choose_ragged(const core::gpu_call& call, bool may_pack) {
    if (has_small_tiles(call.problem.a_type, call.arithmetic)) {
        packed_operands packs;
        if (may_pack && !reads(call)) packs = {true, true};
        if (may_pack ? !reads(packed(call, packs)) : !takes(call)) return std::nullopt;
        const plan::batch_tile_plan found = planned(likely_one(call, packs));
        return plan_of({tile_kind::small, found.row, packs, 1, found.seconds}, call);
    }
    if (!may_pack || call.products.are == core::multiplicity::depth) return std::nullopt;
    const packed_operands packs = packs_for_multistage(call);
    const core::gpu_call each = likely_one(call, packs);
    const candidates all(each, {.splits = 1});
    auto best = plan_of(all.fastest(), call);
    if (best) best->packs_a = packs.a, best->packs_b = packs.b;
    return best;
}

std::optional<plan::gpu_plan> choose(const core::gpu_call& given, const plan_wish& wish) {
    if (given.is_degenerate() || given.epilogue.is_glu) return std::nullopt;
    // No kernel here reads a table of addresses, so listed products are multiplied one by one.
    if (given.products.are == core::multiplicity::listed)
        return wish.answers ? std::optional(plan::gpu_plan{.family = "mma", .one_by_one = true})
                            : std::nullopt;
    const core::gpu_call call = as_multiplied(given);
    if (call.products.is_ragged()) return choose_ragged(call, wish.answers);
    if (!wish.answers) return choose_in_place(call);
    const candidates all(call, tile_of(wish.asked));
    return plan_of(all.fastest(), call);
}

std::unique_ptr<const gemm_product> prepare_row(const core::gpu_call& given,
                                                const plan::gpu_plan& with) {
    const core::gpu_call call = as_multiplied(given);
    if (with.schedule == lean) return prepare_lean(call, with.row);
    const bool is_large = with.schedule == large;
    const bool across_k = is_large && packs_for_multistage(call).across_k;
    return prepare_packed(call, {with.packs_a, with.packs_b, across_k},
                          [&](const core::gpu_call& read) {
                              return is_large ? prepare_multistage(read, with.row, with.split_k)
                                              : prepare(read, with.row, with.split_k);
                          });
}

std::string why_not(const core::gpu_call& call, const plan::gemm_overrides& asked) {
    if (asked.schedule || asked.stream_k == plan::choice::yes ||
        asked.arrives > plan::arrival::ready || asked.ctas_per_sm != 0)
        return "kernels of mma have no schedule, stream_k, turned or ctas_per_sm to choose: leave "
               "those out";
    if (asked.block_m == 0 && asked.block_n == 0) return {};
    const dtype type = call.problem.a_type;
    std::set<std::pair<int, int>> known;
    if (has_small_tiles(type, call.arithmetic))
        for (const kernel_desc& tile : tiles_for(type, call.arithmetic))
            known.emplace(tile.block_m, tile.block_n);
    for (const multistage_desc& tile : multistage_tiles(type, call.arithmetic))
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

std::string dotted(int compute_capability) {
    return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

constexpr int least = 75;

std::string begins_later(const std::string& what, int first, int compute_capability) {
    return what + " at compute capability " + dotted(first) + " and this GPU has " +
           dotted(compute_capability) + ": ";
}

std::string why_not_on(const device_facts& gpu) {
    if (gpu.compute_capability >= least) return {};
    return begins_later("its kernels begin", least, gpu.compute_capability) +
           "take another implementation";
}

// What some GPUs lack, the first compute capability that has it, and what to do without it.
struct requirement {
    std::string_view what;
    int first;
    std::string_view instead;
};

requirement requirement_of(dtype element, core::gpu_arithmetic how) {
    if (is_fp8(element)) return {"fp8", 89, "convert A and B to f16"};
    if (element == dtype::bf16) return {"bf16", 80, "convert A and B to f16"};
    if (how == core::gpu_arithmetic::tf32) return {"tf32", 80, "compute in f32"};
    if (how == core::gpu_arithmetic::three_tf32) return {"3xTF32", 80, "compute in f32"};
    return {"mma.sync", least, "take another implementation"};
}

bool is_for(const core::gpu_call&) {
    return true;
}

}  // namespace

std::string reason_against(dtype element, core::gpu_arithmetic how, int compute_capability,
                           int compiled_for) {
    device_facts gpu;
    gpu.compute_capability = compute_capability;
    if (std::string why = why_not_on(gpu); !why.empty()) return why;
    const requirement needs = requirement_of(element, how);
    const std::string what(needs.what);
    const std::string instead(needs.instead);
    if (compute_capability < needs.first)
        return begins_later(what + " begins", needs.first, compute_capability) + instead;
    if (compiled_for >= needs.first) return {};
    return what + " needs code for compute capability " + dotted(needs.first) +
           " or later, and this build holds code for " + dotted(compiled_for) +
           ": build with CARAT_GPUS=native, or " + instead;
}

const family& row() {
    static constexpr family all = {.name = "mma",
                                   .why_not_on = why_not_on,
                                   .is_for = is_for,
                                   .why_not = why_not,
                                   .choose = choose,
                                   .prepare = prepare_row};
    return all;
}

}  // namespace carat::cuda::mma
