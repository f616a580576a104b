#include "plan/cpu_plan.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "plan/cpu_grid.hpp"

namespace carat::plan {

namespace {

// A thread must have at least this many multiplications times the bytes of an element, 6 us with
// AVX-512, to be worth waking; where they wait for memory, fewer. Two threads for one, GFLOP/s on
// two cores of a Sapphire Rapids whose team was still awake: 96^3 f64 65 to 113, f32 133 to 208;
// 64^3 65 to 90 and 132 to 123.
constexpr double least_bytes_per_thread = 3 << 19;
constexpr double least_per_skinny_thread = 1 << 17;

// The columns up to which A is read once where it lies, not packed: 45 to 51 GFLOP/s at
// 32 x 4096 x 4096 in f64 with AVX-512. With AVX2 packed blocks take over sooner. On one thread of
// a Zen 3 in f64 (f32), with whole pages from depth to depth, 9 and 32 x 4096 x 4096 reach 9.5 and
// 16 (23, 42) where A lies, 14 and 26 (30, 52) packed; otherwise 12 x 1000 x 3000 reaches 25 and
// 17 (50, 47), 24 x 2000 x 2000 19 and 26 (49, 53).
int few_columns(const request& r, const kernel_shape& kernel) {
    if (kernel.vector_bytes >= 64) return 32;
    return r.conflicting_a ? most_skinny_columns : 16;
}

// Depth of blocks whose micropanels of B are read where they lie.
constexpr std::int64_t most_kc_read = 512;

// Columns that are too few to win back what packing A apart costs. Packing it as the first columns
// read it is 1 to 2 % faster at 640^3 to 1000^3, and 0 to 2 % slower at 1024^3 to 2000^3.
constexpr std::int64_t most_columns_by_kept_a = 1000;

// Rows of A up to this many bytes, four vectors of AVX-512, are few: B is read once or twice.
constexpr std::int64_t few_rows_bytes = 256;

// Depths of a tile of A that is packed, which then takes half of L1.
constexpr std::int64_t packed_tile_kc = 128;

constexpr int cache_line_bytes = 64;

// Leaves room to spare, because it is luck which sets pages fall into: 512^3 in f32, all of L2, ran
// at 119 in one process and at 74 in the next.
bool fits_l2(const request& r, const kernel_shape& kernel, const machine& on) {
    const std::int64_t operands = (r.m + r.n) * r.k;
    return std::max(operands, r.m * r.n) * kernel.element_bytes <= on.l2_bytes / 4 * 3;
}

// Few rows of A stay in L2 while B streams past once, if it is contiguous in k.
bool has_few_rows(const request& r, const kernel_shape& kernel) {
    return r.k_contiguous_b && r.m * kernel.element_bytes <= few_rows_bytes;
}

// Tiles of C and parts of K for many threads to share.
constexpr std::int64_t enough_parts = 64;

// Whether many threads need parts of K: C has too few tiles for them, and K is deep. Parts are
// whole blocks of depths, so there should be many.
constexpr std::int64_t deep_kc = 256;
bool is_deep(const request& r, const kernel_shape& kernel) {
    constexpr std::int64_t few_tiles = 128;
    return r.adds_sums && r.k >= 16 * deep_kc &&
           ceil_div(r.m, kernel.mr) * ceil_div(r.n, kernel.nr) < few_tiles;
}

// A register tile is faster in L2: 61 against 31 GFLOP/s at 7 x 64 x 64, 64 against 40 at
// 7 x 256 x 256 (f64, one thread). Beyond L2, or where a tile's lines of A would compete for a few
// sets of the caches, what counts is to read A in order.
bool is_skinny(const request& r, const kernel_shape& kernel, const machine& on) {
    if (r.n == 1 && r.k_contiguous_a && !r.m_contiguous_a) return r.k >= (r.m < 16 ? 40 : 18);
    if (r.n == 1) return r.m_contiguous_a && r.m * r.k * kernel.element_bytes > on.l2_bytes / 4;
    const bool very_few = r.n <= most_skinny_columns;
    if (!r.m_contiguous_a && r.k_contiguous_a)
        return takes_dot_products(r.m, r.n, r.k, r.k_contiguous_b, kernel.element_bytes,
                                  kernel.vector_bytes, on);
    if (!very_few && is_deep(r, kernel)) return false;
    if (!r.m_contiguous_a || r.n > few_columns(r, kernel) || (!very_few && has_few_rows(r, kernel)))
        return false;
    if (very_few && !r.conflicting_a) return !fits_l2(r, kernel, on);
    return r.m * r.k * kernel.element_bytes > (very_few ? on.l1_bytes : on.l2_bytes);
}

// Packing a panel of B costs as much as 16 rows' share of multiplying it, which it must win back
// over the blocks of A that it meets. The number of threads has no say in it, because kc follows.
// GFLOP/s of f64 with both packed, with A only: 384^3 76, 82 (MKL 77), 512^3 78, 81 (77), 1000^3
// 81, 82 (81), 2000^3 83, 80 (80).
bool reads_b(const request& r, const kernel_shape& kernel, const machine& on) {
    constexpr std::int64_t most_blocks_of_a = 4;
    const std::int64_t block = on.l2_bytes / 2 / most_kc_read;
    return r.same_types && r.k_contiguous_b && r.wanted.kc == 0 &&
           r.m * kernel.element_bytes <= most_blocks_of_a * block;
}

// Whether A is read where it lies though C and B do not fit beside it. How much of it L2 then keeps
// is luck again: with all of k at once 512^3 in f32 ran at 150 to 177 on different pages where
// oneDNN made 172, with half of the depths at a time at 166 to 172, packed at 164 to 169. Columns
// win packing back, and packed lines begin on lines of cache.
bool keeps_a(const request& r, const kernel_shape& kernel, const machine& on) {
    return reads_b(r, kernel, on) && r.m_contiguous_a && !r.conflicting_a && r.whole_lines_of_a &&
           r.n <= most_columns_by_kept_a && r.m * r.k * kernel.element_bytes <= on.l2_bytes / 2;
}

// Unpacked f64 reaches 66 GFLOP/s at 256^3 where packed blocks reach 58 and MKL 61, and f32 reaches
// 134, where these reach 108 and 128 (the machine of ADR 0054, one thread, shared).
path choose_path(const request& r, const kernel_shape& kernel, const machine& on) {
    if (r.prepared) return r.prepared->skinny ? path::skinny : path::blocked;
    const bool asked_for_blocks = r.wanted.mc != 0 || r.wanted.nc != 0 || r.wanted.kc != 0;
    if (!r.same_types || (asked_for_blocks && r.k != 0)) return path::blocked;
    if (is_skinny(r, kernel, on)) return path::skinny;
    if (fits_l2(r, kernel, on) || has_few_rows(r, kernel) || keeps_a(r, kernel, on))
        return path::unpacked;
    return path::blocked;
}

// The depth, and the columns that meet all of k before the next do, of operands that are read where
// they lie. The number of threads has no say in them.
blocking choose_unpacked_blocks(const request& r, const kernel_shape& kernel, const machine& on) {
    constexpr std::int64_t kept_kc = 384;
    constexpr std::int64_t kept_columns = 96;
    constexpr std::int64_t least = 256;
    const std::int64_t all = std::max<std::int64_t>(r.n, 1);
    // First, since at 8 x 8 x 8 the divisions below are as long as the product.
    if (r.k <= least && (has_few_rows(r, kernel) || fits_l2(r, kernel, on)))
        return {.nc = all, .kc = least};
    if (has_few_rows(r, kernel)) {
        const std::int64_t row = std::max<std::int64_t>(r.m, 1) * kernel.element_bytes;
        std::int64_t depth = std::max(least, on.l2_bytes / 2 / row);
        if (r.adds_sums) {
            const std::int64_t parts = ceil_div(enough_parts, ceil_div(all, kernel.nr));
            depth = std::min(depth, std::max(least, ceil_div(r.k, parts)));
        }
        return {.nc = all, .kc = balanced(r.k, depth, 1)};
    }
    if (fits_l2(r, kernel, on)) return {.nc = all, .kc = balanced(r.k, most_kc_read, 1)};
    return {.nc = kept_columns, .kc = balanced(r.k, kept_kc, 1)};
}

// A micropanel of B this deep takes half of L1, or two thirds where it is not packed.
std::int64_t most_depth(const request& r, const kernel_shape& kernel, const machine& on) {
    if (r.wanted.kc != 0) return r.wanted.kc;
    if (is_deep(r, kernel) && r.n <= most_dot_columns) return deep_kc;
    if (reads_b(r, kernel, on)) return most_kc_read;
    const std::int64_t depth = on.l1_bytes / 2 / (kernel.nr * kernel.element_bytes);
    return std::clamp<std::int64_t>(depth, 64, 512);
}

// Eighths of L2 that a block of A may take. Half would be best if pages fell evenly into the sets
// of L2. Beside packed panels, which pass through it too, 2048^3 then ran at 70 to 80 in different
// processes, and at 75 to 80 with three eighths (f64, 16 processes of each in turns).
// Panels that threads share pass through it at all times, and leave a quarter. On 16 threads that
// made 1.05 and 1.07 times the GFLOP/s of three eighths at 2048^3 and 4096^3 in f64 in one
// measurement, and 0.99 and 0.97 in the next (ADR 0151).
std::int64_t eighths_of_l2(const blocking& chosen, bool shares_b) {
    if (shares_b) return 2;
    return chosen.reads_b ? 4 : 3;
}

// The columns of panels of B that all groups of threads have at a time, two each. They take half of
// L3, or 1 MiB a thread: a guest often sees an L3 that it shares with others.
std::int64_t shared_columns(const request& r, std::int64_t kc, const kernel_shape& kernel,
                            const machine& on) {
    constexpr std::int64_t most_bytes = 1 << 20;
    const std::int64_t bytes = std::min(on.l3_bytes / 2, most_bytes) * r.most_threads;
    return bytes / 2 / (kc * kernel.element_bytes);
}

// Rows of a block of A.
std::int64_t most_rows(const blocking& chosen, bool shares_b, const request& r,
                       const kernel_shape& kernel, const machine& on) {
    if (r.wanted.mc != 0) return r.wanted.mc;
    return on.l2_bytes / 8 * eighths_of_l2(chosen, shares_b) / (chosen.kc * kernel.element_bytes);
}

// kc so that a micropanel of B takes half of L1.
blocking choose_depth(const request& r, const kernel_shape& kernel, const machine& on) {
    blocking chosen;
    chosen.kc = r.prepared ? r.prepared->kc : balanced(r.k, most_depth(r, kernel, on), 1);
    chosen.reads_b = reads_b(r, kernel, on);
    chosen.fuses_packing_of_a = chosen.reads_b && r.m_contiguous_a && r.n <= most_columns_by_kept_a;
    return chosen;
}

// The path skinny adds up all of K at once, unless C has so few rows that many threads need parts
// of K. The number of threads has no say in it, nor has beta.
std::int64_t skinny_depth(const request& r, const kernel_shape& kernel) {
    constexpr std::int64_t few_lines = 32;  // of cache, along the rows
    constexpr std::int64_t parts = 16;      // that most numbers of threads divide evenly
    constexpr std::int64_t step = 16;       // depths that the kernels read together
    constexpr std::int64_t least_depth = 64;
    constexpr std::int64_t most_depth = 256;
    constexpr std::int64_t depth_of_dot_products = 1024;
    if (r.prepared) return r.prepared->kc;
    const std::int64_t all = std::max<std::int64_t>(r.k, 1);
    const bool has_few_lines = r.m * kernel.element_bytes <= few_lines * cache_line_bytes;
    if (!r.adds_sums || !has_few_lines || r.k < parts * least_depth) return all;
    if (!r.m_contiguous_a) return balanced(r.k, depth_of_dot_products, 1);
    return balanced(r.k, ceil_div(r.k, parts * ceil_div(r.k, parts * most_depth)) + step - 1, step);
}

// Rows between which C may be divided: lines of cache where columns of A are read in order, and
// vectors where tiles read A. Micropanels that are packed stay whole. On 16 threads 512^3 in f32,
// where A is read, made 1092 and 1203 GFLOP/s with whole micropanels and between vectors, and
// 700 x 900 x 1100 in f64, where it is packed, 802 and 734 (ADR 0156). Few rows stay in whole
// micropanels, and K is divided instead: 54 x 29 x 9556 made 270 GFLOP/s so and 135 otherwise.
int unit_of_rows(const cpu_plan& plan, const request& r, const kernel_shape& kernel) {
    constexpr int many_micropanels = 4;
    if (r.prepared) return kernel.mr;
    if (plan.how == path::skinny) return cache_line_bytes / kernel.element_bytes;
    if (plan.how != path::unpacked || r.m < many_micropanels * kernel.mr) return kernel.mr;
    return kernel.vector_bytes / kernel.element_bytes;
}

// mc so that a block of A takes its share of L2, nc so that panels of B take theirs of L3: half of
// a core's where threads do not share them. Each is then cut evenly into the extent it divides.
void choose_widths(cpu_plan& plan, const request& r, const kernel_shape& kernel,
                   const machine& on) {
    blocking& chosen = plan.blocks;
    const std::int64_t own = on.l3_bytes / 2 / (chosen.kc * kernel.element_bytes);
    const std::int64_t most_nc =
        plan.shares_b ? shared_columns(r, chosen.kc, kernel, on) / plan.threads_n : own;
    const std::int64_t rows = ceil_div(r.m, plan.threads_m);
    chosen.mc = balanced(plan.shares_b ? ceil_div(rows, plan.pieces) : rows,
                         most_rows(chosen, plan.shares_b, r, kernel, on), kernel.mr);
    chosen.nc = balanced(ceil_div(r.n, plan.threads_n), r.wanted.nc != 0 ? r.wanted.nc : most_nc,
                         kernel.nr);
}

// Whether panels of B are packed that threads with the same columns may share.
bool may_share_b(const cpu_plan& plan, const request& r) {
    return plan.how == path::blocked && !plan.blocks.reads_b && r.sums_in_c;
}

// Least rows of a piece whose thread shares panels of B. It reads these from L3 again, at 46
// GFLOP/s a thread in f64 with 2 GB/s.
constexpr std::int64_t least_rows_that_share = 96;

// Least rows that meet a panel of B packed for them, at the price of 8 / r of the multiplications
// of r rows, here 1 %.
constexpr std::int64_t least_rows_that_pack = 800;

// Least columns of a piece whose thread packs A anew for them, at 5 %.
constexpr std::int64_t least_columns_that_pack = 160;

// Packing an element costs about as much as 8 multiplications.
grid_costs costs_of_grid(const cpu_plan& plan, const request& r, const kernel_shape& kernel,
                         const machine& on, double least) {
    if (plan.how == path::skinny) return {least, 0, 0};
    grid_costs costs{least, 8, 8};
    if (!may_share_b(plan, r)) return costs;
    costs.shared_columns =
        std::max<std::int64_t>(kernel.nr, shared_columns(r, plan.blocks.kc, kernel, on));
    costs.rows_of_two_pieces = 2 * least_rows_that_share;
    costs.rows_at_once =
        std::max<std::int64_t>(kernel.mr, most_rows(plan.blocks, true, r, kernel, on));
    return costs;
}

// Whether threads pack panels of B together that one thread reads where they lie. A thread that
// keeps its columns of B in a fifth of L2 need not; otherwise all threads of a group fetch the same
// lines, which are far apart. On 16 threads 2048^3 in f32 made 1478 GFLOP/s for 1305 (ADR 0151),
// and 1500 x 1300 x 1100, whose columns fit in L2, 1404 for 1121 (ADR 0156).
bool packs_b_for_threads(const cpu_plan& plan, const request& r, const kernel_shape& kernel,
                         const machine& on) {
    return plan.how == path::blocked && plan.blocks.reads_b && r.sums_in_c && plan.threads_m > 1 &&
           r.m >= least_rows_that_pack &&
           ceil_div(r.n, plan.threads_n) * r.k * kernel.element_bytes > on.l2_bytes / 5;
}

// Pieces cost what they pack or fetch anew, and free threads take those of late ones: the slowest
// of 16 threads took twice as long as the quickest at 512^3 in f32, and 1436 x 1343 x 19 made 747
// GFLOP/s in four pieces a thread and 548 in one (ADR 0156). The path skinny reads longer runs of A
// in fewer pieces.
void choose_pieces(cpu_plan& plan, const request& r, const kernel_shape& kernel, const machine& on,
                   double least) {
    constexpr double most_pieces = 4;
    if (plan.threads() == 1) return;  // before divisions that are as long as 8 x 8 x 8
    const bool packs_b = plan.how == path::blocked && !plan.blocks.reads_b;
    const bool fetches_anew =
        plan.how == path::skinny ||
        ceil_div(r.n, plan.threads_n) * r.k * kernel.element_bytes > on.l2_bytes;
    std::int64_t least_rows = (fetches_anew ? 4 : 2) * kernel.mr;
    if (packs_b) least_rows = plan.shares_b ? least_rows_that_share : least_rows_that_pack;
    const double least_work = plan.how == path::skinny ? 8 * least : least;
    const std::int64_t by_rows = r.m / plan.threads_m / least_rows;
    const double most = std::min(multiplications(r) / plan.threads() / least_work, most_pieces);
    if (most < 2) return;
    const auto cut = [&](std::int64_t pieces, bool along_n) {
        plan.pieces = static_cast<int>(std::min(static_cast<double>(pieces), most));
        plan.pieces_along_n = along_n;
    };
    if (by_rows >= 2) return cut(by_rows, false);
    if (plan.shares_b || plan.how == path::skinny) return;
    const std::int64_t least_cols =
        plan.how == path::blocked ? least_columns_that_pack : 4 * kernel.nr;
    const std::int64_t by_cols = ceil_div(r.n, plan.threads_n) / least_cols;
    if (by_cols >= 2) cut(by_cols, true);
}

}  // namespace

std::int64_t balanced(std::int64_t total, std::int64_t most, std::int64_t unit) {
    const std::int64_t limit = std::max(unit, most / unit * unit);
    const std::int64_t parts = std::max<std::int64_t>(1, ceil_div(total, limit));
    return std::max<std::int64_t>(1, ceil_div(ceil_div(total, parts), unit)) * unit;
}

cpu_plan make_cpu_plan(const request& wanted, const kernel_shape& kernel, const machine& on) {
    cpu_plan plan;
    plan.how = choose_path(wanted, kernel, on);
    const double least = plan.how == path::skinny ? least_per_skinny_thread
                                                  : least_bytes_per_thread / kernel.element_bytes;
    if (plan.how == path::blocked) plan.blocks = choose_depth(wanted, kernel, on);
    if (plan.how == path::skinny) plan.blocks.kc = skinny_depth(wanted, kernel);
    if (plan.how == path::unpacked) {
        plan.packs_a = !wanted.m_contiguous_a || (wanted.conflicting_a && wanted.n > 2 * kernel.nr);
        plan.blocks = choose_unpacked_blocks(wanted, kernel, on);
        if (plan.packs_a) plan.blocks.kc = packed_tile_kc;
        plan.fetches_c = !fits_l2(wanted, kernel, on) && has_few_rows(wanted, kernel);
    }
    // The path skinny is cut by rows alone: columns share what is read of A.
    const bool by_rows = plan.how == path::skinny;
    const auto divide_among_threads = [&] {
        plan.unit_m = unit_of_rows(plan, wanted, kernel);
        const division threads =
            divide(wanted, plan.unit_m, by_rows ? most_dot_columns : kernel.nr, plan.blocks.kc,
                   costs_of_grid(plan, wanted, kernel, on, least));
        plan.threads_m = threads.of_c.m;
        plan.threads_n = threads.of_c.n;
        plan.threads_k = threads.parts_of_k;
    };
    divide_among_threads();
    if (packs_b_for_threads(plan, wanted, kernel, on)) {
        plan.blocks.reads_b = false;
        plan.blocks.fuses_packing_of_a = false;
        divide_among_threads();
    }
    plan.shares_b = may_share_b(plan, wanted) && plan.threads_m > 1 && plan.threads_k == 1;
    if (plan.threads_k == 1) choose_pieces(plan, wanted, kernel, on, least);
    if (plan.how == path::blocked) {
        choose_widths(plan, wanted, kernel, on);
        plan.fetches_c = !fits_l2(wanted, kernel, on);
    }
    return plan;
}

std::string explain(const cpu_plan& plan, const request& wanted, const kernel_shape& kernel,
                    const machine& on) {
    core::text text;
    text << wanted.m << " x " << wanted.n << " x " << wanted.k << " with " << kernel.name << " (a "
         << kernel.mr << " x " << kernel.nr << " tile of C in registers)\n";
    const auto end = [&] {
        text << plan.threads() << " of " << wanted.most_threads << " threads, as " << plan.threads_m
             << " x " << plan.threads_n << " rectangles of C";
        if (plan.threads_k > 1) text << " and " << plan.threads_k << " parts of K";
        if (plan.pieces > 1) text << ", each in " << plan.pieces << " pieces";
        text << "\n";
        return text.str();
    };
    if (plan.how == path::unpacked) {
        text << "unpacked: B" << (plan.packs_a ? "" : " and A") << " read where "
             << (plan.packs_a ? "it lies, A packed by the tile\n" : "they lie\n");
        return end();
    }
    if (plan.how == path::skinny) {
        text << "skinny: A is read once, in the order of memory\n";
        return end();
    }
    const auto kib = [&](std::int64_t a, std::int64_t b) {
        return std::to_string(a * b * kernel.element_bytes / 1024) + " KiB";
    };
    const blocking& b = plan.blocks;
    const auto place = [](bool read) { return read ? ", read where they lie\n" : ", packed\n"; };
    const char* const a_packed =
        b.fuses_packing_of_a ? ", packed as they are first read\n" : ", packed\n";
    text << "blocks of A " << b.mc << " x " << b.kc << ", " << kib(b.mc, b.kc) << " of "
         << on.l2_bytes / 1024 << " KiB of L2" << a_packed << "panels of B " << b.kc << " x "
         << b.nc << ", " << kib(b.kc, b.nc) << " of " << on.l3_bytes / 1024 << " KiB of L3 a core"
         << (plan.shares_b ? ", packed by " + std::to_string(plan.threads_m) + " threads together\n"
                           : place(b.reads_b))
         << "micropanels of B " << b.kc << " x " << kernel.nr << ", " << kib(b.kc, kernel.nr)
         << " of " << on.l1_bytes / 1024 << " KiB of L1\n";
    return end();
}

}  // namespace carat::plan
