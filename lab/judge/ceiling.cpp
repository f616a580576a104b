#include "lab/judge/ceiling.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/dtype_traits.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/gpu/limits.hpp"
#include "lab/gpu/roofline.hpp"
#include "lab/machine/description.hpp"
#include "lab/machine/roofline.hpp"
#include "lab/rows/operation.hpp"

namespace carat::judge {

namespace {

// A product may honestly be composed of products in narrower types that run on faster units: f32
// from three bf16 parts or two tf32 parts, f64 from seven i8 slices. This is the least number of
// products each takes.
constexpr double bf16_for_f32 = 6, tf32_for_f32 = 3, i8_for_f64 = 28;

template <class Peak>  // GFLOP/s of a type, if it was measured
double with_emulation(dtype type, const Peak& peak) {
    const double plain = peak(type);
    if (type == dtype::f32) return std::max(plain, peak(dtype::bf16) / bf16_for_f32);
    if (type == dtype::f64) return std::max(plain, peak(dtype::i8) / i8_for_f64);
    return plain;
}

// GFLOP/s that no product of this kind can exceed, or 0 if unknown. `anew` measures again, since
// the cached value may be too low.
class limit_of {
  public:
    limit_of(const timed_case& c, dtype type, const table_of_rules& rules)
        : on_gpu_(rules.gpu != nullptr), threads_(rules.asked.threads) {
        all_.one = problem_of(type, c.size, c.rows);
    }

    [[nodiscard]] double known() {
        if (on_gpu_) {
            gpu_ = gpu::know(gpu::in_use());
            return of_gpu();
        }
        how_.threads = {threads_};
        cpu_ = machine::load_or_measure(here_, how_);
        return of_cpu();
    }

    [[nodiscard]] double anew() {
        if (on_gpu_) {
            gpu_.limits = gpu::refresh(gpu_);
            return of_gpu();
        }
        cpu_ = machine::refresh(here_, cpu_, how_);
        return of_cpu();
    }

  private:
    // Operands may come from caches, as the judge has just written them.
    [[nodiscard]] double of_cpu() const {
        constexpr core::isa any = core::all_isas.back();
        const auto roof = machine::roofline(cpu_, all_, threads_, any);
        if (roof && roof->bound != "compute") return roof->gflops;
        return with_emulation(all_.one.a_type, [this](dtype type) {
            return machine::peak_gflops(cpu_, type, threads_, any).value_or(0);
        });
    }
    [[nodiscard]] double of_gpu() const {
        const auto peak = [this](dtype type, std::string_view in) {
            return gpu::peak_gflops(gpu_.limits, type, in).value_or(0);
        };
        const dtype type = all_.one.a_type;
        const double most = with_emulation(
            type, [&](dtype t) { return peak(t, carat::name(core::accumulator_of(t))); });
        return type == dtype::f32 ? std::max(most, peak(type, "tf32") / tf32_for_f32) : most;
    }

    bool on_gpu_;
    int threads_;
    rows::operation all_;
    machine::description here_ = machine::describe();
    machine::measure_options how_;
    machine::peaks cpu_;
    gpu::known_gpu gpu_;
};

}  // namespace

ceiling_check ceiling_sentence(double target_gflops, double peer_gflops, double limit_gflops) {
    const double most = limit_gflops * machine::impossible_slack;
    if (limit_gflops <= 0 || target_gflops <= most) return {};
    if (peer_gflops > most)
        return {{},
                fmt::format("the limit measured here, {:.4g} GFLOP/s, is below what the target and "
                            "a peer reach, {:.4g} and {:.4g}: `carat info --measure` measures it "
                            "again",
                            limit_gflops, target_gflops, peer_gflops)};
    return {fmt::format("{:.4g} GFLOP/s are above the limit measured here, {:.4g}, twice: the work "
                        "was not done, or not in that time",
                        target_gflops, limit_gflops),
            {}};
}

ceiling_check hold_against_peak(const timed_case& c, dtype type, const table_of_rules& rules) {
    if (c.target.median_s >= c.peers.front().median_s) return {};
    const double target = c.gflops(c.target), peer = c.gflops(c.peers.front());
    limit_of limit(c, type, rules);
    if (ceiling_sentence(target, peer, limit.known()).foul.empty()) return {};
    return ceiling_sentence(target, peer, limit.anew());
}

}  // namespace carat::judge
