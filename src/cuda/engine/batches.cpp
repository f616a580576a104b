#include "cuda/engine/batches.hpp"

#include <algorithm>
#include <limits>

#include "core/dtype_traits.hpp"
#include "cuda/engine/architectures.hpp"
#include "cuda/simt/product.hpp"
#include "cuda/sm80/product.hpp"

namespace carat::cuda::engine {

namespace {

// Packing a batch's operands before another kernel, as measured on an H100.
double packing_s(double elements, double bytes_of_each) {
    constexpr double launch_s = 5e-6;  // the host's two
    constexpr double bytes_per_s = 2.2e12;
    return elements == 0 ? 0 : launch_s + elements * bytes_of_each / bytes_per_s;
}

// Whether wgmma reads it where it lies: along K or, of 16 bits, across.
bool is_read_in_place(std::int64_t along_k, std::int64_t across, dtype type, bool aligned) {
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    const auto reads = [&](std::int64_t step, std::int64_t stride) {
        return step == 1 && stride > 0 && stride * bytes % 16 == 0;
    };
    return aligned && (reads(along_k, across) || (is_half(type) && reads(across, along_k)));
}

double wgmma_packing_s(const request& wanted) {
    const core::problem& p = wanted.problem;
    const core::layout &a = p.a_layout, &b = p.b_layout;
    const bool splits = wanted.how == arithmetic::three_tf32;
    double elements = 0;
    if (splits || !is_read_in_place(a.col_stride, a.row_stride, p.a_type, wanted.aligned.a))
        elements += static_cast<double>(p.m * p.k * wanted.batch.matrices_a());
    if (splits || !is_read_in_place(b.row_stride, b.col_stride, p.b_type, wanted.aligned.b))
        elements += static_cast<double>(p.n * p.k * wanted.batch.matrices_b());
    return packing_s(elements, static_cast<double>(size_bytes(p.a_type)) * (splits ? 3 : 2));
}

// What C takes beyond what is planned, where its rows begin between four elements.
double storing_between_s(const request& wanted, bool in_one_launch) {
    const core::problem& p = wanted.problem;
    if (std::max(p.c_layout.row_stride, p.c_layout.col_stride) % 4 == 0) return 0;
    const bool is_staged =
        plan::stages_c(p.m, p.n, p.a_type, static_cast<int>(size_bytes(p.c_type)));
    const double elements_per_s = !in_one_launch ? 4e11 : is_staged ? 8.5e11 : 3e11;
    return static_cast<double>(p.m * p.n * wanted.batch.count) / elements_per_s;
}

// What a batch takes the kernels of wgmma, in one launch or many.
double wgmma_s(const request& wanted, plan::gemm_request of) {
    const plan::gemm_model& model = architecture_in_use()->model;
    const double packing = wgmma_packing_s(wanted);
    if (const auto together = plan::plan_batch(of, model))
        return packing + together->seconds +
               (together->kernel->batched ? 0 : storing_between_s(wanted, true));
    of.batch = 1;
    const auto one = plan::plan_gemm(of, model);
    if (!one) return std::numeric_limits<double>::infinity();
    return packing + storing_between_s(wanted, false) +
           static_cast<double>(wanted.batch.count) * one->seconds;
}

// The same in f32's own arithmetic.
double f32_s(const request& wanted, const gemm_task& task) {
    const simt::prediction own = simt::predicted(task);
    return packing_s(own.packed_elements, 2 * sizeof(float)) + own.seconds +
           storing_between_s(wanted, true);
}

}  // namespace

std::unique_ptr<const gemm_product> prepare_batch(const request& wanted,
                                                  const plan::gemm_request& by_wgmma) {
    const gemm_task task{wanted.problem, core::accumulation::native, wanted.fusion, wanted.aligned,
                         wanted.batch};
    const bool is_f32 = wanted.problem.a_type == dtype::f32 && wanted.fusion.is_identity();
    if (is_f32 && f32_s(wanted, task) < wgmma_s(wanted, by_wgmma)) return simt::prepare(task, {});
    if (wanted.how != arithmetic::native || !sm80::takes(task)) return nullptr;
    if (sm80::predicted_s(task) >= wgmma_s(wanted, by_wgmma)) return nullptr;
    return sm80::prepare(task);
}

}  // namespace carat::cuda::engine
