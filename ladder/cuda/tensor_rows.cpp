// The rows of steps 8 and 9, which multiply on tensor cores: their types, and the kernel for each.
#include <cstdint>

#include "ladder/cuda/rows.hpp"
#include "ladder/cuda/step_runnable.hpp"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/unsupported_type.hpp"
#include "ladder/cuda/wmma_shared_plan.hpp"

namespace carat::ladder::cuda {

namespace {

// Products of f16 and bf16 are exact in f32, and f32 is what they are summed in.
constexpr core::signature tensor_types[] = {
    {dtype::f16, dtype::f16, dtype::f32, "f32"},   {dtype::f16, dtype::f16, dtype::f16, "f32"},
    {dtype::bf16, dtype::bf16, dtype::f32, "f32"}, {dtype::bf16, dtype::bf16, dtype::bf16, "f32"},
    {dtype::f32, dtype::f32, dtype::f32, "tf32"},  {dtype::f64, dtype::f64, dtype::f64, "f64"},
    {dtype::i8, dtype::i8, dtype::i32, "i32"}};

constexpr core::tunable small[] = {
    {"small", 0, 0, 1,
     "1: tiles in 48 KB of shared memory; taken anyway where there is too little"}};

constexpr int capability_for(dtype type) {
    return type == dtype::f16 ? 70 : type == dtype::i8 ? 72 : 80;
}

struct wmma_plan {
    static constexpr const char* name = wmma_step::name;
    template <class In, class Out, class Sum>
    static plan<In, Out, Sum> of(const core::settings&) {
        return wmma_step::choose<In, Out, Sum>(0);
    }
};

struct wmma_shared_plan {
    static constexpr const char* name = wmma_shared_step::name;
    template <class In, class Out, class Sum>
    static plan<In, Out, Sum> of(const core::settings& s) {
        return wmma_shared_plan_that_fits<In, Out, Sum>(s.value(small[0]) == 1);
    }
};

template <class Plan, class F>
auto with_plan(const core::problem& p, const core::settings& s, const F& f) {
    const bool wide = p.c_type == dtype::f32;
    switch (p.a_type) {
        case dtype::f16:
            return wide ? f(Plan::template of<__half, float, float>(s))
                        : f(Plan::template of<__half, __half, float>(s));
        case dtype::bf16:
            return wide ? f(Plan::template of<__nv_bfloat16, float, float>(s))
                        : f(Plan::template of<__nv_bfloat16, __nv_bfloat16, float>(s));
        case dtype::f32:
            return f(Plan::template of<float, float, float>(s));
        case dtype::f64:
            return f(Plan::template of<double, double, double>(s));
        default:
            return f(Plan::template of<std::int8_t, std::uint32_t, std::uint32_t>(s));
    }
}

template <class Plan>
constexpr rows::implementation tensor_row(std::string_view summary,
                                          std::span<const core::tunable> tunables = {}) {
    return {.name = Plan::name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = tensor_types,
            .tunables = tunables,
            .unavailable = carat::cuda::unavailable_in_use,
            .unsupported =
                [](const core::problem& p, const core::settings& s) {
                    if (std::string why = unsupported_type(p.a_type); !why.empty()) return why;
                    return with_plan<Plan>(p, s, [&](const auto& chosen) {
                        return unsupported_problem(p, blocks_for(p, chosen.tile_m, chosen.tile_n),
                                                   capability_for(p.a_type));
                    });
                },
            .prepare =
                [](const core::problem& p, const core::settings& s) {
                    return with_plan<Plan>(
                        p, s, [&](const auto& chosen) { return prepared(Plan::name, p, chosen); });
                }};
}

}  // namespace

constinit const rows::implementation wmma =
    tensor_row<wmma_plan>("tensor cores, one tile a warp, operands from global memory");

constinit const rows::implementation wmma_shared =
    tensor_row<wmma_shared_plan>("tensor cores, tiles through shared memory by cp.async", small);

}  // namespace carat::ladder::cuda
