#include "cuda/families/fma/product.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/left_sms.hpp"
#include "core/swap_ab.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/sms.hpp"
#include "cuda/families/fma/kernels.hpp"
#include "cuda/families/fma/operand.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/fma_plan.hpp"
#include "plan/gemm_plan.hpp"
#include "plan/gemm_prediction.hpp"

namespace carat::cuda::fma {

namespace {

// The kernels write C along its rows.
bool has_columns_closer(const core::problem& p) {
    return p.c_layout.row_stride < p.c_layout.col_stride;
}

// The problem as the kernel computes it.
core::problem by_rows(const core::problem& p) {
    return has_columns_closer(p) ? core::swapped(p) : p;
}

operand_shape shape_of_a(const core::problem& p) {
    return {p.a_type, p.m, p.k, p.a_layout.row_stride, p.a_layout.col_stride};
}
operand_shape shape_of_b(const core::problem& p) {
    return {p.b_type, p.n, p.k, p.b_layout.col_stride, p.b_layout.row_stride};
}

// Packing reads every line and writes it.
double packing_bytes(const operand_shape& of, std::int64_t matrices) {
    return 2.0 * static_cast<double>(core::bytes_of(of.type, of.lines * of.depth * matrices));
}

plan::fma_operand planned_as(const operand_shape& of, bool is_aligned, std::int64_t matrices) {
    const plan::lying lies = lying_of(of, is_aligned, matrices);
    return {lies, packing_bytes(of, matrices), runs_along_k(of, lies)};
}

// The hardware starts a CTA on each SM before it starts a second one on any. SMs stay free for
// other work only where the kernel has one CTA on each of the rest.
plan::fma_way as_launched(plan::fma_way tile) {
    if (core::left_sms() == 0) return tile;
    tile.ctas_per_sm = 1;
    tile.share *= tile.alone;
    tile.alone = 1;
    return tile;
}

std::vector<plan::fma_way> tiles_as_launched(dtype type) {
    const auto all = tiles_of(type);
    std::vector<plan::fma_way> launched(all.size());
    std::ranges::transform(all, launched.begin(), as_launched);
    return launched;
}

template <class T>
class product final : public gemm_product {
  public:
    product(const core::gpu_call& call, const plan::gpu_plan& with)
        : swap_ab_(has_columns_closer(call.problem)),
          problem_(by_rows(call.problem)),
          products_(swap_ab_ ? call.products.swapped() : call.products),
          sms_(sms_for_products()),
          aligned_(swap_ab_ ? call.aligned.swapped() : call.aligned),
          request_(request_for(call, {}, sms_)),
          plan_(with),
          row_(with.row),
          tile_(as_launched(kernel_table[row_].tile())),
          a_(shape_of_a(problem_), kernel_table[row_].reads(), aligned_.a, products_.matrices_a()),
          b_(shape_of_b(problem_), kernel_table[row_].reads(), aligned_.b, products_.matrices_b()) {
        choose();
    }

    bool run(const bindings& given) const override {
        if (products_.are > core::multiplicity::strided) return false;
        const bindings with = swap_ab_ ? given.swapped() : given;
        const kernel<T>& k = *kernel_;
        pack_both(with);
        const operand_maps a = maps_of(a_, with.data.a, with.apart.a, k.block_m, k.raw_a);
        const operand_maps b = maps_of(b_, with.data.b, with.apart.b, k.block_n, k.raw_b);
        k.launch(a, b, arguments_for(with.data.c, with.source(), with.apart.c, depth_of(a)), shape_,
                 with.stream);
        return true;
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }
    [[nodiscard]] std::optional<core::gpu_prediction> predicted(
        const core::roofline_rates& here) const override {
        const plan::gpu_costs costs = plan::costs_at(costs_in_use(), here.memory_gb_per_s * 1e9);
        const plan::packed_first packed = plan::packing_before(tile_, request_);
        const double stored = static_cast<double>(
            core::bytes_of(problem_.c_type, problem_.m * problem_.n * products_.count));
        return plan::predict({.kind = "fma",
                              .unit = "multiply-add units",
                              .stored_bytes = stored,
                              .packed_bytes = packed.lines + packed.columns},
                             plan::work_of(tile_, cut(), request_, costs),
                             plan::fma_costs_of(tile_, request_.type, costs).sharing, here);
    }
    [[nodiscard]] core::plan_facts planned() const override {
        const auto text = [](auto number) { return std::to_string(number); };
        core::plan_facts told;
        told.why = plan::text_of(plan_) + ", " + text(tiles_m_ * tiles_n_ * products_.count) +
                   " of them\n";
        told.rows = problem_.m;
        told.cols = problem_.n;
        return told;
    }

  private:
    [[nodiscard]] plan::fma_cut cut() const {
        return {plan_.cluster_k, plan_.split_k / plan_.cluster_k};
    }

