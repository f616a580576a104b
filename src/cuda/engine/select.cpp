#include "cuda/engine/select.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/scale.hpp"
#include "cuda/engine/architectures.hpp"
#include "cuda/engine/by_mma.hpp"
#include "cuda/engine/fastest.hpp"
#include "cuda/engine/tunables.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/gemv/product.hpp"
#include "cuda/families/mma/product.hpp"
#include "tuning/tuned.hpp"

namespace carat::cuda::engine {

namespace {

// Nothing is multiplied: C = beta C.
class scaling final : public gemm_product {
  public:
    explicit scaling(const core::problem& p) : problem_(p) {}
    void run(const launch_arguments& with, launch_cache*) const override {
        scale_c(problem_, with.data.c);
    }

  private:
    core::problem problem_;
};

bool is_degenerate(const core::problem& p) {
    return p.m == 0 || p.n == 0 || p.k == 0 || p.alpha == 0;
}

// Kernels that can do more to their sums than multiply them by alpha.
bool takes_fusion(const core::problem& p) {
    return core::is_storage_type(p.a_type) && p.c_type != dtype::i32;
}

struct way {
    plan::gemm_overrides asked;
    bool is_asked;  // something is
    const char* chosen_by;
};

// What was asked for, else what `carat tune` found on this GPU to be faster than what the model
// chooses.
way way_for(const core::problem& p, arithmetic how, const core::settings& asked) {
    if (!asked.tunables.empty()) return {overrides_of(asked), true, "as asked for"};
    if (!tuning::tuned().empty()) {
        const std::string device = describe(device_in_use()).name;
        const auto* const found =
            tuning::tuned().find(tuning::tuned_case(device, row_name(how), p), tunables());
        if (found != nullptr)
            return {overrides_of({1, *found}), true, "from the table of carat tune"};
    }
    return {{}, false, "from the model"};
}

plan::gemm_model model_in_use() {
    return {architecture_in_use()->kernels, costs_in_use()};
}

plan::gemm_request request_for(const gemm_task& task, const plan::gemm_overrides& asked) {
    plan::gemm_request of = architecture_in_use()->request(task);
    of.sms = sms_for_products();
    of.asked = asked;
    return of;
}

plan::gemm_request request_for(const core::problem& p, arithmetic how,
                               const plan::gemm_overrides& asked) {
    return request_for({p, accumulation_for(how, p.a_type), {}, {}, {}}, asked);
}

std::string reason_against_overrides(const core::problem& p, arithmetic how,
                                     const plan::gemm_overrides& asked) {
    if (architecture_in_use() == nullptr) return reason_against_mma(p, how, asked);
    if (!is_on_tensor_cores(how, p.a_type))
        return fma::reason_against(p, {asked.block_m, asked.block_n, asked.split_k});
    return plan::reason_against(request_for(p, how, asked), model_in_use());
}

// By wgmma, as it was asked for.
std::unique_ptr<const gemm_product> prepare_as_asked(const request& wanted, const way& chosen) {
    const gemm_task task = task_for_wgmma(wanted, chosen.is_asked);
    const plan::gemm_request of = request_for(task, chosen.asked);
    const bool is_batch = of.batch > 1;
    const plan::gemm_model model = model_in_use();
    const auto with = is_batch ? plan::plan_batch(of, model) : plan::plan_gemm(of, model);
    if (!with && is_batch) return nullptr;
    if (!with)
        throw error(error_code::invalid_argument,
                    plan::reason_against(of, model) + ", " + std::string(chosen.chosen_by));
    return architecture_in_use()->prepare(task, *with, chosen.chosen_by);
}

// To kernels that are not the tensor cores': those read what they add wherever it lies.
bool adds_alone(const request& wanted) {
    return wanted.fusion.changes_no_sum() && !is_on_tensor_cores(wanted.how, wanted.problem.a_type);
}

void check_fusion(const request& wanted) {
    const core::problem& p = wanted.problem;
    if (wanted.fusion.is_identity()) return;
    if (!takes_fusion(p) && !adds_alone(wanted))
        throw error(error_code::unsupported, "an epilogue is for f16, bf16 and fp8, not for " +
                                                 std::string(name(p.a_type)) +
                                                 ": take a kernel of your own after the product");
    if (is_degenerate(p) && p.m != 0 && p.n != 0)
        throw error(error_code::invalid_argument,
                    "alpha is " + std::to_string(p.alpha) + " and K is " + std::to_string(p.k) +
                        ": a fused product needs something to multiply, neither may be 0");
}

}  // namespace

std::string_view row_name(arithmetic how) {
    switch (how) {
        case arithmetic::native:
            return "cuda.engine";
        case arithmetic::tf32:
            return "cuda.engine.tf32";
        case arithmetic::three_tf32:
            return "cuda.engine.3xtf32";
        case arithmetic::fast_fp8:
            return "cuda.engine.fp8_fast";
        case arithmetic::fp8_blocks:
            return "cuda.engine.fp8_blocks";
    }
    return {};
}

bool is_on_tensor_cores(arithmetic how, dtype a_type) {
    return how != arithmetic::native || core::is_storage_type(a_type);
}

core::accumulation accumulation_for(arithmetic how, dtype a_type) {
    if (how == arithmetic::three_tf32) return core::accumulation::three_tf32;
    if (how == arithmetic::fp8_blocks) return core::accumulation::blockwise;
    const bool promotes = how == arithmetic::native && is_fp8(a_type);
    return promotes ? core::accumulation::promoted : core::accumulation::native;
}

std::string reason_against(const core::problem& p, arithmetic how, const core::settings& s) {
    // What was asked for comes first: a type or tile that exists nowhere is not this device's
    // fault.
    if (std::string why = core::reason_against_types(signatures_of(how), p); !why.empty())
        return why;
    if (std::string why = core::reason_against_tunables(tunables(), s.tunables); !why.empty())
        return why;
    if (std::string why = unavailable_in_use(); !why.empty()) return why;
    if (std::string why = reason_against_device(p.a_type); !why.empty()) return why;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 512;
    const auto tiles = [](std::int64_t extent) { return (extent + 127) / 128; };
    if (std::max({p.m, p.n, p.k}) > most || tiles(p.m) * tiles(p.n) > most)
        return "sizes beyond 2^31 are not for this engine: take another implementation";
    // Big and small parts lie behind each other along K, in places of 32 bits.
    constexpr std::int64_t deepest_split = std::int64_t{1} << 30;
    if (how == arithmetic::three_tf32 && p.k > deepest_split)
        return "K is " + std::to_string(p.k) +
               " and numbers in halves reach to 2^30: take another implementation";
    if (std::string why = core::reason_against_factors(p); !why.empty()) return why;
    if (s.tunables.empty() || is_degenerate(p)) return {};
    return reason_against_overrides(p, how, overrides_of(s));
}

std::unique_ptr<const gemm_product> prepare(const request& wanted, const core::settings& s) {
    const core::problem& p = wanted.problem;
    check_fusion(wanted);
    if (is_degenerate(p)) return std::make_unique<scaling>(p);
    if (architecture_in_use() == nullptr) return prepare_by_mma(wanted, overrides_of(s));
    const way chosen = way_for(p, wanted.how, s);
    if (chosen.is_asked) {
        if (is_on_tensor_cores(wanted.how, p.a_type)) return prepare_as_asked(wanted, chosen);
        return fma::prepare(
            {p, core::accumulation::native, wanted.fusion, wanted.aligned, wanted.batch},
            {chosen.asked.block_m, chosen.asked.block_n, chosen.asked.split_k});
    }
    const bool is_plain =
        wanted.how == arithmetic::native && (wanted.fusion.is_identity() || adds_alone(wanted));
    if (is_plain && gemv::takes(p, wanted.batch.count)) return gemv::prepare(p, wanted.batch.count);
    return prepare_fastest(wanted);
}

std::unique_ptr<const gemm_product> prepare_glu(const request& wanted, const core::settings& s) {
    const core::problem& p = wanted.problem;
    const core::problem whole = multiplied(p, wanted.fusion);
    if (architecture_in_use() == nullptr || is_degenerate(p) || !takes_fusion(p) ||
        !reason_against(whole, wanted.how, {}).empty())
        return nullptr;
    const plan::gemm_request of = request_for(whole, wanted.how, overrides_of(s));
    const auto with = plan::plan_glu(of, model_in_use());
    if (!with) return nullptr;
    return architecture_in_use()->prepare({p, of.accumulate, wanted.fusion, wanted.aligned, {}},
                                          *with,
                                          s.tunables.empty() ? "from the model" : "as asked for");
}

bool stores_glu(const core::problem& p, const core::operands& data) {
    const architecture* const on = architecture_in_use();
    return on != nullptr && on->stores_glu(p, data);
}

std::optional<layout_class> layout_in_group(const grouped& member, arithmetic how) {
    const architecture* const on = architecture_in_use();
    if (on == nullptr || !is_on_tensor_cores(how, member.problem.a_type)) return std::nullopt;
    return on->layout_in_group(member, accumulation_for(how, member.problem.a_type));
}

plan::group_plan plan_group(std::span<const grouped> all, arithmetic how,
                            const layout_class& layout, int split_k, bool share_rows) {
    std::vector<plan::product_size> sizes;
    sizes.reserve(all.size());
    for (const grouped& g : all) sizes.push_back({g.problem.m, g.problem.n, g.problem.k});
    plan::gemm_request like = request_for(all.front().problem, how, {.split_k = split_k});
    like.a_major = layout.a;
    like.b_major = layout.b;
    like.c_by_rows = layout.c_by_rows;
    return plan::plan_group(like, sizes, model_in_use(), share_rows);
}

std::unique_ptr<const gemm_product> prepare_rows(const request& wanted,
                                                 const plan::gemm_plan& with) {
    const core::problem& p = wanted.problem;
    return architecture_in_use()->prepare(
        {p, accumulation_for(wanted.how, p.a_type), wanted.fusion, wanted.aligned, wanted.batch},
        with, "for a group");
}

namespace {

// As many as there may be, of one size: how they really are nobody knows yet.
std::vector<plan::product_size> likely_sizes(const request& wanted, bool along_k) {
    const core::problem& p = wanted.problem;
    const std::int64_t shared = along_k ? p.k : p.m;
    const std::int64_t count = std::clamp<std::int64_t>(wanted.batch.count, 1, shared);
    const std::int64_t each = (shared + count - 1) / count;
    const std::int64_t products = wanted.how == arithmetic::three_tf32 ? 3 : 1;
    const plan::product_size size = along_k ? plan::product_size{p.m, p.n, each * products}
                                            : plan::product_size{each, p.n, p.k * products};
    return std::vector<plan::product_size>(
        static_cast<std::size_t>(along_k ? wanted.batch.count : count), size);
}

[[noreturn]] void refuse_ragged(const core::problem& p) {
    throw error(error_code::unsupported,
                "on a GPU products of " + std::string(name(p.a_type)) +
                    " whose sizes lie in its memory can't be read or stored so: those that "
                    "share out K are of f64, f32, f16 or bf16, without an epilogue unless rows "
                    "of A^T and B are contiguous, and all have contiguous rows or columns; "
                    "copy them, or give carat::listed matrices");
}

// Kernels that read operands wherever they lie, of f64, f32, f16 and bf16.
std::unique_ptr<const gemm_product> prepare_ragged_in_place(const request& wanted,
                                                            const ragged_way& way) {
    const gemm_task task{wanted.problem, core::accumulation::native, wanted.fusion, wanted.aligned,
                         wanted.batch};
    const auto how = wanted.how == arithmetic::tf32 ? mma::arithmetic::tf32 : mma::arithmetic::own;
    if (!mma::takes(task, how)) refuse_ragged(wanted.problem);
    gemm_task each = task;
    const plan::product_size size = likely_sizes(wanted, way.along_k).front();
    each.problem.m = size.m;
    if (way.along_k) each.problem.k = std::max<std::int64_t>(1, size.k);
    return mma::prepare(task, how, mma::planned_row(each, how));
}

// K is shared out by maps that begin with any of its lines, where both operands lie across it. Big
// and small parts lie behind each other along K: there is one K for all.
bool is_shared_out_by_tma(const plan::gemm_request& like, const request& wanted, bool along_k) {
    if (!is_on_tensor_cores(wanted.how, wanted.problem.a_type)) return false;
    return !along_k ||
           (wanted.how != arithmetic::three_tf32 && like.a_major == core::operand_major::mn &&
            like.b_major == core::operand_major::mn);
}

}  // namespace

std::unique_ptr<const gemm_product> prepare_ragged(const request& wanted, const ragged_way& way) {
    check_fusion(wanted);
    if (architecture_in_use() == nullptr) {
        core::problem likely = wanted.problem;
        const plan::product_size size = likely_sizes(wanted, way.along_k).front();
        likely.m = size.m;
        if (way.along_k) likely.k = size.k;
        auto made = prepare_ragged_by_mma(wanted, likely, way.along_k);
        if (made == nullptr) refuse_ragged(wanted.problem);
        return made;
    }
    core::problem seen = wanted.problem;
    // Rows of one k each 1 apart would be lines across K as well.
    if (!way.along_k) seen.a_layout = core::row_major(std::max<std::int64_t>(2, seen.k));
    const plan::gemm_request like = request_for(seen, wanted.how, {.split_k = way.split_k});
    if (!is_shared_out_by_tma(like, wanted, way.along_k))
        return prepare_ragged_in_place(wanted, way);
    const plan::group_plan with =
        plan::plan_group(like, likely_sizes(wanted, way.along_k), model_in_use(), way.stores_rows);
    if (with.plan.kernel == nullptr) return prepare_ragged_in_place(wanted, way);
    gemm_task task{wanted.problem, accumulation_for(wanted.how, wanted.problem.a_type),
                   wanted.fusion, wanted.aligned, wanted.batch};
    task.a_along_k = !way.along_k;
    return architecture_in_use()->prepare(task, with.plan, "for a ragged group");
}

std::unique_ptr<const gemm_product> prepare_group(const request& like, const layout_class& layout,
                                                  const plan::gemm_plan& with) {
    const core::problem& p = like.problem;
    return architecture_in_use()->prepare_group(
        {p, accumulation_for(like.how, p.a_type), like.fusion, {}, {}}, layout, with);
}

}  // namespace carat::cuda::engine
