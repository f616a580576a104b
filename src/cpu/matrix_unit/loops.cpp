// jc over panels of B, ic over blocks of C, then slabs of k; inside, ir over micropanels of A and
// jr over the micropanels of a slab of B in L2.
//
// Sums of a block of C stay in L2 as 32 x 32 pieces of 4 KiB over all of K. C is written once, so
// its strides, which may alias in the caches, matter only then.
//
// Micropanels of B are multiplied forward and backward in turn, so that half of a micropanel of A,
// or what L1 holds of it, is still near when the next micropanel of B needs it. The direction
// depends on the column of C, so sums do not depend on threads.
#include "cpu/matrix_unit/loops.hpp"

#include <algorithm>

namespace carat::cpu_engine {

namespace {

constexpr std::int64_t pages(std::int64_t bytes) {
    return (bytes + 4095) / 4096 * 4096;
}

constexpr std::int64_t micropanels(std::int64_t lines) {
    return plan::ceil_div(lines, micropanel_extent);
}

class rectangle_product {
  public:
    rectangle_product(const matrix_unit_task& t, const plan::matrix_unit_plan& p,
                      std::byte* workspace)
        : t_(t),
          plan_(p),
          micropanel_bytes_(micropanel_bytes(*t.with, p.blocks.kc)),
          slabs_(plan::ceil_div(t.k, p.blocks.kc)) {
        const matrix_unit_memory memory = matrix_unit_memory_for(p, *t.with, t.m, t.k);
        a_ = workspace;
        b_ = a_ + memory.a;
        sums_ = b_ + memory.b;
    }

    void run() {
        for (jc_ = 0; jc_ < t_.n; jc_ += plan_.blocks.nc)
            for (ic_ = 0; ic_ < t_.m; ic_ += plan_.blocks.mc)
                for (slab_ = 0; slab_ < slabs_; ++slab_) run_slab();
        write_finished();
    }

  private:
    void run_slab() {
        nc_ = std::min(plan_.blocks.nc, t_.n - jc_);
        mc_ = std::min(plan_.blocks.mc, t_.m - ic_);
        pc_ = slab_ * plan_.blocks.kc;
        kc_ = std::min(plan_.blocks.kc, t_.k - pc_);
        steps_ = plan::ceil_div(kc_, t_.with->step_k());
        if (!t_.b_packed && (ic_ == 0 || !plan_.keeps_b))
            t_.with->pack_b(t_.b.at(jc_, pc_), t_.b.outer_stride, t_.b.k_stride, nc_, kc_,
                            micropanel_of_b(0), micropanel_bytes_);
        if (!t_.a_packed && plan_.packs_a_slabs && packs_a_now())
            t_.with->pack_a(t_.a.at(ic_, pc_), t_.a.outer_stride, t_.a.k_stride, mc_, kc_,
                            place_of_a(0), micropanel_bytes_);
        for (std::int64_t ir = 0; ir < mc_; ir += micropanel_extent) {
            const panel_source a = micropanel_of_a(ir);
            const int rows = static_cast<int>(std::min<std::int64_t>(micropanel_extent, mc_ - ir));
            for (std::int64_t jr = 0; jr < nc_; jr += micropanel_extent) {
                const int cols =
                    static_cast<int>(std::min<std::int64_t>(micropanel_extent, nc_ - jr));
                multiply(a, ir, jr, rows, cols);
            }
        }
    }

    void multiply(panel_source a, std::int64_t ir, std::int64_t jr, int rows, int cols) {
        std::byte* const c = t_.c_at(ic_ + ir, jc_ + jr);
        const bool last = slab_ + 1 == slabs_;
        // Final sums go straight from tiles to C, or later past the caches.
        const bool result =
            last && t_.plain && rows == micropanel_extent && cols == micropanel_extent;
        const bool straight = result && !t_.streams;
        std::byte* const sums = sums_at(ir, jr);
        const std::int64_t c_stride_bytes = t_.c_row_stride * t_.c_bytes;
        const std::byte* b = t_.b_packed ? t_.b.at(jc_ + jr, pc_) : micropanel_of_b(jr);
        std::int64_t b_stride = micropanel_step_bytes;
        if (goes_backward(ir, jr)) {
            a.data += (steps_ - 1) * a.step_stride_bytes;
            a.step_stride_bytes = -a.step_stride_bytes;
            b += (steps_ - 1) * b_stride;
            b_stride = -b_stride;
        }
        t_.with->multiply({.steps = steps_,
                           .a = a,
                           .b = b,
                           .b_step_stride_bytes = b_stride,
                           .sums = slab_ > 0 ? sums : nullptr,
                           .out = straight ? c : sums,
                           .out_stride_bytes = straight ? c_stride_bytes : sums_row_bytes,
                           .rows = rows,
                           .cols = cols,
                           .finished = finished_});
        finished_ = {};
        if (result && t_.streams) finished_ = {sums, c, c_stride_bytes};
        if (last && t_.epilogue != nullptr)
            (*t_.epilogue)({reinterpret_cast<float*>(sums), cols, rows,
                            sums_row_bytes / std::int64_t{sizeof(float)}, t_.first_col + jc_ + jr,
                            t_.first_row + ic_ + ir});
        if (last && !result)
            t_.store({sums, rows, cols, t_.alpha, t_.beta, c, c_stride_bytes, t_.c_col_stride});
    }

