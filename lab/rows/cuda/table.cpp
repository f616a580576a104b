#include "lab/rows/cuda/table.hpp"

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/engine/arithmetic.hpp"
#include "cuda/engine/call.hpp"
#include "cuda/engine/kept_plans.hpp"
#include "cuda/engine/select.hpp"
#include "cuda/engine/tunables.hpp"
#include "lab/rows/block_scale_places.hpp"
#include "lab/rows/operation.hpp"
#include "lab/rows/predicting.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace carat::rows::cuda {

namespace engine = gpu_engine;
using core::gpu_arithmetic;

namespace {

// Scales of blocks that are all 1, so that the row computes what the others do; each is read all
// the same.
class unit_scales {
  public:
    explicit unit_scales(const core::problem& p) {
        const auto tiles = [](std::int64_t extent) { return (extent + 127) / 128; };
        const std::int64_t of_k = tiles(p.k);
        const std::int64_t of_n = tiles(p.n);
        const std::vector<float> ones(static_cast<std::size_t>((p.m + of_n) * of_k), 1.0F);
        space::execution_space& gpu = space::cuda::device_space(carat::cuda::device_in_use());
        memory_ = space::buffer(gpu, ones.size() * sizeof(float));
        gpu.upload(memory_.data(), ones.data(), ones.size() * sizeof(float));
        const auto* const first = static_cast<const float*>(memory_.data());
        scales_ = {first, static_cast<std::int32_t>(of_k), 1, first + p.m * of_k,
                   1,     static_cast<std::int32_t>(of_n)};
    }

    [[nodiscard]] const core::block_scales& get() const { return scales_; }

  private:
    space::buffer memory_;
    core::block_scales scales_;
};

// A product as the catalogue runs it, wherever its operands begin.
class row_product final : public runnable, public predicting {
  public:
    // Scales come with the operands unless they are `unit`.
    row_product(const core::gpu_call& call, core::settings s,
                const carat::cuda::epilogue_fusion& fusion = {}, bool unit = true)
        : call_(call), fusion_(fusion), settings_(std::move(s)) {
        const core::problem& p = call_.problem;
        const bool is_scaled =
            unit && call_.arithmetic == gpu_arithmetic::fp8_blocks && p.m > 0 && p.n > 0 && p.k > 0;
        if (is_scaled) scales_ = std::make_unique<unit_scales>(p);
        (void)ready_for({});
    }

    /// No kernel takes its GLU.
    [[nodiscard]] bool is_none() const { return aligned().product == nullptr; }

    void run(const core::operands& data) override {
        const ready& made = ready_for(carat::cuda::alignment_of(data));
        carat::cuda::bindings with{
            .data = data, .stream = carat::cuda::stream_in_use(), .fusion = fusion_};
        if (scales_ != nullptr) with.scales = scales_->get();
        if (data.scales != nullptr) with.scales = block_scale_places(call_.problem).at(data.scales);
        with.kept = made.kept.get();
        (void)made.product->run(with);
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override {
        return aligned().product->kernels();
    }
    [[nodiscard]] core::plan_facts planned() const override {
        core::plan_facts told = aligned().product->planned();
        if (const auto next = engine::runner_up(call_, settings_, aligned().with))
            told.why += "\nrunner-up: " + text_of(*next) + ", predicted " +
                        std::to_string(std::lround(1e7 * next->seconds) / 10) + "." +
                        std::to_string(std::lround(1e7 * next->seconds) % 10) + " us";
        return told;
    }
    [[nodiscard]] std::optional<core::gpu_prediction> predicted(
        const core::roofline_rates& here) const override {
        return aligned().product->predicted(here);
    }

  private:
    struct ready {
        plan::gpu_plan with;
        std::unique_ptr<const carat::cuda::gemm_product> product;
        std::unique_ptr<carat::cuda::launch_cache> kept;
    };

    [[nodiscard]] const ready& aligned() const { return made_[0]; }

    const ready& ready_for(const core::operand_alignment& aligned) {
        ready& here = made_[(aligned.a ? 0U : 1U) + (aligned.b ? 0U : 2U)];
        if (here.product != nullptr) return here;
        core::gpu_call call = call_;
        call.aligned = aligned;
        const auto chosen = engine::choose(call, settings_);
        if (!chosen) return here;
        here.with = *chosen;
        here.product = engine::prepare(call, *chosen);
        if (here.product != nullptr) here.kept = here.product->make_cache();
        return here;
    }

    core::gpu_call call_;
    carat::cuda::epilogue_fusion fusion_;
    core::settings settings_;
    std::unique_ptr<unit_scales> scales_;
    std::array<ready, 4> made_;  // for A and B aligned or not
};

core::gpu_call call_of(const operation& all, gpu_arithmetic how,
                       const core::product_set& products) {
    return {
        .problem = all.one, .e_layout = all.one.c_layout, .arithmetic = how, .products = products};
}

void start(const core::gpu_call& call, const core::gpu_operands& at) {
    engine::multiply(carat::cuda::device_in_use(), carat::cuda::stream_in_use(), call, at);
}

// Many products, by the public call's own way to the GPU, its checks of places included.
class row_batch final : public runnable {
  public:
    row_batch(const operation& all, gpu_arithmetic how)
        : all_(all), apart_(distances_of(all)), how_(how) {}

