#include "cuda/families/mma/multistage_product.hpp"

#include <algorithm>
#include <string>

#include "cuda/common/code.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/sms.hpp"
#include "cuda/families/mma/multistage_kernels.hpp"
#include "cuda/families/mma/operand.hpp"
#include "cuda/families/mma/product.hpp"
#include "cuda/families/mma/tiled_product.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/large_tiles.hpp"

namespace carat::cuda::mma {

using enum core::gpu_arithmetic;

namespace {

// f32 in its own arithmetic, whose operands lie across K.
bool is_ffma(dtype a_type, core::gpu_arithmetic how) {
    return a_type == dtype::f32 && how == native;
}

bool reads(const operand_shape& of, bool across_k, bool aligned) {
    const bool in_place =
        of.element_bytes == 1 ? of.lies_along_k() : !across_k || !of.lies_along_k();
    return aligned && in_place && of.is_readable() && of.run_stride() * of.element_bytes % 16 == 0;
}

const kernel& kernel_of(const core::problem& p, core::gpu_arithmetic how, std::size_t row) {
    const bool a = a_of(p).lies_along_k();
    const bool b = b_of(p).lies_along_k();
    if (p.a_type == dtype::f16) return multistage_f16(row, a, b);
    if (p.a_type == dtype::bf16) return multistage_bf16(row, a, b);
    if (p.a_type == dtype::f64) return multistage_f64(row, a, b);
    if (is_ffma(p.a_type, how)) return multistage_f32(row);
    if (p.a_type == dtype::f32)
        return how == tf32 ? multistage_tf32(row, a, b) : multistage_three_tf32(row, a, b);
    if (p.a_type == dtype::i8) return multistage_i8(row);
    const bool a_is_e5m2 = p.a_type == dtype::e5m2;
    if (how == fp8_blocks) return multistage_fp8_blocks(row);
    return how == fast_fp8 ? multistage_fp8_fast(row, a_is_e5m2)
                           : multistage_fp8_promoted(row, a_is_e5m2);
}

// As many stages as there is room for with the CTAs that an SM has registers for; with fewer CTAs
// where that leaves a stage or two.
chosen_kernel with_stages(const kernel& k) {
    constexpr std::size_t of_a_cta = 1024;  // that the system takes
    constexpr std::size_t declared = 32;    // by the kernel
    constexpr int most_stages = 4;
    constexpr int enough_stages = 3;
    const device_facts gpu = describe_for_code(device_in_use());
    int stages = 0;
    for (int ctas = k.ctas_per_sm; ctas > 0 && stages < enough_stages; --ctas) {
        const std::size_t room = std::min(
            gpu.shared_bytes_per_block,
            gpu.shared_bytes_per_multiprocessor / static_cast<std::size_t>(ctas) - of_a_cta);
        stages = std::min(most_stages, static_cast<int>(room - declared) / k.stage_bytes);
    }
    return {.of = &k,
            .stages = stages,
            .shared_bytes = std::max(k.shared_bytes, stages * k.stage_bytes)};
}

}  // namespace

std::span<const multistage_desc> multistage_tiles(dtype a_type, core::gpu_arithmetic how) {
    if (a_type == dtype::f64) return f64_large_tiles;
    if (is_half(a_type) || a_type == dtype::i8 || how == tf32) return large_tiles;
    if (is_fp8(a_type)) return double_tiles;
    if (how == three_tf32) return double_tiles;
    return f32_large_tiles;
}

packed_operands packs_for_multistage(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    const bool across_k = is_ffma(p.a_type, call.arithmetic);
    return {!reads(a_of(p), across_k, call.aligned.a), !reads(b_of(p), across_k, call.aligned.b),
            across_k};
}

bool has_room_for(const core::gpu_call& call, std::size_t row) {
    constexpr int least_stages = 2;
    const chosen_kernel by = with_stages(kernel_of(call.problem, call.arithmetic, row));
    return by.stages >= least_stages &&
           by.shared_bytes <=
               static_cast<int>(describe_for_code(device_in_use()).shared_bytes_per_block);
}

double predicted_multistage_s(const core::gpu_call& call, std::size_t row, int splits) {
    const dtype type = call.problem.a_type;
    const multistage_desc& tile = multistage_tiles(type, call.arithmetic)[row];
    return plan::seconds_of({tile.block_m, tile.block_n, tile.ctas_per_sm}, splits,
                            request_for(call, sms_for_products()),
                            plan::large_model_of(type, call.arithmetic, costs_in_use()));
}

std::unique_ptr<const gemm_product> prepare_multistage(const core::gpu_call& call, std::size_t row,
                                                       int splits) {
    const core::gpu_call own = as_computed(call);
    const chosen_kernel by = with_stages(kernel_of(own.problem, own.arithmetic, row));
    return std::make_unique<tiled_product>(
        own, swaps(call.problem), by, splits,
        " by mma.sync, " + std::to_string(by.stages) + " stages");
}

}  // namespace carat::cuda::mma
