// cuBLASLt: the plan and the choice of a kernel are the caller's, so they happen while preparing.
// Two rows: the kernel that the heuristics rank first, and the fastest of all they propose, found
// by running each on data of its own.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <random>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scale.hpp"
#include "lab/rows/block_scale_places.hpp"
#include "lab/rows/operation.hpp"
#include "lab/space/cuda/device_space.hpp"
#include "lab/vendor/cublas/plan.hpp"
#include "lab/vendor/cublas/rows.hpp"

namespace carat::vendor::cublas {

namespace {

constexpr int most_proposals = 24;
constexpr double search_s = 2;  // no new proposal is tried after that long
constexpr unsigned usual_alignment = 256;

// Memory full of random bytes: of any type they are numbers of all sizes, and toggle as many wires.
space::buffer random_operand(space::execution_space& gpu, const rows::whole_matrix& of,
                             dtype type) {
    const auto bytes = static_cast<std::size_t>(core::extent_elements(of.rows, of.cols, of.where)) *
                       size_bytes(type);
    space::buffer memory(gpu, bytes);
    std::vector<std::uint64_t> pattern(std::size_t{1} << 17);
    std::mt19937_64 random(1);
    std::ranges::generate(pattern, random);
    for (std::size_t at = 0; at < bytes; at += pattern.size() * 8)
        gpu.upload(static_cast<std::byte*>(memory.data()) + at, pattern.data(),
                   std::min(bytes - at, pattern.size() * 8));
    return memory;
}

// The fastest of `proposals`, each warmed once and then timed three times.
cublasLtMatmulAlgo_t fastest(const rows::operation& all, const plan& product,
                             const std::vector<cublasLtMatmulAlgo_t>& proposals) {
    space::execution_space& gpu = space::cuda::device_space(carat::cuda::device_in_use());
    const space::buffer a = random_operand(gpu, whole_a(all), all.one.a_type);
    const space::buffer b = random_operand(gpu, whole_b(all), all.one.b_type);
    const space::buffer c = random_operand(gpu, whole_c(all), all.one.c_type);
    const space::buffer bias =
        random_operand(gpu, {1, all.one.n, core::row_major(all.one.n)}, stored_bias_type_of(all));
    const space::buffer e = random_operand(gpu, whole_c(all), all.one.c_type);
    const core::operands data{a.data(), b.data(), c.data(), all.other_e ? e.data() : nullptr};
    if (all.last.bias) product.set_bias(bias.data());
    const std::int64_t count = all.block_scales ? rows::block_scale_places(all.one).count() : 1;
    const space::buffer scales =
        random_operand(gpu, {1, count, core::row_major(count)}, dtype::f32);
    if (all.block_scales) product.set_scales(all.one, static_cast<const float*>(scales.data()));
    double best_s = std::numeric_limits<double>::infinity();
    double spent_s = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < proposals.size() && spent_s < search_s; ++i) {
        bool works = true;
        const auto run = [&] {
            works = works && product.start(data, proposals[i]) == CUBLAS_STATUS_SUCCESS;
        };
        spent_s += gpu.time_s(run);
        if (!works) continue;
        for (int repeat = 0; repeat < 3; ++repeat) {
            const double taken = gpu.time_s(run);
            spent_s += taken;
            if (taken < best_s) {
                best_s = taken;
                best = i;
            }
        }
    }
    return proposals[best];
}

// None of a group, whose products have a plan each.
batch batch_of(const rows::operation& all) {
    if (all.is_one_product() || all.is_group()) return {};
    const rows::distances apart = distances_of(all);
    return {static_cast<std::int32_t>(all.count), apart.a, apart.b, apart.c};
}

// That of all products of a batch whose first is aligned.
unsigned alignment_of(const rows::operation& all) {
    if (all.is_one_product() || all.is_group()) return usual_alignment;
    std::int64_t bytes = usual_alignment;
    const auto keep = [&](std::int64_t apart, dtype type) {
        while (apart * static_cast<std::int64_t>(size_bytes(type)) % bytes != 0) bytes /= 2;
    };
    const rows::distances apart = distances_of(all);
    keep(apart.a, all.one.a_type);
    keep(apart.b, all.one.b_type);
    keep(apart.c, all.one.c_type);
    return static_cast<unsigned>(bytes);
}

class matmul final : public rows::runnable {
  public:
    matmul(const rows::operation& all, shortcut taken, bool search, origin from)
        : problem_(all.one), all_(all) {
        const core::problem& p = problem_;
        if (is_degenerate(p)) return;
        plan_.emplace(p, taken, batch_of(all), from, all.last, all.block_scales);
        const auto proposals = plan_->proposals(search ? most_proposals : 1, alignment_of(all));
        if (proposals.empty()) throw error(error_code::unsupported, "cuBLASLt has no such kernel");
        aligned_ = search ? fastest(all, *plan_, proposals) : proposals.front();
        // Operands inside larger matrices may begin anywhere: this plan is for them.
        const auto anywhere = plan_->proposals(1, static_cast<unsigned>(size_bytes(p.a_type)));
        if (!anywhere.empty()) unaligned_ = anywhere.front();
    }