    void expect(const core::operands& data) override {
        if (all_.lies == placement::strided) return;
        std::vector<core::operands>& at = places_[data.c];
        at.clear();
        for (std::int64_t i = 0; i < all_.count; ++i)
            at.push_back(reading_e(product_at(all_, data, shuffled(all_, i))));
    }

    void run(const core::operands& data) override {
        const carat::detail::epilogue_steps steps = steps_of(all_, data.bias);
        core::gpu_operands at{.steps = steps.count == 0 ? nullptr : &steps};
        if (all_.lies == placement::strided) {
            at.first = reading_e(data);
            at.apart = {apart_.a, apart_.b, apart_.c, apart_.c};
        } else {
            if (!places_.contains(data.c)) expect(data);
            at.listed = places_.at(data.c);
        }
        start(call(), at);
    }

    // The plan of the launch for all products, where there is one.
    [[nodiscard]] core::plan_facts planned() const override {
        const core::gpu_call one = call();
        if (one.is_degenerate() || !engine::reason_against(one, {}).empty()) return {};
        return engine::plan_for(one, carat::cuda::device_in_use()).planned();
    }

  private:
    // What beta multiplies.
    [[nodiscard]] core::operands reading_e(core::operands data) const {
        if (all_.one.beta != 0 && !all_.other_e) data.e = data.c;
        return data;
    }
    [[nodiscard]] core::gpu_call call() const {
        const bool is_strided = all_.lies == placement::strided;
        return call_of(
            all_, how_,
            {is_strided ? core::multiplicity::strided : core::multiplicity::listed, all_.count});
    }

    operation all_;
    distances apart_;
    gpu_arithmetic how_;
    std::map<const void*, std::vector<core::operands>> places_;
};

// Those with rows, by the public call's way for lists.
class row_group final : public runnable {
  public:
    row_group(const operation& all, gpu_arithmetic how)
        : all_(all), apart_(distances_of(all)), how_(how) {}

    void expect(const core::operands& data) override {
        std::vector<core::gpu_product>& at = places_[data.c];
        at.clear();
        for (std::int64_t i = 0; i < all_.count; ++i) {
            const std::int64_t place = shuffled(all_, i);
            const core::problem p = problem_of(all_, place);
            if (p.m == 0) continue;
            core::operands one = product_at(all_, apart_, data, place);
            if (p.beta != 0 && !all_.other_e) one.e = one.c;
            at.push_back({p, p.c_layout, one});
        }
    }

    void run(const core::operands& data) override {
        if (!places_.contains(data.c)) expect(data);
        const carat::detail::epilogue_steps steps = steps_of(all_, data.bias);
        const std::vector<core::gpu_product>& all = places_.at(data.c);
        if (all.empty()) return;
        core::gpu_call call = call_of(all_, how_, {core::multiplicity::sized});
        call.problem = all.front().problem;
        start(call, {.sized = all, .steps = steps.count == 0 ? nullptr : &steps});
    }

  private:
    operation all_;
    distances apart_;
    gpu_arithmetic how_;
    std::map<const void*, std::vector<core::gpu_product>> places_;
};

// Those with rows, whose ends lie in GPU memory.
class row_ragged final : public runnable {
  public:
    row_ragged(const operation& all, gpu_arithmetic how)
        : all_(all), b_apart_(distances_of(all).b), how_(how) {
        std::vector<std::int32_t> ends;
        for (const std::int64_t rows : all_.rows)
            ends.push_back((ends.empty() ? 0 : ends.back()) + static_cast<std::int32_t>(rows));
        space::execution_space& gpu = space::cuda::device_space(carat::cuda::device_in_use());
        ends_ = space::buffer(gpu, ends.size() * sizeof(std::int32_t));
        gpu.upload(ends_.data(), ends.data(), ends.size() * sizeof(std::int32_t));
    }

    void run(const core::operands& data) override {
        const carat::detail::epilogue_steps steps = steps_of(all_, data.bias);
        core::operands whole = data;
        if (all_.one.beta != 0 && !all_.other_e) whole.e = whole.c;
        start(call_of(all_, how_,
                      {core::multiplicity::rows, static_cast<std::int64_t>(all_.rows.size())}),
              {.first = whole,
               .apart = {.b = b_apart_},
               .ends = static_cast<const std::int32_t*>(ends_.data()),
               .steps = steps.count == 0 ? nullptr : &steps});
    }

