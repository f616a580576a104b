#include "plan/matrix_unit_plan.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "plan/cpu_grid.hpp"

namespace carat::plan {

namespace {

constexpr std::int64_t sum_bytes = 4;

// Bytes of a line in a slab. Two micropanels of 16 KiB fit L1, and products then keep 97 % of the
// unit's peak; but their sums of 4 KiB, written and read once for each slab, leave 68 %. From L2 it
// is 76 % at any kc, and what sums take becomes less: 70 % with 4 KiB of a line.
constexpr std::int64_t usual_kc_bytes = 4096;

// Where a micropanel of B meets few micropanels of A, packing it is the work, and its lines should
// survive in L1 and L2 from one chunk of columns to the next whatever their stride.
constexpr std::int64_t skinny_kc_bytes = 256;
constexpr std::int64_t few_micropanels = 2;

// The part of a packed operand that may be kept for one thread.
constexpr std::int64_t most_kept_bytes = std::int64_t{32} << 20;

// 4 million multiplications are some 4 us, what waking a thread takes. Packed A may be kept as a
// whole, so that its rows are better shared out than columns.
constexpr double least_per_thread = 1 << 22;
constexpr grid_costs costs = {
    .least_per_thread = least_per_thread, .packing_a = 36, .packing_b = 32, .pads = true};

// Both operands may take this much, packed by all threads together.
constexpr double most_shared_bytes = double{1 << 30};

// Threads meet once more between packing and multiplying, which must pay. And they fetch packed
// lines from the caches of those that packed them, which costs more than it saves where each could
// keep its own part of A and B in L2: 16 threads made 2974 GFLOP/s of 4178 at 1024^3 in bf16.
void share(matrix_unit_plan& plan, const request& r, std::int64_t rows, std::int64_t cols,
           std::int64_t bytes, const machine& on) {
    if ((rows + cols) * r.k * bytes <= on.l2_bytes / 4 * 3) return;
    const auto k = static_cast<double>(r.k);
    const auto saved = [&](double packing, std::int64_t lines, int threads) {
        return packing * static_cast<double>(lines) * k * (threads - 1) / threads;
    };
    const double of_a =
        r.unpacked_a || r.a_packed ? 0 : saved(costs.packing_a, rows, plan.threads_n);
    const double of_b = r.b_packed ? 0 : saved(costs.packing_b, cols, plan.threads_m);
    const double all_bytes = static_cast<double>(r.m + r.n) * k * static_cast<double>(bytes);
    if (of_a + of_b < 2 * least_per_thread || all_bytes > most_shared_bytes) return;
    plan.shares_a = of_a > 0;
    plan.shares_b = of_b > 0;
}

// Processors of one guest multiply tiles at 2.2 to 5.1 TFLOP/s in bf16, depending on who shares
// their cores (ADR 0162): whoever is free takes pieces of late threads. Pieces of rows pack B anew
// unless it is packed for all of them, and pieces of columns A.
void choose_pieces(matrix_unit_plan& plan, const request& r, std::int64_t rows, std::int64_t cols,
                   int extent) {
    constexpr double least_per_piece = 4 * least_per_thread;
    if (plan.threads() == 1) return;
    const bool has_a = plan.shares_a || r.a_packed || r.unpacked_a;
    const bool has_b = plan.shares_b || r.b_packed;
    plan.pieces_along_n = has_a != has_b ? has_a : cols > rows;
    const double most = (plan.pieces_along_n ? has_a : has_b) ? 4 : 2;
    const double work = static_cast<double>(rows * cols) * static_cast<double>(r.k);
    const auto micropanels =
        static_cast<double>(ceil_div(plan.pieces_along_n ? cols : rows, extent));
    const double pieces = std::min({most, micropanels, work / least_per_piece});
    plan.pieces = std::max(1, static_cast<int>(pieces));
}

// A thread's slab of B takes half of this, and the sums that it meets a quarter. Threads that fetch
// packed lines from each other leave three quarters of L2 to them, and to a guest's other processor
// if two of these are one core's threads: 16 threads with half as much slab and sums, and a
// quarter, made 1.04 and 1.20 times the GFLOP/s in bf16, 1.14 and 1.43 times in int8 (2048^3).
// Several slabs fetch A again for each panel of B, which should be wide: half of L2 made 1.20 and
// 1.30 times the GFLOP/s of a quarter at 4096^3 in bf16 (two calls, ADR 0156).
std::int64_t l2_for(const matrix_unit_plan& plan, std::int64_t slabs, const machine& on) {
    if (!plan.shares_a && !plan.shares_b) return on.l2_bytes;
    return slabs > 1 ? on.l2_bytes / 2 : on.l2_bytes / 4;
}

}  // namespace

matrix_unit_plan make_matrix_unit_plan(const request& wanted, const matrix_unit_shape& unit,
                                       const machine& on) {
    matrix_unit_plan plan;
    const grid threads = choose_grid(wanted, unit.extent, unit.extent, costs);
    plan.threads_m = threads.m;
    plan.threads_n = threads.n;
    const auto part = [&](std::int64_t extent, int parts) {
        return ceil_div(ceil_div(extent, unit.extent), parts) * unit.extent;
    };
    const auto chosen = [](std::int64_t asked, std::int64_t best) {
        return asked != 0 ? asked : best;
    };
    const std::int64_t rows = part(wanted.m, threads.m);
    const std::int64_t cols = part(wanted.n, threads.n);
    const std::int64_t bytes = unit.element_bytes;
    // The whole product decides, not a thread's part: where K is cut must not depend on threads.
    const bool skinny = wanted.m <= few_micropanels * unit.extent;
    blocking& b = plan.blocks;
    b.kc = balanced(wanted.k,
                    chosen(wanted.wanted.kc, (skinny ? skinny_kc_bytes : usual_kc_bytes) / bytes),
                    unit.step_k);
    const std::int64_t slabs = ceil_div(wanted.k, b.kc);
    share(plan, wanted, rows, cols, bytes, on);
    const std::int64_t l2_bytes = l2_for(plan, slabs, on);
    b.nc = balanced(cols, chosen(wanted.wanted.nc, l2_bytes / 2 / (b.kc * bytes)), 2 * unit.extent);
    const std::int64_t most_mc = slabs == 1 ? rows : l2_bytes / 4 / (b.nc * sum_bytes);
    b.mc = balanced(rows, chosen(wanted.wanted.mc, most_mc), unit.extent);
    plan.keeps_a = cols > b.nc && rows * wanted.k * bytes <= most_kept_bytes;
    plan.keeps_b = slabs == 1 || (rows > b.mc && b.nc * wanted.k * bytes <= most_kept_bytes);
    // Written through the caches C would drive B out of L2: 49 against 69 % at 4 KiB of kc.
    plan.streams_c = wanted.m * wanted.n * sum_bytes >= 2 * on.l2_bytes;
    choose_pieces(plan, wanted, rows, cols, unit.extent);
    plan.reads_a = wanted.unpacked_a;
    plan.packs_a_slabs = wanted.packs_slabs_of_a;
    return plan;
}

std::string explain(const matrix_unit_plan& plan, const request& wanted,
                    const matrix_unit_shape& unit, const machine& on) {
    core::text text;
    const auto kib = [](std::int64_t bytes) { return std::to_string(bytes / 1024) + " KiB"; };
    const blocking& b = plan.blocks;
    const std::int64_t bytes = unit.element_bytes;
    text << wanted.m << " x " << wanted.n << " x " << wanted.k << " with " << unit.name << " (a "
         << unit.extent << " x " << unit.extent << " part of C in tile registers)\n"
         << "micropanels of A " << unit.extent << " x " << b.kc << ", "
         << kib(unit.extent * b.kc * bytes) << " of " << kib(on.l1_bytes) << " of L1"
         << (plan.reads_a   ? ", read where they lie\n"
             : plan.keeps_a ? ", packed once\n"
                            : ", packed for each panel of B\n")
         << "slabs of B " << b.kc << " x " << b.nc << ", " << kib(b.kc * b.nc * bytes) << " of "
         << kib(on.l2_bytes) << " of L2\n";
    if (b.kc < wanted.k)
        text << "sums of C " << b.mc << " x " << b.nc << ", " << kib(b.mc * b.nc * sum_bytes)
             << " of L2 until they are complete\n";
    if (plan.shares_a || plan.shares_b)
        text << (!plan.shares_b   ? "A is"
                 : !plan.shares_a ? "B is"
                                  : "A and B are")
             << " packed by all threads together, before they multiply\n";
    text << plan.threads() << " of " << wanted.most_threads << " threads, as " << plan.threads_m
         << " x " << plan.threads_n << " rectangles of C";
    if (plan.pieces > 1) text << ", each in " << plan.pieces << " pieces";
    text << "\n";
    return text.str();
}

}  // namespace carat::plan