    void run(const core::operands& data) override {
        if (is_degenerate(problem_)) return carat::cuda::scale_c(problem_, data.c);
        const bool aligned = is_aligned(data.a) && is_aligned(data.b) && is_aligned(data.c);
        if (!aligned && !unaligned_)
            throw error(error_code::unsupported,
                        "cuBLASLt has no kernel for operands that are not aligned to 256 bytes");
        if (all_.last.bias) plan_->set_bias(stored_bias(all_, data.bias));
        if (all_.block_scales) plan_->set_scales(problem_, data.scales);
        check(plan_->start(data, aligned ? aligned_ : *unaligned_), "cublasLtMatmul");
    }

    [[nodiscard]] std::string note() const override { return note_on(problem_); }

  private:
    static bool is_aligned(const void* memory) {
        return reinterpret_cast<std::uintptr_t>(memory) % usual_alignment == 0;
    }

    core::problem problem_;
    rows::operation all_;
    std::optional<plan> plan_;
    cublasLtMatmulAlgo_t aligned_{};
    std::optional<cublasLtMatmulAlgo_t> unaligned_;
};

// `What` is a core::problem or a rows::operation.
template <shortcut Taken, bool Search, origin From, class What>
std::unique_ptr<rows::runnable> prepare(const What& what, const core::settings&) {
    return std::make_unique<matmul>(what, Taken, Search, From);
}

// A plan for each size of a group, as cuBLASLt has no call for several.
template <shortcut Taken, bool Search, origin From>
std::unique_ptr<rows::runnable> prepare_all(const rows::operation& all, const core::settings& s) {
    if (!all.is_group()) return prepare<Taken, Search, From>(all, s);
    return loop_over(
        [&](const core::problem& p) {
            rows::operation one(p);
            one.last = all.last;
            one.other_e = all.other_e;
            return prepare<Taken, Search, From>(one, s);
        },
        all);
}

template <shortcut Taken, origin From>
std::string unsupported(const core::problem& p, const core::settings&) {
    if (std::string why = reason_against(p); !why.empty() || is_degenerate(p)) return why;
    if (!plan(p, Taken, {}, From).proposals(1, usual_alignment).empty()) return {};
    return fmt::format("cuBLASLt has no kernel for {} with these layouts", describe(p));
}

template <shortcut Taken, origin From>
std::string reason_against_scales(const rows::operation& all) {
    if (Taken != shortcut::none) return "cuBLASLt has scales of blocks for promoted sums alone";
    try {
        if (!plan(all.one, Taken, {}, From, {}, true).proposals(1, usual_alignment).empty())
            return {};
    } catch (const error& why) {
        return why.what();
    }
    return fmt::format("cuBLASLt has no kernel for {} with scales of blocks", describe(all.one));
}

template <shortcut Taken, origin From>
std::string unsupported_batch(const rows::operation& all, const core::settings&) {
    if (is_degenerate(all.one)) return "cuBLASLt is not asked for empty products";
    if (all.last.f == rows::activation::silu) return "cuBLASLt has no silu";
    if (all.last.f != rows::activation::none && all.one.beta != 0)
        return "cuBLASLt adds beta C before the activation, not after it";
    if (all.last.bias && !shape_for_blas(all.one).swapped)
        return "cuBLASLt adds a bias to the rows of a C by columns, not to its columns";
    if (all.lies != rows::placement::strided && all.count > 1)
        return "cuBLASLt is called for batches at one distance alone";
    if (all.block_scales) return reason_against_scales<Taken, From>(all);
    const core::problem largest = largest_of(all);
    if (!plan(largest, Taken, batch_of(all), From, all.last)
             .proposals(1, alignment_of(all))
             .empty())
        return {};
    return fmt::format("cuBLASLt has no kernel for {} so called with these layouts",
                       describe(largest));
}

constexpr std::span<const core::signature> signatures_of(shortcut taken) {
    if (taken == shortcut::tf32) return tf32_types;
    if (taken == shortcut::fast_fp8) return fp8_fast_types;
    return lt_types;
}

template <shortcut Taken, bool Search, origin From = origin::system>
constexpr rows::implementation row(std::string_view name, std::string_view summary) {
    return {.name = name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = signatures_of(Taken),
            .unavailable = From == origin::system ? unavailable : unavailable_newest,
            .unsupported = unsupported<Taken, From>,
            .prepare = prepare<Taken, Search, From, core::problem>,
            .library = From == origin::system ? cublaslt_facts : newest_facts,
            .unsupported_operation = unsupported_batch<Taken, From>,
            .prepare_operation = prepare_all<Taken, Search, From>,
            .takes_groups = true,
            .takes_other_e = true,
            .takes_block_scales = true};
}

}  // namespace