    [[nodiscard]] operand_maps maps_of(const operand& of, const void* data, std::int64_t apart,
                                       int tile_lines, const raw_box& box) const {
        using enum plan::arrival;
        const bool is_ready = tile_.arrives == turned && of.is_ready(data);
        if (tile_.arrives == ready || is_ready) {
            operand_maps maps = of.maps(data, apart, tile_lines, kernel_->block_k);
            maps.is_ready = is_ready;
            return maps;
        }
        return of.parts(data, apart, tile_lines, box);
    }

    // How far along K the kernel goes: where A's lines of f32 are read as they arrive, each is as
    // long as what comes with it.
    [[nodiscard]] std::int64_t depth_of(const operand_maps& a) const {
        const bool begins_early =
            problem_.c_type == dtype::f32 && tile_.arrives == plan::arrival::straight;
        return problem_.k + (begins_early ? *std::ranges::max_element(a.ahead) : 0);
    }

    // Packs the operands that need it, in one launch.
    void pack_both(const bindings& with) const {
        packing all[2];
        std::size_t count = 0;
        if (a_.packed()) all[count++] = a_.packing_of(with.data.a, with.apart.a);
        if (b_.packed()) all[count++] = b_.packing_of(with.data.b, with.apart.b);
        if (count > 0) pack({all, count}, with.stream);
    }

    void choose() {
        kernel_ = &kernel_of<T>(row_, a_.lines_read(), b_.lines_read());
        const kernel<T>& k = *kernel_;
        tiles_m_ = plan::ceil_div(problem_.m, k.block_m);
        tiles_n_ = plan::ceil_div(problem_.n, k.block_n);
        const plan::fma_cut cut = this->cut();
        shape_.cluster = cut.cluster;
        const std::int64_t tiles = tiles_m_ * tiles_n_ * products_.count;
        const std::int64_t units = tiles * cut.groups;
        const std::int64_t resident = std::int64_t{sms_} * tile_.ctas_per_sm;
        const bool is_persistent = cut.cluster == 1 && plan::takes_tiles_in_turn(tile_, request_);
        shape_.ctas =
            static_cast<int>(is_persistent ? std::min(units, resident) : units * cut.cluster);
        if (cut.groups > 1) {
            parts_ = scratch(static_cast<std::size_t>(units * k.block_m * k.block_n) * sizeof(T));
            arrived_ = zeros(static_cast<std::size_t>(tiles * cut.cluster) * sizeof(ptx::flag));
        }
        shape_.shared_bytes = k.shared_bytes;
        // The hardware puts CTAs of a cluster on one SM rather than on one each, and other CTAs
        // where room is first. So shared memory is asked for that lets no more fit than needed.
        const std::int64_t each =
            plan::ceil_div(shape_.ctas, plan::ctas_at_a_time(cut.cluster, sms_));
        if (each < k.ctas_per_sm)
            shape_.shared_bytes =
                std::max(shape_.shared_bytes, (228 / (static_cast<int>(each) + 1) + 4) * 1024);
        facts_ = load_kernel(k.name, k.function, k.threads, shape_.shared_bytes, l1_share::least);
    }

    [[nodiscard]] arguments<T> arguments_for(void* c, const void* source, std::int64_t apart,
                                             std::int64_t depth) const {
        const core::problem& p = problem_;
        const core::layout& at = p.c_layout;
        const auto bytes = static_cast<std::int64_t>(sizeof(T));
        constexpr std::int64_t most_kept = 32'000'000;  // of the 50 MB of L2
        return {.c = static_cast<T*>(c),
                .source = static_cast<const T*>(source),
                .row_stride = at.row_stride,
                .col_stride = at.col_stride,
                .product_stride = apart,
                .is_vectorized = at.col_stride == 1 && is_aligned(c) && is_aligned(source) &&
                                 apart * bytes % 16 == 0 &&
                                 (p.m == 1 || at.row_stride * bytes % 16 == 0),
                .leaves_l2 = core::bytes_of(p.c_type, p.m * p.n * products_.count) > most_kept,
                .one_a = products_.one_a,
                .one_b = products_.one_b,
                .m = static_cast<int>(p.m),
                .n = static_cast<int>(p.n),
                .k_tiles = static_cast<int>(plan::ceil_div(depth, tile_.k)),
                .tiles_m = static_cast<int>(tiles_m_),
                .tiles_n = static_cast<int>(tiles_n_),
                .tiles = static_cast<int>(tiles_m_ * tiles_n_ * products_.count),
                .log2_cluster = std::countr_zero(static_cast<unsigned>(cut().cluster)),
                .groups = cut().groups,
                .units = static_cast<int>(tiles_m_ * tiles_n_ * products_.count) * cut().groups,
                .parts = static_cast<T*>(parts_.get()),
                .arrived = cut().groups == 1 ? nullptr : static_cast<ptx::flag*>(arrived_.get()),
                .alpha = static_cast<T>(p.alpha),
                .beta = static_cast<T>(p.beta)};
    }