  private:
    operation all_;
    std::int64_t b_apart_;
    gpu_arithmetic how_;
    space::buffer ends_;
};

constexpr std::string_view loop_tunable = "loop";

bool is_loop(const core::settings& s) {
    const auto found = s.tunables.find(loop_tunable);
    return found != s.tunables.end() && found->second != 0;
}

template <gpu_arithmetic How>
std::string unsupported_batch(const operation& all, const core::settings& s) {
    if (all.block_scales)
        return How == gpu_arithmetic::fast_fp8
                   ? "scales of blocks are of promoted sums"
                   : engine::reason_against(call_of(all, gpu_arithmetic::fp8_blocks, {}), s);
    if (is_loop(s)) return reason_against_loop(all);
    if (How == gpu_arithmetic::fast_fp8 || How == gpu_arithmetic::fp8_blocks)
        return "the calls for batches and groups have no such sums of fp8: take [loop=1]";
    for (const auto& [name, value] : s.tunables)
        if (value != 0)
            return "the calls for batches and groups choose " + name +
                   " themselves: set it with loop=1 alone";
    return {};
}

template <gpu_arithmetic How>
std::unique_ptr<runnable> prepare_row(const core::problem& p, const core::settings& s) {
    return std::make_unique<row_product>(core::gpu_call{.problem = p, .arithmetic = How}, s);
}

template <gpu_arithmetic How>
std::unique_ptr<runnable> prepare_batch(const operation& all, const core::settings& s) {
    if (all.block_scales)
        return std::make_unique<row_product>(
            core::gpu_call{.problem = all.one, .arithmetic = gpu_arithmetic::fp8_blocks}, s,
            carat::cuda::epilogue_fusion{}, false);
    if (is_loop(s))
        return loop_over([&](const core::problem& p) { return prepare_row<How>(p, s); }, all);
    if (all.sizes_on_device) return std::make_unique<row_ragged>(all, How);
    if (all.is_listed()) return std::make_unique<row_group>(all, How);
    return std::make_unique<row_batch>(all, How);
}

template <gpu_arithmetic How>
std::string unsupported(const core::problem& p, const core::settings& s) {
    return engine::reason_against({.problem = p, .arithmetic = How}, s);
}

template <gpu_arithmetic How>
implementation row(std::string_view summary) {
    return {.name = engine::row_name(How),
            .summary = summary,
            .where = device::cuda,
            .signatures = engine::signatures_of(How),
            .tunables = engine::tunables(),
            .unavailable = carat::cuda::unavailable_in_use,
            .unsupported = unsupported<How>,
            .prepare = prepare_row<How>,
            .unsupported_operation = unsupported_batch<How>,
            .prepare_operation = prepare_batch<How>,
            .takes_groups = true,
            .takes_other_e = true,
            .takes_block_scales = true};
}

// The order is that of `core::gpu_arithmetic`.
const std::array<implementation, 5>& rows() {
    static const std::array all = {
        row<gpu_arithmetic::native>("carat's GPU kernels, the one that suits the problem"),
        row<gpu_arithmetic::tf32>("carat's GPU kernels on f32 data, rounded to tf32"),
        row<gpu_arithmetic::three_tf32>(
            "carat's GPU kernels on f32 data, each number as two of tf32"),
        row<gpu_arithmetic::fast_fp8>("carat's GPU kernels, fp8 summed in 14 bits"),
        row<gpu_arithmetic::fp8_blocks>(
            "carat's GPU kernels, fp8 with a scale for each block (all 1)")};
    return all;
}

}  // namespace

const implementation& row_of(gpu_arithmetic how) {
    return rows()[static_cast<std::size_t>(how)];
}

std::unique_ptr<runnable> prepare_fused(const core::problem& p,
                                        const carat::cuda::epilogue_fusion& fusion,
                                        const core::settings& s) {
    if (const std::string why = reason_against(row_of(gpu_arithmetic::native), p, s);
        !why.empty() && !fusion.is_glu)
        throw error(error_code::unsupported, why);
    const core::gpu_call call{.problem = p, .epilogue = carat::cuda::epilogue_of(fusion)};
    auto made = std::make_unique<row_product>(call, s, fusion);
    return made->is_none() ? nullptr : std::move(made);
}

rows::table table() {
    static const std::array all = {&rows()[0], &rows()[1], &rows()[2], &rows()[3], &rows()[4]};
    return all;
}

}  // namespace carat::rows::cuda