constinit const rows::implementation cublaslt_row = row<shortcut::none, false>(
    "vendor.cublaslt", "NVIDIA cuBLASLt, the kernel its heuristics rank first");
constinit const rows::implementation cublaslt_best_row = row<shortcut::none, true>(
    "vendor.cublaslt_best", "NVIDIA cuBLASLt, the fastest kernel its heuristics propose");
constinit const rows::implementation cublaslt_tf32_row = row<shortcut::tf32, false>(
    "vendor.cublaslt_tf32", "NVIDIA cuBLASLt on f32 data as tf32, first ranked");
constinit const rows::implementation cublaslt_tf32_best_row = row<shortcut::tf32, true>(
    "vendor.cublaslt_tf32_best", "NVIDIA cuBLASLt on f32 data as tf32, fastest proposed");
constinit const rows::implementation cublaslt_newest_row =
    row<shortcut::none, false, origin::newest>(
        "vendor.cublaslt_newest", "NVIDIA cuBLASLt of the newest package, first ranked");
constinit const rows::implementation cublaslt_newest_best_row =
    row<shortcut::none, true, origin::newest>(
        "vendor.cublaslt_newest_best", "NVIDIA cuBLASLt of the newest package, fastest proposed");
constinit const rows::implementation cublaslt_newest_tf32_row =
    row<shortcut::tf32, false, origin::newest>(
        "vendor.cublaslt_newest_tf32", "NVIDIA cuBLASLt of the newest package, tf32, first ranked");
constinit const rows::implementation cublaslt_newest_tf32_best_row =
    row<shortcut::tf32, true, origin::newest>(
        "vendor.cublaslt_newest_tf32_best",
        "NVIDIA cuBLASLt of the newest package, tf32, fastest proposed");
constinit const rows::implementation cublaslt_fp8_fast_row = row<shortcut::fast_fp8, false>(
    "vendor.cublaslt_fp8_fast", "NVIDIA cuBLASLt, fp8 summed in 14 bits, first ranked");
constinit const rows::implementation cublaslt_fp8_fast_best_row = row<shortcut::fast_fp8, true>(
    "vendor.cublaslt_fp8_fast_best", "NVIDIA cuBLASLt, fp8 summed in 14 bits, fastest proposed");

}  // namespace carat::vendor::cublas
