#include "cuda/families/mma/product.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "cuda/common/code.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/sms.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/kernels.hpp"
#include "cuda/families/mma/operand.hpp"
#include "cuda/families/mma/tiled_product.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_prediction.hpp"

namespace carat::cuda::mma {

using enum core::gpu_arithmetic;

namespace {

const kernel& kernel_for(const core::gpu_call& call, std::size_t row) {
    const core::problem& p = call.problem;
    const bool a = a_of(p).lies_along_k();
    const bool b = b_of(p).lies_along_k();
    if (p.a_type == dtype::f16) return kernel_of_f16(row, a, b);
    if (p.a_type == dtype::bf16) return kernel_of_bf16(row, a, b);
    if (p.a_type == dtype::f64) return kernel_of_f64(row, a, b);
    return call.arithmetic == tf32 ? kernel_of_tf32(row, a, b) : kernel_of_f32(row, a, b);
}

plan::batch_model model_with_room(const core::gpu_call& call) {
    plan::batch_model model = model_for(call, costs_in_use());
    model.tiles = model.tiles.first(tiles_with_room(call));
    return model;
}

class product final : public tiled_product {
  public:
    product(const core::gpu_call& call, bool swaps, const kernel& by, const plan::batch_tile& tile,
            const plan::batch_request& request, int splits)
        : tiled_product(call, swaps, {.of = &by, .shared_bytes = by.shared_bytes}, splits,
                        ", read where they lie"),
          request_(request),
          tile_(tile) {}

    [[nodiscard]] std::optional<core::gpu_prediction> predicted(
        const core::roofline_rates& here) const override {
        const plan::gpu_costs costs = plan::costs_at(costs_in_use(), here.memory_gb_per_s * 1e9);
        const plan::batch_model model = model_for(call_, costs);
        const double stored =
            static_cast<double>(call_.problem.m * call_.problem.n * call_.products.count) *
            request_.result_bytes;
        return plan::predict({.kind = "in_place", .unit = "CTAs", .stored_bytes = stored},
                             plan::work_of(tile_, parts_.count(), request_, model, model.costs),
                             model.costs.sharing, here);
    }

  private:
    plan::batch_request request_;
    plan::batch_tile tile_;
};

// CTAs and places of them in 32 bits.
bool counts_tiles_of(const core::gpu_call& call) {
    constexpr std::int64_t smallest = 32;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t largest_tile = 256;
    const core::problem& p = call.problem;
    return std::max({p.m, p.n, p.k}) < most - largest_tile &&
           plan::ceil_div(p.m, smallest) * plan::ceil_div(p.n, smallest) <=
               most / call.products.count;
}

}  // namespace

bool has_small_tiles(dtype a_type, core::gpu_arithmetic how) {
    if (how == tf32) return a_type == dtype::f32;
    return how == native && (is_half(a_type) || a_type == dtype::f32 || a_type == dtype::f64);
}

plan::batch_model model_for(const core::gpu_call& call, const plan::gpu_costs& of) {
    const core::problem& p = call.problem;
    const int bytes = static_cast<int>(size_bytes(p.a_type));
    const plan::large_costs& sharing_k = of.mma_large;
    if (is_half(p.a_type)) return {of.mma_half, sharing_k, half_tiles, bytes, 32};
    if (p.a_type == dtype::f64) return {of.mma_f64, sharing_k, f64_tiles, bytes, 16};
    if (call.arithmetic == tf32) return {of.mma_tf32, sharing_k, tf32_tiles, bytes, 16};
    return {of.mma_f32, sharing_k, f32_tiles, bytes, 16};
}

// The matrices of a batch lie one after the other, at multiples of 16 bytes if they are aligned.
plan::batch_request request_for(const core::gpu_call& given, int sms) {
    const core::gpu_call call = as_computed(given);
    const core::problem& p = call.problem;
    const auto likely = [](const operand_shape& of, bool aligned) {
        return together(of, nullptr, aligned ? 0 : of.lines * of.depth);
    };
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .batch = call.products.count,
            .one_a = call.products.one_a,
            .one_b = call.products.one_b,
            .result_bytes = static_cast<int>(size_bytes(p.c_type)),
            .together_a = likely(a_of(p), call.aligned.a),
            .together_b = likely(b_of(p), call.aligned.b),
            .c_by_rows = has_contiguous_rows(p),
            .vectorized_c = std::max(p.c_layout.row_stride, p.c_layout.col_stride) *
                                static_cast<std::int64_t>(size_bytes(p.c_type)) % 16 ==
                            0,
            .adds_e = p.beta != 0,
            .may_share_k = !call.batch_invariant && !call.products.is_ragged(),
            .sms = sms};
}

bool reads(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    return has_small_tiles(p.a_type, call.arithmetic) && p.a_type == p.b_type &&
           (p.c_type == p.a_type || (is_half(p.a_type) && p.c_type == dtype::f32)) &&
           a_of(p).is_readable() && b_of(p).is_readable() && counts_tiles_of(call);
}

bool takes(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    return reads(call) && !call.epilogue.changes_sums &&
           (has_contiguous_rows(p) || has_contiguous_columns(p));
}

std::span<const kernel_desc> tiles_for(dtype a_type, core::gpu_arithmetic how) {
    if (is_half(a_type)) return half_kernels;
    if (a_type == dtype::f64) return f64_kernels;
    if (how == tf32) return tf32_kernels;
    return f32_kernels;
}

std::size_t tiles_with_room(const core::gpu_call& given, std::size_t shared_bytes) {
    const core::gpu_call call = as_computed(given);
    const std::size_t all = tiles_for(call.problem.a_type, call.arithmetic).size();
    std::size_t count = 0;
    while (count < all &&
           static_cast<std::size_t>(kernel_for(call, count).shared_bytes) <= shared_bytes)
        ++count;
    return count;
}

std::size_t tiles_with_room(const core::gpu_call& call) {
    return tiles_with_room(call, describe_for_code(device_in_use()).shared_bytes_per_block);
}

double predicted_s(const core::gpu_call& call, std::size_t row, int splits) {
    const plan::batch_model model = model_for(call, costs_in_use());
    return plan::seconds_of(model.tiles[row], splits, request_for(call, sms_for_products()), model,
                            model.costs);
}

plan::batch_tile_plan planned(const core::gpu_call& call) {
    return plan::plan_batch_tiles(request_for(call, sms_for_products()), model_with_room(call));
}

std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call, std::size_t row,
                                            int splits) {
    const core::gpu_call own = as_computed(call);
    return std::make_unique<product>(own, swaps(call.problem), kernel_for(own, row),
                                     model_for(own, costs_in_use()).tiles[row],
                                     request_for(call, sms_for_products()), splits);
}

}  // namespace carat::cuda::mma
