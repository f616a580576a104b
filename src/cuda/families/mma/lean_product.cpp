#include "cuda/families/mma/lean_product.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/dtype_traits.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "cuda/common/sms.hpp"
#include "cuda/families/mma/lean.hpp"
#include "cuda/families/mma/lean_kernels.hpp"
#include "cuda/families/mma/operand.hpp"
#include "cuda/families/mma/product.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_prediction.hpp"

namespace carat::cuda::mma {

namespace {

constexpr std::int64_t piece = 8;  // elements of 16 bytes
constexpr int block_k = 32;

// Lines consist of pieces, and begin where these do.
bool is_in_pieces(const operand_shape& of, bool is_aligned) {
    const std::int64_t length = of.lies_along_k() ? of.depth : of.lines;
    return is_aligned && of.is_readable() && of.run_stride() % piece == 0 && length % piece == 0;
}

bool is_c_by_rows(const core::problem& p) {
    constexpr std::int64_t most = 1 << 23;
    return p.c_layout.col_stride == 1 && p.c_layout.row_stride >= 0 && p.c_layout.row_stride < most;
}

// The grid's second and third sides.
bool fits_a_grid(const core::gpu_call& call) {
    constexpr std::int64_t most = 65535;
    constexpr std::int64_t smallest = 32;
    return call.products.count <= most && plan::ceil_div(call.problem.n, smallest) <= most;
}

const kernel& kernel_for(const core::problem& p, std::size_t row) {
    const bool a = a_of(p).lies_along_k();
    const bool b = b_of(p).lies_along_k();
    return p.a_type == dtype::f16 ? lean_f16(row, a, b) : lean_bf16(row, a, b);
}

plan::batch_model model_of(const plan::gpu_costs& costs) {
    return {costs.mma_lean, costs.mma_large, lean_tiles, 2, block_k};
}

// Where K is short not all stages are used, and an SM has room for more CTAs.
int shared_bytes_of(const kernel& by, std::size_t row, std::int64_t k) {
    const std::int64_t stages = plan::ceil_div(k, std::int64_t{block_k});
    return static_cast<int>(std::clamp<std::int64_t>(
        stages * by.stage_bytes, slab_bytes(lean_kernels[row]), by.shared_bytes));
}

lean_operand lean_view(const operand_shape& of, const void* data, std::int64_t apart) {
    return {data, apart, static_cast<int>(of.run_stride())};
}

lean_arguments arguments_of(const core::problem& p, const bindings& with) {
    const auto row_stride = static_cast<int>(p.c_layout.row_stride);
    const bool is_vectorized = is_aligned(with.data.c) && row_stride % piece == 0 &&
                               with.apart.c % piece == 0 && p.n % piece == 0;
    return {.a = lean_view(a_of(p), with.data.a, with.apart.a),
            .b = lean_view(b_of(p), with.data.b, with.apart.b),
            .m = static_cast<int>(p.m),
            .n = static_cast<int>(p.n),
            .k = static_cast<int>(p.k),
            .alpha = static_cast<float>(p.alpha),
            .c = with.data.c,
            .c_product_stride = with.apart.c,
            .c_row_stride = row_stride,
            .is_vectorized = is_vectorized};
}

class lean_product final : public gemm_product {
  public:
    lean_product(const core::gpu_call& call, bool swaps, std::size_t row)
        : call_(call),
          swaps_(swaps),
          row_(row),
          by_(kernel_for(call.problem, row)),
          shared_bytes_(shared_bytes_of(by_, row, call.problem.k)),
          facts_(load_kernel(by_.name, by_.function, by_.threads, shared_bytes_, l1_share::least)) {
    }

    bool run(const bindings& given) const override {
        const core::problem& p = call_.problem;
        const bindings with = swaps_ ? given.swapped() : given;
        lean_arguments told = arguments_of(p, with);
        void* addresses[] = {&told};
        const auto side = [](std::int64_t length, int block) {
            return static_cast<unsigned>(plan::ceil_div(length, block));
        };
        launch_closely(
            by_.function,
            {dim3(side(p.m, by_.block_m), side(p.n, by_.block_n),
                  static_cast<unsigned>(call_.products.count)),
             static_cast<unsigned>(by_.threads), static_cast<std::size_t>(shared_bytes_)},
            with.stream, addresses);
        return true;
    }
    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }
    [[nodiscard]] core::plan_facts planned() const override {
        const core::problem& p = call_.problem;
        const std::int64_t count = call_.products.count;
        const std::int64_t tiles =
            plan::ceil_div(p.m, by_.block_m) * plan::ceil_div(p.n, by_.block_n) * count;
        core::plan_facts told;
        told.why = "lean tiles of " + std::to_string(by_.block_m) + " x " +
                   std::to_string(by_.block_n) + ", " + std::to_string(tiles) + " of them for " +
                   std::to_string(count) + (count == 1 ? " product" : " products") + "\n";
        told.rows = p.m;
        told.cols = p.n;
        return told;
    }
    [[nodiscard]] std::optional<core::gpu_prediction> predicted(
        const core::roofline_rates& here) const override {
        const plan::gpu_costs costs = plan::costs_at(costs_in_use(), here.memory_gb_per_s * 1e9);
        const plan::batch_request of = request_for(call_, sms_for_products());
        const plan::batch_model model = model_of(costs);
        const double stored = static_cast<double>(call_.problem.m * call_.problem.n *
                                                  call_.products.count * of.result_bytes);
        return plan::predict({.kind = "in_place", .unit = "CTAs", .stored_bytes = stored},
                             plan::work_of(lean_tiles[row_], 1, of, model, model.costs),
                             model.costs.sharing, here);
    }

  private:
    core::gpu_call call_;
    bool swaps_;
    std::size_t row_;
    const kernel& by_;
    int shared_bytes_;
    core::kernel_facts facts_;
};

}  // namespace

bool is_lean(const core::gpu_call& given) {
    const core::gpu_call call = as_computed(given);
    const core::problem& p = call.problem;
    return is_half(p.a_type) && p.b_type == p.a_type && p.c_type == p.a_type && p.beta == 0 &&
           call.arithmetic == core::gpu_arithmetic::native && call.epilogue.is_identity() &&
           !call.products.is_ragged() && call.products.are != core::multiplicity::listed &&
           is_in_pieces(a_of(p), call.aligned.a) && is_in_pieces(b_of(p), call.aligned.b) &&
           is_c_by_rows(p) && fits_a_grid(call) && takes(given);
}

double seconds_of_lean(std::size_t row, const plan::batch_request& of,
                       const plan::gpu_costs& costs) {
    const plan::batch_model model = model_of(costs);
    return plan::seconds_of(model.tiles[row], 1, of, model, model.costs);
}

double predicted_lean_s(const core::gpu_call& call, std::size_t row) {
    return seconds_of_lean(row, request_for(call, sms_for_products()), costs_in_use());
}

std::unique_ptr<const gemm_product> prepare_lean(const core::gpu_call& call, std::size_t row) {
    return std::make_unique<lean_product>(as_computed(call), swaps(call.problem), row);
}

}  // namespace carat::cuda::mma
