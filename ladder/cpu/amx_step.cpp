// The rows of steps 16 to 18: threads and memory around the files of amx/, which are compiled for
// tile registers.
#include <omp.h>
#include <vector>

#include "core/isa.hpp"
#include "ladder/cpu/amx/amx.hpp"
#include "ladder/cpu/blocked.hpp"

namespace carat::ladder::cpu {

#if defined(__x86_64__)
namespace amx {
extern const amx_functions functions;
}
const amx_functions* amx_in_use() {
    return core::isa_in_use() == core::isa::amx ? &amx::functions : nullptr;
}
#else
const amx_functions* amx_in_use() {
    return nullptr;
}
#endif

namespace {

// A and B of a product, packed by all threads of the team that calls pack().
class packed_operands {
  public:
    packed_operands(std::int64_t m, std::int64_t n, std::int64_t k)
        : depth_(rounded_up(k, amx_edge)),
          a_(workspace<std::uint16_t>(rounded_up(m, amx_edge), depth_)),
          b_(workspace<std::uint16_t>(rounded_up(n, amx_edge), depth_)) {}

    void pack(const bf16_product& p) {
        const std::int64_t depth = rounded_up(p.k, amx_edge);
        const int own = omp_get_thread_num();
        const int count = omp_get_num_threads();
        const share cols = share_of(p.n, amx_edge, own, count);
        const share rows = share_of(p.m, amx_edge, own, count);
        const amx_functions& with = *amx_in_use();
        with.pack_b(columns_of(p, cols.first, cols.size), b() + cols.first * depth);
        with.pack_a(rows_of(p, rows.first, rows.size), a() + rows.first * depth);
#pragma omp barrier
    }

    [[nodiscard]] std::uint16_t* a() const {
        return static_cast<std::uint16_t*>(a_.data());
    }
    [[nodiscard]] std::uint16_t* b() const {
        return static_cast<std::uint16_t*>(b_.data());
    }

  private:
    std::int64_t depth_;
    space::buffer a_, b_;
};

// Step 16: the loops of step 15.
class in_panels {
  public:
    static constexpr bool adds = true;  // to a C that is multiplied by beta before

    in_panels(std::int64_t m, std::int64_t n, std::int64_t k, int threads)
        : mc_(std::clamp(rounded_up(m / (2 * threads) + 1, amx_edge), amx_edge, 8 * amx_edge)),
          packed_(m, std::min(nc, n), std::min(kc, k)) {}

    // Every thread of the team runs this.
    void operator()(const bf16_product& all) {
        for (std::int64_t j = 0; j < all.n; j += nc)
            for (std::int64_t l = 0; l < all.k; l += kc)
                multiply_panel(depth_of(columns_of(all, j, std::min(nc, all.n - j)), l,
                                        std::min(kc, all.k - l)));
    }

  private:
    static constexpr std::int64_t kc = 512;
    static constexpr std::int64_t nc = 4096;  // 4 MB of B, in L3

    void multiply_panel(const bf16_product& p) {
        packed_.pack(p);
        const std::int64_t depth = rounded_up(p.k, amx_edge);
        const std::int64_t across = rounded_up(p.n / (2 * omp_get_num_threads()) + 1, amx_edge);
#pragma omp for collapse(2) schedule(dynamic)
        for (std::int64_t i = 0; i < p.m; i += mc_)
            for (std::int64_t j = 0; j < p.n; j += across)
                amx_in_use()->multiply_panel(
                    columns_of(rows_of(p, i, std::min(mc_, p.m - i)), j, std::min(across, p.n - j)),
                    packed_.a() + i * depth, packed_.b() + j * depth);
    }

    std::int64_t mc_;
    packed_operands packed_;
};

// Steps 17 and 18: blocks of C whose sums stay in L2. If C is larger than twice L2, Large computes
// them.
template <auto amx_functions::*Small, auto amx_functions::*Large>
class in_blocks {
  public:
    static constexpr bool adds = false;

    in_blocks(std::int64_t m, std::int64_t n, std::int64_t k, int threads)
        : multiply_(m * n * std::int64_t{sizeof(float)} >= 2 * caches().l2_bytes
                        ? amx_in_use()->*Large
                        : amx_in_use()->*Small),
          packed_(m, n, k) {
        // Smaller blocks where there would be fewer than two for each thread.
        const auto blocks = [&] { return ((m + mc_ - 1) / mc_) * ((n + nc_ - 1) / nc_); };
        while (threads > 1 && blocks() < 2 * threads && mc_ > 2 * amx_edge)
            (mc_ >= nc_ ? mc_ : nc_) /= 2;
        for (int t = 0; t < threads; ++t) sums_.push_back(workspace<float>(mc_, nc_));
    }

