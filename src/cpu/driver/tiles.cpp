// jc over panels of B, ic over blocks of C, then slabs of depth; inside, ir over strips of A and jr
// over the strips of a slab of B in L2.
//
// Sums of a block of C stay in L2 as 32 x 32 pieces of 4 KiB over all of K, so that C is written
// once, and its strides, which may alias in the caches, are met only then.
//
// Strips of B are multiplied forward and backward in turn: half of a strip of A, or what L1 holds
// of it, is then there already when the next strip of B meets it. Which way is a matter of the
// column in C, so that sums do not depend on threads.
#include "cpu/driver/tiles.hpp"

#include <algorithm>

namespace carat::cpu_engine {

namespace {

constexpr std::int64_t pages(std::int64_t bytes) {
    return (bytes + 4095) / 4096 * 4096;
}

constexpr std::int64_t strips(std::int64_t lines) {
    return plan::ceil_div(lines, strip_lines);
}

// Two lines of cache more than its tiles, so that strips, which are written side by side, do not
// compete for a few sets of L1: 15 against 21 GB/s at 1024^3.
std::int64_t strip_bytes(const plan::tile_plan& p, const tile_kernel& with) {
    return plan::ceil_div(p.blocks.kc, with.step_depth()) * strip_step_bytes + 2 * step_bytes;
}

class rectangle_product {
  public:
    rectangle_product(const tile_task& t, const plan::tile_plan& p, std::byte* workspace)
        : t_(t),
          plan_(p),
          strip_bytes_(strip_bytes(p, *t.with)),
          slabs_(plan::ceil_div(t.k, p.blocks.kc)) {
        const tile_memory memory = tile_memory_for(p, *t.with, t.m, t.k);
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
        depth_ = slab_ * plan_.blocks.kc;
        kc_ = std::min(plan_.blocks.kc, t_.k - depth_);
        steps_ = plan::ceil_div(kc_, t_.with->step_depth());
        if (!t_.b_packed && (ic_ == 0 || !plan_.keeps_b))
            t_.with->pack_b(t_.b.at(jc_, depth_), t_.b.across, t_.b.along, nc_, kc_, strip_of_b(0),
                            strip_bytes_);
        if (!t_.a_packed && plan_.packs_a_slabs && packs_a_now())
            t_.with->pack_a(t_.a.at(ic_, depth_), t_.a.across, t_.a.along, mc_, kc_, place_of_a(0),
                            strip_bytes_);
        for (std::int64_t ir = 0; ir < mc_; ir += strip_lines) {
            const tile_source a = strip_of_a(ir);
            const int rows = static_cast<int>(std::min<std::int64_t>(strip_lines, mc_ - ir));
            for (std::int64_t jr = 0; jr < nc_; jr += strip_lines) {
                const int cols = static_cast<int>(std::min<std::int64_t>(strip_lines, nc_ - jr));
                multiply(a, ir, jr, rows, cols);
            }
        }
    }

    void multiply(tile_source a, std::int64_t ir, std::int64_t jr, int rows, int cols) {
        std::byte* const c = t_.c_at(ic_ + ir, jc_ + jr);
        const bool last = slab_ + 1 == slabs_;
        // Sums that are the result go straight from tiles to C, or past the caches later.
        const bool result = last && t_.plain && rows == strip_lines && cols == strip_lines;
        const bool straight = result && !t_.streams;
        std::byte* const sums = sums_at(ir, jr);
        const std::int64_t c_stride_bytes = t_.c_row_stride * t_.c_bytes;
        const std::byte* b = t_.b_packed ? t_.b.at(jc_ + jr, depth_) : strip_of_b(jr);
        std::int64_t b_stride = strip_step_bytes;
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
                           .out_stride_bytes = straight ? c_stride_bytes : sums_line_bytes,
                           .rows = rows,
                           .cols = cols,
                           .finished = finished_});
        finished_ = {};
        if (result && t_.streams) finished_ = {sums, c, c_stride_bytes};
        if (last && t_.finish != nullptr)
            (*t_.finish)({reinterpret_cast<float*>(sums), cols, rows,
                          sums_line_bytes / std::int64_t{sizeof(float)}, t_.first_col + jc_ + jr,
                          t_.first_row + ic_ + ir});
        if (last && !result)
            t_.store({sums, rows, cols, t_.alpha, t_.beta, c, c_stride_bytes, t_.c_col_stride});
    }

