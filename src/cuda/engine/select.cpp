#include "cuda/engine/select.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"
#include "cuda/common/built_types.hpp"
#include "cuda/engine/arithmetic.hpp"
#include "cuda/engine/families.hpp"
#include "cuda/engine/tunables.hpp"
#include "tuning/tuned.hpp"

namespace carat::gpu_engine {

namespace {

// What was asked for, else what `carat tune` found on this GPU to be faster than what the model
// chooses. Those that share out rows or K have no such choice.
cuda::plan_wish wish_for(const core::gpu_call& call, const core::settings& asked) {
    if (call.products.is_ragged()) return {};
    if (!asked.tunables.empty())
        return {.asked = overrides_of(asked), .is_asked = true, .chosen_by = "as asked for"};
    if (tuning::tuned().empty() || call.is_degenerate() || call.epilogue.is_glu) return {};
    const std::string device = cuda::describe(cuda::device_in_use()).name;
    const auto* const found = tuning::tuned().find(
        tuning::tuned_case(device, row_name(call.arithmetic), call.problem), tunables());
    if (found == nullptr) return {};
    return {.asked = overrides_of({1, *found}),
            .is_asked = true,
            .chosen_by = "from the table of carat tune"};
}

// Whether the call is for kernels without tensor cores, which read E wherever it lies.
bool adds_alone(const core::gpu_call& call) {
    return !call.epilogue.changes_sums && !call.is_on_tensor_cores();
}

void check_fusion(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    if (call.epilogue.is_identity()) return;
    if (!takes_fusion(p) && !adds_alone(call))
        throw error(error_code::unsupported, "an epilogue is for f16, bf16 and fp8, not for " +
                                                 std::string(name(p.a_type)) +
                                                 ": take a kernel of your own after the product");
    if (call.is_degenerate() && p.m != 0 && p.n != 0)
        throw error(error_code::invalid_argument,
                    "alpha is " + std::to_string(p.alpha) + " and K is " + std::to_string(p.k) +
                        ": a fused product needs something to multiply, neither may be 0");
}

// The least predicted time of all families wins; of products that share out rows or K the first
// plan, since nobody knows their sizes. What is asked for is for the family that answers.
std::optional<plan::gpu_plan> fastest(const core::gpu_call& call, cuda::plan_wish wish) {
    std::optional<plan::gpu_plan> best;
    const cuda::family& first = answering(call);
    for (const cuda::family* const one : families_in_use()) {
        wish.answers = one == &first;
        if (wish.is_asked && !wish.answers) continue;
        const auto found = one->choose(call, wish);
        if (!found || (best && found->seconds >= best->seconds)) continue;
        best = found;
        if (call.products.is_ragged() || best->seconds == 0) break;
    }
    return best;
}

[[noreturn]] void refuse(const core::gpu_call& call, const cuda::plan_wish& wish) {
    const std::string type(name(call.problem.a_type));
    if (call.products.is_ragged())
        throw error(error_code::unsupported,
                    "on a GPU, products of " + type +
                        " whose sizes lie in its memory don't take such matrices: all need "
                        "contiguous rows or columns, and where they divide K the type must be f64, "
                        "f32, f16 or bf16, and an epilogue needs contiguous rows of A^T and B; "
                        "copy them, or give carat::listed matrices");
    if (const std::string why = answering(call).why_not(call, wish.asked); !why.empty())
        throw error(error_code::invalid_argument, why + ", " + std::string(wish.chosen_by));
    throw error(error_code::unsupported,
                "on this GPU no kernel of " + std::string(answering(call).name) +
                    " has room for products of " + type + ": take another implementation");
}

// Whether kernels might take its gates on the way to C.
bool may_be_glu(const core::gpu_call& call) {
    core::gpu_call whole{.problem = call.multiplied(), .arithmetic = call.arithmetic};
    return !call.is_degenerate() && takes_fusion(call.problem) && reason_against(whole, {}).empty();
}

}  // namespace

bool takes_fusion(const core::problem& p) {
    return core::is_storage_type(p.a_type) && p.c_type != dtype::i32;
}

// Bits of a row of C depend on how K is cut, and on nothing else that the plan chooses. For 3xTF32
// they also depend on whether A's or B's small parts come first, which swapping A and B changes.
core::settings settings_for(const core::gpu_call& call) {
    core::settings s;
    // CTAs that multicast need not be of one product.
    if (call.products.are == core::multiplicity::listed)
        for (const char* const tiles : {"cluster_m", "cluster_n"}) s.tunables.emplace(tiles, 1);
    if (!call.batch_invariant) return s;
    s.tunables.emplace("split_k", 1);
    if (call.arithmetic == core::gpu_arithmetic::three_tf32) s.tunables.emplace("swap_ab", 1);
    return s;
}

std::string reason_against(const core::gpu_call& call, const core::settings& s) {
    const core::problem& p = call.problem;
    // What was asked for comes first: a type or tile that exists nowhere is not this device's
    // fault.
    if (std::string why = core::reason_against_types(signatures_of(call.arithmetic), p);
        !why.empty())
        return why;
    if (std::string why = core::reason_against_tunables(tunables(), s.tunables); !why.empty())
        return why;
    if (std::string why = cuda::unavailable_in_use(); !why.empty()) return why;
    if (std::string why = cuda::why_not_built(p.a_type, call.arithmetic); !why.empty()) return why;
    if (std::string why = reason_against_device(call); !why.empty()) return why;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 512;
    const auto tiles = [](std::int64_t extent) { return (extent + 127) / 128; };
    if (std::max({p.m, p.n, p.k}) > most || tiles(p.m) * tiles(p.n) > most)
        return "sizes beyond 2^31 are not for this engine: take another implementation";
    // Big and small parts lie behind each other along K, in places of 32 bits.
    constexpr std::int64_t deepest_split = std::int64_t{1} << 30;
    if (call.arithmetic == core::gpu_arithmetic::three_tf32 && p.k > deepest_split)
        return "K is " + std::to_string(p.k) +
               " and numbers in halves reach to 2^30: take another implementation";
    if (std::string why = core::reason_against_factors(p); !why.empty()) return why;
    if (s.tunables.empty() || call.is_degenerate()) return {};
    return answering(call).why_not(call, overrides_of(s));
}

std::optional<plan::gpu_plan> choose(const core::gpu_call& call, const core::settings& s) {
    const bool is_glu = call.epilogue.is_glu;
    if (!is_glu) check_fusion(call);
    if (is_glu && !may_be_glu(call)) return std::nullopt;
    const cuda::plan_wish wish = wish_for(call, s);
    const auto best = fastest(call, wish);
    if (!best && !is_glu) refuse(call, wish);
    return best && !best->one_by_one ? best : std::nullopt;
}

std::optional<plan::gpu_plan> runner_up(const core::gpu_call& call, const core::settings& s,
                                        const plan::gpu_plan& first) {
    cuda::plan_wish wish = wish_for(call, s);
    if (wish.is_asked || call.products.is_ragged()) return std::nullopt;
    wish.asked.not_block_m = first.block_m;
    wish.asked.not_block_n = first.block_n;
    std::optional<plan::gpu_plan> best;
    for (const cuda::family* const one : families_in_use()) {
        wish.answers = one == &answering(call);
        const auto found = one->choose(call, wish);
        const bool is_other = found && !(found->family == first.family && found->row == first.row &&
                                         found->seconds == first.seconds);
        if (is_other && (!best || found->seconds < best->seconds)) best = found;
    }
    return best;
}

std::unique_ptr<const cuda::gemm_product> prepare(const core::gpu_call& call,
                                                  const plan::gpu_plan& with) {
    const auto of = std::ranges::find(families_in_use(), with.family, &cuda::family::name);
    return (*of)->prepare(call, with);
}

std::unique_ptr<const cuda::gemm_product> prepare(const core::gpu_call& call,
                                                  const core::settings& s) {
    const auto with = choose(call, s);
    return with ? prepare(call, *with) : nullptr;
}

bool stores_glu(const core::problem& p, const core::operands& data) {
    const cuda::family* const on = grouping_family();
    return on != nullptr && on->groups->stores_glu(p, data);
}

std::optional<cuda::layout_class> layout_in_group(const core::gpu_product& member,
                                                  core::gpu_arithmetic how) {
    const cuda::family* const on = grouping_family();
    return on == nullptr ? std::nullopt : on->groups->layout(member, how);
}

core::gpu_call any_of_group(const core::gpu_call& call, const cuda::layout_class& layout) {
    constexpr std::int64_t extent = 1024;  // any that is aligned: sizes come with the products
    const auto along = [](bool rows) {
        return rows ? core::row_major(extent) : core::column_major(extent);
    };
    core::gpu_call any = call;
    any.problem.m = any.problem.n = any.problem.k = extent;
    any.problem.a_layout = along(layout.a == core::operand_major::k);
    any.problem.b_layout = along(layout.b == core::operand_major::mn);
    any.problem.c_layout = along(layout.c_by_rows);
    any.e_layout = any.problem.c_layout;
    any.aligned = {};
    any.products = {core::multiplicity::sized};
    return any;
}

cuda::group_choice choose_group(const core::gpu_call& call, std::span<const core::gpu_product> all,
                                const cuda::layout_class& layout, bool share_rows) {
    return grouping_family()->groups->choose(call, all, layout, share_rows);
}

}  // namespace carat::gpu_engine