    bool goes_backward(std::int64_t ir, std::int64_t jr) const {
        const std::int64_t line =
            t_.turns_by_rows ? t_.first_row + ic_ + ir : t_.first_col + jc_ + jr;
        return line / micropanel_extent % 2 != 0;
    }

    void write_finished() {
        if (finished_.sums == nullptr) return;
        t_.store({finished_.sums, micropanel_extent, micropanel_extent, t_.alpha, t_.beta,
                  finished_.c, finished_.c_stride_bytes, t_.c_col_stride});
        finished_ = {};
    }

    bool reads_a(std::int64_t ir) const {
        return plan_.reads_a && mc_ - ir >= micropanel_extent && kc_ % t_.with->step_k() == 0;
    }

    panel_source micropanel_of_a(std::int64_t ir) const {
        const std::byte* in = t_.a.at(ic_ + ir, pc_);
        if (t_.a_packed) return {in};
        if (reads_a(ir)) {
            const std::int64_t outer_stride_bytes = t_.a.outer_stride * t_.a.element_bytes;
            return {in, outer_stride_bytes, outer_stride_bytes * tile_extent, step_bytes};
        }
        std::byte* const out = place_of_a(ir);
        if (!plan_.packs_a_slabs && packs_a_now())
            t_.with->pack_a(in, t_.a.outer_stride, t_.a.k_stride,
                            std::min<std::int64_t>(micropanel_extent, mc_ - ir), kc_, out,
                            micropanel_bytes_);
        return {out};
    }

    bool packs_a_now() const { return jc_ == 0 || !plan_.keeps_a; }

    std::byte* place_of_a(std::int64_t ir) const {
        const std::int64_t micropanel = ir / micropanel_extent;
        if (plan_.keeps_a)
            return a_ + (slab_ * micropanels(t_.m) + ic_ / micropanel_extent + micropanel) *
                            micropanel_bytes_;
        return plan_.packs_a_slabs ? a_ + micropanel * micropanel_bytes_ : a_;
    }

    std::byte* micropanel_of_b(std::int64_t jr) const {
        const std::int64_t slab = plan_.keeps_b ? slab_ * micropanels(plan_.blocks.nc) : 0;
        return b_ + (slab + jr / micropanel_extent) * micropanel_bytes_;
    }

    // A single slab writes its sums to C at once, or before the next ones replace them.
    std::byte* sums_at(std::int64_t ir, std::int64_t jr) const {
        const std::int64_t outer_stride = micropanels(plan_.blocks.nc);
        const std::int64_t i = ir / micropanel_extent * outer_stride + jr / micropanel_extent;
        return sums_ + (slabs_ > 1 ? i : 0) * sums_bytes;
    }

    const matrix_unit_task& t_;
    const plan::matrix_unit_plan& plan_;
    std::int64_t micropanel_bytes_;
    std::int64_t slabs_;
    std::byte* a_;
    std::byte* b_;
    std::byte* sums_;
    finished_sums finished_;
    std::int64_t jc_ = 0;
    std::int64_t ic_ = 0;
    std::int64_t slab_ = 0;
    std::int64_t nc_ = 0;
    std::int64_t mc_ = 0;
    std::int64_t kc_ = 0;
    std::int64_t pc_ = 0;
    std::int64_t steps_ = 0;
};

}  // namespace

// Two cache lines more than its tiles, so that micropanels, which are written together, do not
// compete for a few sets of L1: 15 against 21 GB/s at 1024^3.
std::int64_t micropanel_bytes(const matrix_unit_kernel& with, std::int64_t k) {
    return plan::ceil_div(k, with.step_k()) * micropanel_step_bytes + 2 * step_bytes;
}

matrix_unit_memory matrix_unit_memory_for(const plan::matrix_unit_plan& plan,
                                          const matrix_unit_kernel& with, std::int64_t m,
                                          std::int64_t k) {
    const std::int64_t slabs = plan::ceil_div(k, plan.blocks.kc);
    const std::int64_t micropanel = micropanel_bytes(with, plan.blocks.kc);
    matrix_unit_memory need;
    need.a = micropanel;
    if (plan.packs_a_slabs) need.a = micropanel * micropanels(plan.blocks.mc);
    if (plan.keeps_a) need.a = micropanel * micropanels(m) * slabs;
    if (plan.shares_a) need.a = 0;
    if (!plan.shares_b)
        need.b = micropanel * micropanels(plan.blocks.nc) * (plan.keeps_b ? slabs : 1);
    need.sums = sums_bytes;
    if (slabs > 1)
        need.sums = sums_bytes * micropanels(plan.blocks.mc) * micropanels(plan.blocks.nc);
    return {pages(need.a), pages(need.b), pages(need.sums)};
}

void multiply_on_matrix_unit(const matrix_unit_task& t, const plan::matrix_unit_plan& plan,
                             std::byte* workspace) {
    rectangle_product(t, plan, workspace).run();
}

}  // namespace carat::cpu_engine