    bool swap_ab_;
    core::problem problem_;
    core::product_set products_;
    int sms_;
    core::operand_alignment aligned_;
    plan::fma_request request_;
    plan::gpu_plan plan_;
    std::size_t row_;  // of the table
    plan::fma_way tile_;
    operand a_;
    operand b_;
    scratch parts_;
    zeros arrived_;
    const kernel<T>* kernel_ = nullptr;
    core::kernel_facts facts_;
    launch_shape shape_{};
    std::int64_t tiles_m_ = 0;
    std::int64_t tiles_n_ = 0;
};

// Whether tiles are counted in 32 bits, with K split among eight CTAs. One product's always are.
bool counts_tiles_of(const core::gpu_call& call) {
    constexpr std::int64_t smallest = 32;
    constexpr std::int64_t most = std::int64_t{1} << 27;
    const core::problem& p = call.problem;
    return call.products.count == 1 ||
           plan::ceil_div(p.m, smallest) * plan::ceil_div(p.n, smallest) <=
               most / call.products.count;
}

std::string why_not_on(const device_facts& gpu) {
    if (gpu.compute_capability == 90) return {};
    return "fma's TMA and clusters are those of compute capability 9.0";
}

bool is_for(const core::gpu_call& call) {
    return !call.is_on_tensor_cores();
}

overrides overrides_of(const plan::gemm_overrides& asked) {
    return {asked.block_m, asked.block_n, asked.split_k, 0, asked.arrives};
}

std::string why_not(const core::gpu_call& call, const plan::gemm_overrides& asked) {
    const dtype type = call.problem.c_type;
    return plan::reason_against(
        request_for({.problem = call.problem}, overrides_of(asked), sms_for_products()),
        tiles_of(type));
}

// Plain f32 in a batch is a candidate where TF32 or 3xTF32 was asked for.
bool may_stand_in(const core::gpu_call& call) {
    return call.products.are == core::multiplicity::strided && call.epilogue.is_identity() &&
           call.problem.a_type == dtype::f32;
}

std::optional<plan::gpu_plan> choose(const core::gpu_call& call, const plan_wish& wish) {
    if (!may_multiply(call)) return std::nullopt;
    const dtype type = call.problem.c_type;
    const auto found =
        plan::make_fma_plan(request_for(call, overrides_of(wish.asked), sms_for_products()),
                            tiles_as_launched(type), costs_in_use());
    if (!found) return std::nullopt;
    return plan::gpu_plan{.family = "fma",
                          .row = first_row_of(type) + found->tile,
                          .block_m = found->block_m,
                          .block_n = found->block_n,
                          .swap_ab = has_columns_closer(call.problem),
                          .split_k = found->cut.parts(),
                          .cluster_k = found->cut.cluster,
                          .seconds = found->seconds,
                          .chosen_by = wish.chosen_by};
}

}  // namespace

bool may_multiply(const core::gpu_call& call) {
    return call.products.are <= core::multiplicity::strided && (is_for(call) || may_stand_in(call));
}

plan::fma_request request_for(const core::gpu_call& call, const overrides& asked, int sms) {
    const bool swap = has_columns_closer(call.problem);
    const core::problem p = by_rows(call.problem);
    const core::product_set products = swap ? call.products.swapped() : call.products;
    const core::operand_alignment aligned = swap ? call.aligned.swapped() : call.aligned;
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .batch = products.count,
            .type = p.c_type,
            .c_on_16_bytes = core::bytes_of(p.c_type, p.c_layout.row_stride) % 16 == 0,
            .adds_e = p.beta != 0,
            .one_a = products.one_a,
            .one_b = products.one_b,
            .a = planned_as(shape_of_a(p), aligned.a, products.matrices_a()),
            .b = planned_as(shape_of_b(p), aligned.b, products.matrices_b()),
            .sms = sms,
            .leaves_sms = core::left_sms() > 0,
            .batch_invariant = call.batch_invariant,
            .block_m = asked.block_m,
            .block_n = asked.block_n,
            .split_k = asked.split_k,
            .cluster = asked.cluster,
            .arrives = asked.arrives};
}

std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call,
                                            const plan::gpu_plan& with) {
    if (!counts_tiles_of(call) ||
        !plan::reads_both(kernel_table[with.row].tile(), request_for(call, {}, 1)))
        return nullptr;
    if (call.problem.c_type == dtype::f64) return std::make_unique<product<double>>(call, with);
    return std::make_unique<product<float>>(call, with);
}

const family& row() {
    static constexpr family all = {.name = "fma",
                                   .why_not_on = why_not_on,
                                   .is_for = is_for,
                                   .why_not = why_not,
                                   .choose = choose,
                                   .prepare = prepare};
    return all;
}

}  // namespace carat::cuda::fma
