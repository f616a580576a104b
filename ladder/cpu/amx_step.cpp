// The row of step 16: the loops of step 15 around the tiles of amx/16_amx.cpp.
#include <omp.h>

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

constexpr std::int64_t kc = 512;
constexpr std::int64_t nc = 4096;  // 4 MB of B, in L3

class amx_runnable final : public rows::runnable {
  public:
    amx_runnable(const core::problem& p, const core::settings& s)
        : problem_(p), turned_(is_turned(p.c_layout)) {
#pragma omp parallel num_threads(s.threads)
#pragma omp single
        threads_ = omp_get_num_threads();
        const std::int64_t depth = rounded_up(std::min(kc, p.k), amx_edge);
        const std::int64_t m = turned_ ? p.n : p.m;
        const std::int64_t n = turned_ ? p.m : p.n;
        mc_ = std::clamp(rounded_up(m / (2 * threads_) + 1, amx_edge), amx_edge, 8 * amx_edge);
        a_ = workspace<std::uint16_t>(rounded_up(m, amx_edge), depth);
        b_ = workspace<std::uint16_t>(rounded_up(std::min(nc, n), amx_edge), depth);
    }

    void run(const core::operands& data) override {
        const matrix_view<float> c = core::c_view<float>(problem_, data);
        scale(static_cast<float>(problem_.beta), c);
        if (c.empty() || problem_.k == 0 || problem_.alpha == 0) return;
        const bf16_product all = as_product(data);
#pragma omp parallel num_threads(threads_)
        {
            amx_in_use()->configure();
            for (std::int64_t j = 0; j < all.n; j += nc)
                for (std::int64_t l = 0; l < all.k; l += kc)
                    multiply_panel(depth_of(columns_of(all, j, std::min(nc, all.n - j)), l,
                                            std::min(kc, all.k - l)));
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
        const auto turn = [](auto s) { return decltype(s){s.data, s.col_stride, s.row_stride}; };
        if (turned_) return {p.n, p.m, p.k, alpha, turn(b), turn(a), turn(c)};
        return {p.m, p.n, p.k, alpha, a, b, c};
    }

    // Every thread of the team runs this, as in step 15.
    void multiply_panel(const bf16_product& p) {
        const amx_functions& with = *amx_in_use();
        auto* const packed_a = static_cast<std::uint16_t*>(a_.data());
        auto* const packed_b = static_cast<std::uint16_t*>(b_.data());
        const std::int64_t depth = rounded_up(p.k, amx_edge);
        const int own = omp_get_thread_num();
        const int count = omp_get_num_threads();
        const share cols = share_of(p.n, amx_edge, own, count);
        const share rows = share_of(p.m, amx_edge, own, count);
        with.pack_b(columns_of(p, cols.first, cols.size), packed_b + cols.first * depth);
        with.pack_a(rows_of(p, rows.first, rows.size), packed_a + rows.first * depth);
        const std::int64_t across = rounded_up(p.n / (2 * count) + 1, amx_edge);
#pragma omp barrier
#pragma omp for collapse(2) schedule(dynamic)
        for (std::int64_t i = 0; i < p.m; i += mc_)
            for (std::int64_t j = 0; j < p.n; j += across)
                with.multiply_packed(
                    columns_of(rows_of(p, i, std::min(mc_, p.m - i)), j, std::min(across, p.n - j)),
                    packed_a + i * depth, packed_b + j * depth);
    }

    core::problem problem_;
    bool turned_;
    int threads_ = 1;
    std::int64_t mc_ = 0;
    space::buffer a_, b_;
};

constexpr core::signature amx_types[] = {{dtype::bf16, dtype::bf16, dtype::f32, "f32"}};

std::string unavailable_amx() {
    if (amx_in_use() != nullptr) return {};
    return "it needs AMX tile registers, and this processor has none that this process may use: "
           "take cpu.engine";
}

std::unique_ptr<rows::runnable> prepare_amx(const core::problem& p, const core::settings& s) {
    return std::make_unique<amx_runnable>(p, s);
}

}  // namespace

extern const rows::implementation amx_entry;
constexpr rows::implementation amx_entry = {
    .name = "cpu.ladder.amx",
    .summary = "bf16 on the matrix unit: tile registers, pairs along K, all threads",
    .signatures = amx_types,
    .threaded = true,
    .unavailable = unavailable_amx,
    .unsupported = unsupported,
    .prepare = prepare_amx,
};

}  // namespace carat::ladder::cpu