    bool goes_backward(std::int64_t ir, std::int64_t jr) const {
        const std::int64_t line =
            t_.turns_by_rows ? t_.first_row + ic_ + ir : t_.first_col + jc_ + jr;
        return line / strip_lines % 2 != 0;
    }

    void write_finished() {
        if (finished_.sums == nullptr) return;
        t_.store({finished_.sums, strip_lines, strip_lines, t_.alpha, t_.beta, finished_.c,
                  finished_.c_stride_bytes, t_.c_col_stride});
        finished_ = {};
    }

    bool reads_a(std::int64_t ir) const {
        return plan_.reads_a && mc_ - ir >= strip_lines && kc_ % t_.with->step_depth() == 0;
    }

    tile_source strip_of_a(std::int64_t ir) const {
        const std::byte* in = t_.a.at(ic_ + ir, depth_);
        if (t_.a_packed) return {in};
        if (reads_a(ir)) {
            const std::int64_t line_stride_bytes = t_.a.across * t_.a.element_bytes;
            return {in, line_stride_bytes, line_stride_bytes * tile_lines, step_bytes};
        }
        std::byte* const out = place_of_a(ir);
        if (!plan_.packs_a_slabs && packs_a_now())
            t_.with->pack_a(in, t_.a.across, t_.a.along,
                            std::min<std::int64_t>(strip_lines, mc_ - ir), kc_, out, strip_bytes_);
        return {out};
    }

    bool packs_a_now() const { return jc_ == 0 || !plan_.keeps_a; }

    std::byte* place_of_a(std::int64_t ir) const {
        const std::int64_t strip = ir / strip_lines;
        if (plan_.keeps_a)
            return a_ + (slab_ * strips(t_.m) + ic_ / strip_lines + strip) * strip_bytes_;
        return plan_.packs_a_slabs ? a_ + strip * strip_bytes_ : a_;
    }

    std::byte* strip_of_b(std::int64_t jr) const {
        const std::int64_t slab = plan_.keeps_b ? slab_ * strips(plan_.blocks.nc) : 0;
        return b_ + (slab + jr / strip_lines) * strip_bytes_;
    }

    // With one slab sums are written to C at once, or before the next ones take their place.
    std::byte* sums_at(std::int64_t ir, std::int64_t jr) const {
        const std::int64_t across = strips(plan_.blocks.nc);
        const std::int64_t i = ir / strip_lines * across + jr / strip_lines;
        return sums_ + (slabs_ > 1 ? i : 0) * sums_bytes;
    }

    const tile_task& t_;
    const plan::tile_plan& plan_;
    std::int64_t strip_bytes_;
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
    std::int64_t depth_ = 0;
    std::int64_t steps_ = 0;
};

}  // namespace

tile_memory tile_memory_for(const plan::tile_plan& plan, const tile_kernel& with, std::int64_t m,
                            std::int64_t k) {
    const std::int64_t slabs = plan::ceil_div(k, plan.blocks.kc);
    const std::int64_t strip = strip_bytes(plan, with);
    tile_memory need;
    need.a = strip;
    if (plan.packs_a_slabs) need.a = strip * strips(plan.blocks.mc);
    if (plan.keeps_a) need.a = strip * strips(m) * slabs;
    need.b = strip * strips(plan.blocks.nc) * (plan.keeps_b ? slabs : 1);
    need.sums = sums_bytes;
    if (slabs > 1) need.sums = sums_bytes * strips(plan.blocks.mc) * strips(plan.blocks.nc);
    return {pages(need.a), pages(need.b), pages(need.sums)};
}

void multiply_tiles(const tile_task& t, const plan::tile_plan& plan, std::byte* workspace) {
    rectangle_product(t, plan, workspace).run();
}

}  // namespace carat::cpu_engine
