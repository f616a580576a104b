#include "cuda/engine/batches.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "core/dtype_traits.hpp"
#include "cuda/engine/architectures.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/mma/product.hpp"

namespace carat::cuda::engine {

namespace {

const plan::gemm_costs& costs() {
    return architecture_in_use()->model.costs;
}

// Packing operands before wgmma's kernels.
double packing_s(double elements, double bytes_of_each) {
    const auto& fit = costs().batch;
    return elements == 0
               ? 0
               : fit.packing_launch_s + elements * bytes_of_each / fit.packing_bytes_per_s;
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
    const auto& fit = costs().batch;
    const bool is_staged =
        plan::stages_c(p.m, p.n, p.a_type, static_cast<int>(size_bytes(p.c_type)));
    const double elements_per_s = !in_one_launch ? fit.off_elements_per_s
                                  : is_staged    ? fit.off_staged_elements_per_s
                                                 : fit.off_at_once_elements_per_s;
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

gemm_task task_of(const request& wanted) {
    return {wanted.problem, core::accumulation::native, wanted.fusion, wanted.aligned,
            wanted.batch};
}

// The fastest of what is tried, where that is faster than what is known.
class fastest {
  public:
    explicit fastest(double seconds) : seconds_(seconds) {}

    void try_fma(const gemm_task& task) {
        const double taken = fma::predicted_s(task, costs().prediction.memory_bytes_per_s);
        if (taken >= seconds_) return;
        seconds_ = taken;
        prepare_ = [&task] { return fma::prepare(task, {}); };
    }
    void try_in_place(const gemm_task& task, mma::arithmetic how) {
        if (!mma::takes(task, how)) return;
        const double taken = mma::predicted_s(task, how, costs().prediction.memory_bytes_per_s);
        if (taken >= seconds_) return;
        seconds_ = taken;
        prepare_ = [&task, how] { return mma::prepare(task, how); };
    }
    [[nodiscard]] std::unique_ptr<const gemm_product> prepared() const {
        return prepare_ ? prepare_() : nullptr;
    }

  private:
    double seconds_;
    std::function<std::unique_ptr<const gemm_product>()> prepare_;
};

}  // namespace

std::unique_ptr<const gemm_product> prepare_own(const request& wanted) {
    const gemm_task task = task_of(wanted);
    fastest best(std::numeric_limits<double>::infinity());
    best.try_fma(task);
    // Those save packing. Their costs are fitted to batches: of single products in whole lines they
    // were chosen for some that had .61 to .90 of cuBLAS' best (results/h200/random_calls.json).
    if (wanted.batch.count > 1 || !fma::lies_in_lines(task))
        best.try_in_place(task, mma::arithmetic::own);
    return best.prepared();
}

std::unique_ptr<const gemm_product> prepare_batch(const request& wanted,
                                                  const plan::gemm_request& by_wgmma) {
    const gemm_task task = task_of(wanted);
    fastest best(wgmma_s(wanted, by_wgmma));
    const bool is_f32 = wanted.problem.a_type == dtype::f32;
    if (is_f32 && wanted.fusion.is_identity()) best.try_fma(task);
    if (is_f32 || wanted.how == arithmetic::native) best.try_in_place(task, mma::arithmetic::own);
    if (wanted.how == arithmetic::tf32) best.try_in_place(task, mma::arithmetic::tf32);
    return best.prepared();
}

// Over 1,455 random products of f16, bf16 and tf32 on an H200 the choice reached 0.87 of the
// fastest plan's speed where wgmma alone reached 0.75, for the 536 below 2e8 operations; for the
// others neither gained nor lost (0.907 against 0.908). Without the factor those lost 0.5 %
// (results/h200/plans.json).
std::unique_ptr<const gemm_product> prepare_in_place(const request& wanted,
                                                     const plan::gemm_request& by_wgmma) {
    constexpr double worth_factor = 1.3;
    const double packing = wgmma_packing_s(wanted);
    if (packing == 0) return nullptr;
    const auto planned = plan::plan_gemm(by_wgmma, architecture_in_use()->model);
    if (!planned) return nullptr;
    const gemm_task task = task_of(wanted);
    fastest best((packing + planned->seconds) / worth_factor);
    if (wanted.how == arithmetic::native) best.try_in_place(task, mma::arithmetic::own);
    if (wanted.how == arithmetic::tf32) best.try_in_place(task, mma::arithmetic::tf32);
    return best.prepared();
}

}  // namespace carat::cuda::engine
