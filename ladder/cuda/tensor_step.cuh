// The rows of the tensor-core steps: their types, and the kernel for each.
#pragma once

#include "ladder/cuda/step.cuh"

namespace carat::ladder::cuda {

// Products of f16 and bf16 are exact in f32, and f32 is what they are summed in.
inline constexpr core::signature tensor_types[] = {
    {dtype::f16, dtype::f16, dtype::f32, "f32"},   {dtype::f16, dtype::f16, dtype::f16, "f32"},
    {dtype::bf16, dtype::bf16, dtype::f32, "f32"}, {dtype::bf16, dtype::bf16, dtype::bf16, "f32"},
    {dtype::f32, dtype::f32, dtype::f32, "tf32"},  {dtype::f64, dtype::f64, dtype::f64, "f64"},
    {dtype::i8, dtype::i8, dtype::i32, "i32"}};

[[nodiscard]] constexpr int capability_for(dtype type) {
    return type == dtype::f16 ? 70 : type == dtype::i8 ? 72 : 80;
}

template <class Step>
[[nodiscard]] std::unique_ptr<rows::runnable> prepare_tensor(const core::problem& p,
                                                             const core::settings& s) {
    const bool wide = p.c_type == dtype::f32;
    switch (p.a_type) {
        case dtype::f16:
            return wide ? prepare_as<Step, __half, float, float>(p, s)
                        : prepare_as<Step, __half, __half, float>(p, s);
        case dtype::bf16:
            return wide ? prepare_as<Step, __nv_bfloat16, float, float>(p, s)
                        : prepare_as<Step, __nv_bfloat16, __nv_bfloat16, float>(p, s);
        case dtype::f32:
            return prepare_as<Step, float, float, float>(p, s);
        case dtype::f64:
            return prepare_as<Step, double, double, double>(p, s);
        default:
            return prepare_as<Step, std::int8_t, std::uint32_t, std::uint32_t>(p, s);
    }
}

template <class Step>
[[nodiscard]] std::string unsupported_tensor(const core::problem& p, const core::settings& s) {
    // f64 has the smallest tile of all types.
    const auto chosen = Step::template choose<double, double, double>(s);
    return unsupported_problem(p, blocks_for(p, chosen.tile_m, chosen.tile_n),
                               capability_for(p.a_type));
}

template <class Step>
[[nodiscard]] constexpr rows::implementation tensor_row(
    std::string_view summary, std::span<const core::tunable> tunables = {}) {
    return {.name = Step::name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = tensor_types,
            .tunables = tunables,
            .unavailable = carat::cuda::unavailable_in_use,
            .unsupported = unsupported_tensor<Step>,
            .prepare = prepare_tensor<Step>};
}

}  // namespace carat::ladder::cuda
