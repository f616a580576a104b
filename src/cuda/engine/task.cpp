#include "cuda/engine/task.hpp"

#include <algorithm>
#include <string>

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"
#include "cuda/common/copy.hpp"
#include "cuda/common/error.hpp"
#include "cuda/engine/select.hpp"

namespace carat::cuda_call {

namespace engine = cuda::engine;

namespace {

std::uint32_t flags_of(const task& t, const cuda::operand_alignment& aligned) {
    const auto vector = [](const cuda::broadcast_vector& v) -> std::uint32_t {
        return v.values == nullptr ? 0 : v.per_row ? 1 : 2;
    };
    const epilogue_fusion& f = t.fusion;
    return std::uint32_t{aligned.a} | std::uint32_t{aligned.b} << 1 |
           std::uint32_t{t.batch_invariant} << 2 | vector(f.scale) << 3 | vector(f.bias) << 5 |
           std::uint32_t{f.residual != nullptr} << 7 |
           static_cast<std::uint32_t>(f.activation_function) << 8 |
           static_cast<std::uint32_t>(t.f32) << 12 | std::uint32_t{t.is_blockwise()} << 14 |
           std::uint32_t{f.is_glu} << 16 | std::uint32_t{t.batch.one_a} << 17 |
           std::uint32_t{t.batch.one_b} << 18 | std::uint32_t{t.lies_anywhere} << 19;
}

std::unique_ptr<const cuda::gemm_product> prepare(const task& t,
                                                  const cuda::operand_alignment& aligned) {
    const core::settings s = settings_for(t);
    const engine::request wanted{t.problem, t.how(), t.fusion, aligned, t.batch};
    if (const std::string why = engine::reason_against(t.problem, wanted.how, s); !why.empty())
        throw error(error_code::unsupported, "on a GPU: " + why);
    return t.fusion.is_glu ? engine::prepare_glu(wanted, s) : engine::prepare(wanted, s);
}

plan with_cache(std::unique_ptr<const cuda::gemm_product> product) {
    if (product == nullptr) return {};
    auto kept = product->make_cache();
    return {std::move(product), std::move(kept)};
}

plan_cache& plans() {
    static thread_local plan_cache kept;
    return kept;
}

}  // namespace

arithmetic task::how() const {
    if (is_blockwise() && multiplies(problem)) return arithmetic::fp8_blocks;
    if (problem.a_type != dtype::f32) return arithmetic::native;
    if (f32 == f32_as::tf32) return arithmetic::tf32;
    return f32 == f32_as::three_tf32 ? arithmetic::three_tf32 : arithmetic::native;
}

bool multiplies(const core::problem& p) {
    return p.k != 0 && p.alpha != 0;
}

bool takes_fusion(const core::problem& p) {
    return core::is_storage_type(p.a_type) && p.c_type != dtype::i32;
}

// Bits of a row of C depend on how K is cut, and on nothing else that the plan chooses. Of 3xTF32,
// whether A or B has its small parts multiplied first, which swapping them changes.
core::settings settings_for(const task& t) {
    core::settings s;
    // CTAs that multicast need not be of one product.
    if (t.lies_anywhere) s.tunables.emplace("cluster_m", 1);
    if (!t.batch_invariant) return s;
    s.tunables.emplace("split_k", 1);
    if (t.f32 == f32_as::three_tf32 && t.problem.a_type == dtype::f32)
        s.tunables.emplace("swap_ab", 1);
    return s;
}

namespace {

// Kernels with a second pointer, for what beta multiplies.
bool takes_second(const task& t) {
    return takes_fusion(t.problem) ||
           (t.fusion.changes_no_sum() && !engine::is_on_tensor_cores(t.how(), t.problem.a_type));
}

}  // namespace

place_of_e place_in(const task& t, const core::operands& data) {
    if (t.problem.beta == 0 || data.e == nullptr) return place_of_e::nowhere;
    if (data.e == data.c) return place_of_e::in_c;
    const bool second = takes_second(t) && t.e_layout == t.problem.c_layout &&
                        (multiplies(t.problem) || !t.fusion.is_identity());
    return second ? place_of_e::beside_c : place_of_e::elsewhere;
}

const plan& plan_for(const task& t, const cuda::operand_alignment& aligned, int device) {
    const plan_key key = key_of(device, t.problem, t.batch.count, flags_of(t, aligned));
    if (const plan* const known = plans().find(key)) return *known;
    return plans().keep(key, with_cache(prepare(t, aligned)));
}

const plan& plan_for_group(const task& t, const layout_class& layout,
                           const carat::plan::gemm_plan& with, int device) {
    constexpr std::uint32_t of_group = 1U << 15;
    const auto number = [](core::operand_major x) { return static_cast<std::int64_t>(x); };
    core::problem p = t.problem;
    p.m = with.kernel->block_m;
    p.n = with.kernel->block_n;
    p.k = 2 * with.split_k + (with.swap_ab ? 1 : 0);
    p.a_layout = {number(layout.a), number(layout.b)};
    p.b_layout = {layout.c_by_rows ? 1 : 0, 0};
    p.c_layout = {};
    const plan_key key = key_of(device, p, 1, flags_of(t, {}) | of_group);
    if (const plan* const known = plans().find(key)) return *known;
    return plans().keep(
        key, with_cache(engine::prepare_group({t.problem, t.how(), t.fusion}, layout, with)));
}

// The same lines serve A and B: 16 bytes of K for each row and column, or one k of all.
void multiply_zeros_instead(task& t, core::operands& data, cuda::call_scope& call, bool across_k) {
    core::problem& p = t.problem;
    t.scales = {};
    const auto in_line = static_cast<std::int64_t>(16 / size_bytes(p.a_type));
    const std::int64_t lines = std::max(p.m, p.n);
    const std::int64_t across = (lines + in_line - 1) / in_line * in_line;
    p.k = across_k ? 1 : in_line;
    p.alpha = 1;
    p.a_layout = across_k ? core::layout{1, across} : core::row_major(in_line);
    p.b_layout = across_k ? core::layout{across, 1} : core::column_major(in_line);
    const std::int64_t elements = across_k ? across : lines * in_line;
    const auto bytes = static_cast<std::size_t>(core::bytes_of(p.a_type, elements));
    void* const zeros = call.lend(&t, bytes);
    CARAT_CUDA_CHECK(cudaMemsetAsync(zeros, 0, bytes, call.stream()));
    data.a = zeros;
    data.b = zeros;
}

const plan& plan_for_ragged(const task& t, const cuda::operand_alignment& aligned, bool along_k,
                            bool stores_rows, int device) {
    constexpr std::uint32_t of_ragged = 1U << 20;
    const std::uint32_t flags = flags_of(t, aligned) | of_ragged | std::uint32_t{along_k} << 21 |
                                std::uint32_t{stores_rows} << 22;
    const plan_key key = key_of(device, t.problem, t.batch.count, flags);
    if (const plan* const known = plans().find(key)) return *known;
    const engine::request wanted{t.problem, t.how(), t.fusion, aligned, t.batch};
    if (const std::string why = engine::reason_against(t.problem, wanted.how, settings_for(t));
        !why.empty())
        throw error(error_code::unsupported, "on a GPU: " + why);
    const engine::ragged_way way{along_k, stores_rows, t.batch_invariant ? 1 : 0};
    return plans().keep(key, with_cache(engine::prepare_ragged(wanted, way)));
}

const plan& plan_for_rows(const task& t, const carat::plan::gemm_plan& with, int device) {
    constexpr std::uint32_t of_rows = 1U << 23;
    const std::uint32_t flags =
        flags_of(t, {}) | of_rows | std::uint32_t{with.kernel->block_n == 256} << 24;
    const plan_key key = key_of(device, t.problem, t.batch.count, flags);
    if (const plan* const known = plans().find(key)) return *known;
    return plans().keep(
        key, with_cache(engine::prepare_rows({t.problem, t.how(), t.fusion, {}, t.batch}, with)));
}

bool multiply_one(task t, core::operands data, cuda::call_scope& call) {
    const core::problem& p = t.problem;
    const place_of_e e = place_in(t, data);
    if (!multiplies(p) && !t.fusion.is_identity()) multiply_zeros_instead(t, data, call);
    if (e == place_of_e::beside_c) t.fusion.residual = data.e;
    const auto alignment = cuda::alignment_of(data);
    const plan& made = plan_for(t, alignment, call.device());
    if (made.product == nullptr) return false;
    if (e == place_of_e::elsewhere)
        cuda::copy_matrices(p.c_type, p.m, p.n, 1, {data.e, t.e_layout}, {data.c, p.c_layout},
                            call.stream());
    made.product->run({data, call.stream(), t.fusion, t.scales}, made.kept.get());
    return true;
}

}  // namespace carat::cuda_call
