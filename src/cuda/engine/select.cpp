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
#include "cuda/engine/arithmetic.hpp"
#include "cuda/engine/by_mma.hpp"
#include "cuda/engine/fastest.hpp"
#include "cuda/engine/tunables.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/gemv/product.hpp"
#include "cuda/families/mma/choose.hpp"
#include "cuda/families/mma/product.hpp"
#include "tuning/tuned.hpp"

namespace carat::gpu_engine {

namespace {

// Nothing is multiplied: C = beta C.
class scaling final : public cuda::gemm_product {
  public:
    explicit scaling(const core::problem& p) : problem_(p) {}
    bool run(const cuda::bindings& with) const override {
        cuda::scale_c(problem_, with.data.c);
        return true;
    }

  private:
    core::problem problem_;
};

bool is_degenerate(const core::problem& p) {
    return p.m == 0 || p.n == 0 || p.k == 0 || p.alpha == 0;
}

struct way {
    plan::gemm_overrides asked;
    bool is_asked;  // something is
    const char* chosen_by;
};

// What was asked for, else what `carat tune` found on this GPU to be faster than what the model
// chooses.
way way_for(const core::gpu_call& call, const core::settings& asked) {
    if (!asked.tunables.empty()) return {overrides_of(asked), true, "as asked for"};
    if (!tuning::tuned().empty()) {
        const std::string device = cuda::describe(cuda::device_in_use()).name;
        const auto* const found = tuning::tuned().find(
            tuning::tuned_case(device, row_name(call.arithmetic), call.problem), tunables());
        if (found != nullptr)
            return {overrides_of({1, *found}), true, "from the table of carat tune"};
    }
    return {{}, false, "from the model"};
}

plan::gemm_model model_in_use() {
    return {architecture_in_use()->kernels, cuda::costs_in_use()};
}

plan::gemm_request request_for(const core::gpu_call& call, const plan::gemm_overrides& asked) {
    plan::gemm_request of = architecture_in_use()->request(call);
    of.sms = sms_for_products();
    of.asked = asked;
    return of;
}

// As for one product that is aligned.
core::gpu_call alone(const core::problem& p, core::gpu_arithmetic how) {
    return {.problem = p, .arithmetic = how};
}

std::string reason_against_overrides(const core::gpu_call& call,
                                     const plan::gemm_overrides& asked) {
    const core::problem& p = call.problem;
    if (architecture_in_use() == nullptr) return reason_against_mma(call, asked);
    if (!core::is_on_tensor_cores(call.arithmetic, p.a_type))
        return cuda::fma::reason_against(p, {asked.block_m, asked.block_n, asked.split_k});
    return plan::reason_against(request_for(alone(p, call.arithmetic), asked), model_in_use());
}

// By wgmma, as it was asked for.
std::unique_ptr<const cuda::gemm_product> prepare_as_asked(const core::gpu_call& given,
                                                           const way& chosen) {
    const core::gpu_call call = call_for_wgmma(given, chosen.is_asked);
    const plan::gemm_request of = request_for(call, chosen.asked);
    const bool is_batch = of.batch > 1;
    const plan::gemm_model model = model_in_use();
    const auto with = is_batch ? plan::plan_batch(of, model) : plan::plan_gemm(of, model);
    if (!with && is_batch) return nullptr;
    if (!with)
        throw error(error_code::invalid_argument,
                    plan::reason_against(of, model) + ", " + std::string(chosen.chosen_by));
    return architecture_in_use()->prepare(call, *with, chosen.chosen_by);
}

// To kernels that are not the tensor cores': those read what they add wherever it lies.
bool adds_alone(const core::gpu_call& call) {
    return !call.epilogue.changes_sums &&
           !core::is_on_tensor_cores(call.arithmetic, call.problem.a_type);
}

void check_fusion(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    if (call.epilogue.is_identity()) return;
    if (!takes_fusion(p) && !adds_alone(call))
        throw error(error_code::unsupported, "an epilogue is for f16, bf16 and fp8, not for " +
                                                 std::string(name(p.a_type)) +
                                                 ": take a kernel of your own after the product");
    if (is_degenerate(p) && p.m != 0 && p.n != 0)
        throw error(error_code::invalid_argument,
                    "alpha is " + std::to_string(p.alpha) + " and K is " + std::to_string(p.k) +
                        ": a fused product needs something to multiply, neither may be 0");
}

// A B has twice the columns that the problem says.
std::unique_ptr<const cuda::gemm_product> prepare_glu(const core::gpu_call& call,
                                                      const core::settings& s) {
    const core::gpu_call whole = alone(call.multiplied(), call.arithmetic);
    if (architecture_in_use() == nullptr || is_degenerate(call.problem) ||
        !takes_fusion(call.problem) || !reason_against(whole, {}).empty())
        return nullptr;
    const auto with = plan::plan_glu(request_for(whole, overrides_of(s)), model_in_use());
    if (!with) return nullptr;
    return architecture_in_use()->prepare(call, *with,
                                          s.tunables.empty() ? "from the model" : "as asked for");
}

// As many as there may be, of one size: how they really are nobody knows yet.
std::vector<plan::product_size> likely_sizes(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    const bool along_k = call.products.are == core::multiplicity::depth;
    const std::int64_t shared = along_k ? p.k : p.m;
    const std::int64_t count = std::clamp<std::int64_t>(call.products.count, 1, shared);
    const std::int64_t each = (shared + count - 1) / count;
    const std::int64_t products = call.arithmetic == core::gpu_arithmetic::three_tf32 ? 3 : 1;
    const plan::product_size size = along_k ? plan::product_size{p.m, p.n, each * products}
                                            : plan::product_size{each, p.n, p.k * products};
    return std::vector<plan::product_size>(
        static_cast<std::size_t>(along_k ? call.products.count : count), size);
}

// A product that is likely to be one of them.
core::problem likely(const core::gpu_call& call) {
    core::problem each = call.problem;
    const plan::product_size size = likely_sizes(call).front();
    each.m = size.m;
    if (call.products.are == core::multiplicity::depth) each.k = size.k;
    return each;
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
std::unique_ptr<const cuda::gemm_product> prepare_ragged_in_place(core::gpu_call call) {
    if (call.arithmetic != core::gpu_arithmetic::tf32)
        call.arithmetic = core::gpu_arithmetic::native;
    if (!cuda::mma::takes(call)) refuse_ragged(call.problem);
    core::gpu_call each = call;
    each.problem = likely(call);
    each.problem.k = std::max<std::int64_t>(1, each.problem.k);
    return cuda::mma::prepare(call, cuda::mma::planned(each).row);
}

// K is shared out by maps that begin with any of its lines, where both operands lie across it. Big
// and small parts lie behind each other along K: there is one K for all.
bool is_shared_out_by_tma(const plan::gemm_request& like, const core::gpu_call& call) {
    if (!core::is_on_tensor_cores(call.arithmetic, call.problem.a_type)) return false;
    return call.products.are != core::multiplicity::depth ||
           (call.arithmetic != core::gpu_arithmetic::three_tf32 &&
            like.a_major == core::operand_major::mn && like.b_major == core::operand_major::mn);
}

// Whether TMA can store any rows of C, and nothing is added.
bool stores_rows(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    const auto is_whole = [&](std::int64_t elements) {
        return core::bytes_of(p.c_type, elements) % 16 == 0;
    };
    return call.products.are == core::multiplicity::rows && p.beta == 0 && call.aligned.c &&
           p.c_layout.col_stride == 1 && p.c_layout.row_stride > 0 &&
           is_whole(p.c_layout.row_stride) && is_whole(p.n);
}

// Products that share out the rows of one A and C, or K of one A and B, by ends in GPU memory.
std::unique_ptr<const cuda::gemm_product> prepare_ragged(const core::gpu_call& call) {
    if (architecture_in_use() == nullptr) {
        auto made = cuda::mma::prepare_any_ragged(call, likely(call));
        if (made == nullptr) refuse_ragged(call.problem);
        return made;
    }
    core::problem seen = call.problem;
    // Rows of one k each 1 apart would be lines across K as well.
    if (call.products.are == core::multiplicity::rows)
        seen.a_layout = core::row_major(std::max<std::int64_t>(2, seen.k));
    const plan::gemm_request like =
        request_for(alone(seen, call.arithmetic), {.split_k = call.batch_invariant ? 1 : 0});
    if (!is_shared_out_by_tma(like, call)) return prepare_ragged_in_place(call);
    const plan::group_plan with =
        plan::plan_group(like, likely_sizes(call), model_in_use(), stores_rows(call));
    if (with.plan.kernel == nullptr) return prepare_ragged_in_place(call);
    return architecture_in_use()->prepare(call, with.plan, "for a ragged group");
}

}  // namespace

bool takes_fusion(const core::problem& p) {
    return core::is_storage_type(p.a_type) && p.c_type != dtype::i32;
}

// Bits of a row of C depend on how K is cut, and on nothing else that the plan chooses. Of 3xTF32,
// whether A or B has its small parts multiplied first, which swapping them changes.
core::settings settings_for(const core::gpu_call& call) {
    core::settings s;
    // CTAs that multicast need not be of one product.
    if (call.products.are == core::multiplicity::listed) s.tunables.emplace("cluster_m", 1);
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
    if (std::string why = reason_against_device(p.a_type); !why.empty()) return why;
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
    if (s.tunables.empty() || is_degenerate(p)) return {};
    return reason_against_overrides(call, overrides_of(s));
}

std::unique_ptr<const cuda::gemm_product> prepare(const core::gpu_call& call,
                                                  const core::settings& s) {
    const core::problem& p = call.problem;
    if (call.epilogue.is_glu) return prepare_glu(call, s);
    check_fusion(call);
    if (call.products.is_ragged()) return prepare_ragged(call);
    if (is_degenerate(p)) return std::make_unique<scaling>(p);
    if (architecture_in_use() == nullptr) return prepare_by_mma(call, overrides_of(s));
    const way chosen = way_for(call, s);
    if (chosen.is_asked) {
        if (core::is_on_tensor_cores(call.arithmetic, p.a_type))
            return prepare_as_asked(call, chosen);
        return cuda::fma::prepare(
            call, {chosen.asked.block_m, chosen.asked.block_n, chosen.asked.split_k});
    }
    if ((call.epilogue.is_identity() || adds_alone(call)) && cuda::gemv::takes(call))
        return cuda::gemv::prepare(call);
    return prepare_fastest(call);
}

std::unique_ptr<const cuda::gemm_product> prepare(const core::gpu_call& call,
                                                  const plan::gemm_plan& with) {
    return architecture_in_use()->prepare(call, with, "for a group");
}

bool stores_glu(const core::problem& p, const core::operands& data) {
    const cuda::architecture* const on = architecture_in_use();
    return on != nullptr && on->stores_glu(p, data);
}

std::optional<cuda::layout_class> layout_in_group(const core::gpu_product& member,
                                                  core::gpu_arithmetic how) {
    const cuda::architecture* const on = architecture_in_use();
    const dtype type = member.problem.a_type;
    if (on == nullptr || !core::is_on_tensor_cores(how, type)) return std::nullopt;
    return on->layout_in_group(member, core::accumulation_for(how, type));
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

plan::group_plan plan_group(const core::gpu_call& call, std::span<const core::gpu_product> all,
                            const cuda::layout_class& layout, bool share_rows) {
    std::vector<plan::product_size> sizes;
    sizes.reserve(all.size());
    for (const core::gpu_product& g : all) sizes.push_back({g.problem.m, g.problem.n, g.problem.k});
    plan::gemm_request like = request_for(alone(all.front().problem, call.arithmetic),
                                          {.split_k = call.batch_invariant ? 1 : 0});
    like.a_major = layout.a;
    like.b_major = layout.b;
    like.c_by_rows = layout.c_by_rows;
    return plan::plan_group(like, sizes, model_in_use(), share_rows);
}

}  // namespace carat::gpu_engine