    // Every thread of the team runs this.
    void operator()(const bf16_product& all) {
        packed_.pack(all);
        const std::int64_t depth = rounded_up(all.k, amx_edge);
        auto* const sums =
            static_cast<float*>(sums_[static_cast<size_t>(omp_get_thread_num())].data());
#pragma omp for collapse(2) schedule(dynamic)
        for (std::int64_t j = 0; j < all.n; j += nc_)
            for (std::int64_t i = 0; i < all.m; i += mc_)
                multiply_(columns_of(rows_of(all, i, std::min(mc_, all.m - i)), j,
                                     std::min(nc_, all.n - j)),
                          packed_.a() + i * depth, packed_.b() + j * depth, sums);
    }

  private:
    decltype(amx_functions::multiply_block) multiply_;
    std::int64_t mc_ = 16 * amx_edge;  // of 2 MB of L2 sums of mc x nc take a quarter,
    std::int64_t nc_ = 8 * amx_edge;   // and a slab of B of 2048 x nc half
    packed_operands packed_;
    std::vector<space::buffer> sums_;
};

int granted(int threads) {
    int count = 1;
#pragma omp parallel num_threads(threads)
#pragma omp single
    count = omp_get_num_threads();
    return count;
}

template <class Step>
class amx_runnable final : public rows::runnable {
  public:
    amx_runnable(const core::problem& p, const core::settings& s)
        : problem_(p),
          turned_(is_turned(p.c_layout)),
          threads_(granted(s.threads)),
          step_(turned_ ? p.n : p.m, turned_ ? p.m : p.n, p.k, threads_) {}

    void run(const core::operands& data) override {
        const matrix_view<float> c = core::c_view<float>(problem_, data);
        const bool no_product = c.empty() || problem_.k == 0 || problem_.alpha == 0;
        if (Step::adds || no_product) scale(static_cast<float>(problem_.beta), c);
        if (no_product) return;
        const bf16_product all = as_product(data);
#pragma omp parallel num_threads(threads_)
        {
            amx_in_use()->configure();
            step_(all);
            amx_in_use()->release();
        }
    }

    [[nodiscard]] int threads() const override {
        return threads_;
    }

  private:
    [[nodiscard]] bf16_product as_product(const core::operands& data) const {
        const core::problem& p = problem_;
        const strided<const std::uint16_t> a = {static_cast<const std::uint16_t*>(data.a),
                                                p.a_layout.row_stride, p.a_layout.col_stride};
        const strided<const std::uint16_t> b = {static_cast<const std::uint16_t*>(data.b),
                                                p.b_layout.row_stride, p.b_layout.col_stride};
        const strided<float> c = {static_cast<float*>(data.c), p.c_layout.row_stride,
                                  p.c_layout.col_stride};
        const auto alpha = static_cast<float>(p.alpha);
        const auto beta = static_cast<float>(p.beta);
        const auto turn = [](auto s) { return decltype(s){s.data, s.col_stride, s.row_stride}; };
        if (turned_) return {p.n, p.m, p.k, alpha, beta, turn(b), turn(a), turn(c)};
        return {p.m, p.n, p.k, alpha, beta, a, b, c};
    }

    core::problem problem_;
    bool turned_;
    int threads_;
    Step step_;
};

constexpr core::signature amx_types[] = {{dtype::bf16, dtype::bf16, dtype::f32, "f32"}};

std::string unavailable_amx() {
    if (amx_in_use() != nullptr) return {};
    return "it needs AMX tile registers, and this processor has none that this process may use: "
           "take cpu.engine";
}

template <class Step>
std::unique_ptr<rows::runnable> prepare_amx(const core::problem& p, const core::settings& s) {
    return std::make_unique<amx_runnable<Step>>(p, s);
}

template <auto amx_functions::*Large>
constexpr auto prepare_blocks = prepare_amx<in_blocks<&amx_functions::multiply_block, Large>>;

}  // namespace

extern const rows::implementation amx_entries[3];
constexpr rows::implementation amx_entries[3] = {
    {.name = "cpu.ladder.amx",
     .summary = "bf16 on the matrix unit: tile registers, pairs along K, all threads",
     .signatures = amx_types,
     .threaded = true,
     .unavailable = unavailable_amx,
     .unsupported = unsupported,
     .prepare = prepare_amx<in_panels>},
    {.name = "cpu.ladder.amx_blocked",
     .summary = "and blocks of C whose sums stay in L2 over all of K",
     .signatures = amx_types,
     .threaded = true,
     .unavailable = unavailable_amx,
     .unsupported = unsupported,
     .prepare = prepare_blocks<&amx_functions::multiply_block>},
    {.name = "cpu.ladder.amx_streamed",
     .summary = "and a large C leaves past the caches while the next tile is multiplied",
     .signatures = amx_types,
     .threaded = true,
     .unavailable = unavailable_amx,
     .unsupported = unsupported,
     .prepare = prepare_blocks<&amx_functions::multiply_block_streamed>},
};

}  // namespace carat::ladder::cpu
