#include "plan/cpu_grid.hpp"

#include <algorithm>
#include <cmath>

namespace carat::plan {

namespace {

// Sums of parts of K: at most 16 MiB in f32 and 32 in f64, which one call allocates.
constexpr double most_sums = 4 << 20;

// Adding a sum to C costs about as much as this many multiplications, since it comes from a cache
// that is not near.
constexpr double adding_sum = 4;

// Reading an element of B from L3.
constexpr double reading_b = 4;

// Late threads without help make the product this many times as long: 1.36 to 1.46 times on 16
// threads of a shared machine (2048^3 and 4096^3 in f64, 4096^3 in f32).
constexpr double without_help = 1.25;

// What is packed for a rectangle of C, in multiplications for each step of k.
double packing(const grid_costs& costs, double rows, double cols, int tm, int tn) {
    if (costs.shared_columns == 0) return costs.packing_a * rows + costs.packing_b * cols;
    const double panels = std::ceil(cols * tn / static_cast<double>(costs.shared_columns));
    const double reads = std::ceil(rows / static_cast<double>(costs.rows_at_once));
    return costs.packing_a * rows * panels + costs.packing_b * cols / tm + reading_b * cols * reads;
}

// Multiplications. A matrix unit takes so little time for these that packing counts too, and 7 rows
// take it as long as 32.
double work_of(const request& r, int mr, int nr, const grid_costs& costs) {
    if (!costs.pads) return multiplications(r);
    const auto rows = static_cast<double>(ceil_div(r.m, mr) * mr);
    const auto cols = static_cast<double>(ceil_div(r.n, nr) * nr);
    return (rows * cols +
            packing(costs, static_cast<double>(r.m), static_cast<double>(r.n), 1, 1)) *
           static_cast<double>(r.k);
}

double most_threads(const request& r, int mr, int nr, const grid_costs& costs) {
    return std::min(work_of(r, mr, nr, costs) / costs.least_per_thread,
                    static_cast<double>(r.most_threads));
}

// Multiplications of a thread. Threads meet twice, for the sums of the parts and to add them up.
double cost_of_parts(const division& d, const request& r, std::int64_t kc, std::int64_t blocks,
                     const grid_costs& costs) {
    const double depth = static_cast<double>(ceil_div(blocks, d.parts_of_k) * kc);
    const double sums = static_cast<double>(r.m) * static_cast<double>(r.n * (blocks - 1));
    return d.of_c.cost * depth + adding_sum * sums / r.most_threads + costs.least_per_thread;
}

}  // namespace

grid choose_grid(const request& r, int mr, int nr, const grid_costs& costs) {
    // First, since at 8 x 8 x 8 the divisions below are as long as the product.
    if (r.most_threads <= 1 || work_of(r, mr, nr, costs) < 2 * costs.least_per_thread) return {};
    const int most = static_cast<int>(most_threads(r, mr, nr, costs));
    const std::int64_t micropanels_m = ceil_div(r.m, mr);
    const std::int64_t micropanels_n = ceil_div(r.n, nr);
    const auto extent = [&](std::int64_t micropanels, std::int64_t all) {
        return static_cast<double>(costs.pads ? micropanels : std::min(micropanels, all));
    };
    grid chosen;
    double least = 0;
    for (int tm = 1; tm <= most && tm <= micropanels_m; ++tm) {
        const double rows = extent(ceil_div(micropanels_m, tm) * mr, r.m);
        for (int tn = 1; tm * tn <= most && tn <= micropanels_n; ++tn) {
            const double cols = extent(ceil_div(micropanels_n, tn) * nr, r.n);
            const double cost = rows * cols + packing(costs, rows, cols, tm, tn);
            const bool alone =
                costs.shared_columns != 0 && (tm == 1 || r.m / tm < costs.rows_of_two_pieces);
            const double time = alone ? without_help * cost : cost;
            if (least != 0 && time > least) continue;
            least = time;
            chosen = {tm, tn, cost};
        }
    }
    return chosen;
}

division divide(const request& r, int mr, int nr, std::int64_t kc, const grid_costs& costs) {
    division best{choose_grid(r, mr, nr, costs), 1};
    if (best.of_c.cost == 0 || kc == 0 || !r.same_types || !r.adds_sums) return best;
    const std::int64_t blocks = ceil_div(r.k, kc);
    const auto m = static_cast<double>(r.m);
    const auto n = static_cast<double>(r.n);
    const double sums = m * n * static_cast<double>(blocks - 1);
    // Rectangles of C alone keep most threads busy.
    const double most = most_threads(r, mr, nr, costs);
    if (blocks < 2 || sums > most_sums || best.of_c.cost * most < 1.5 * m * n) return best;
    double least = 0.9 * best.of_c.cost * static_cast<double>(r.k);
    for (int parts = 2; parts <= std::min(most, static_cast<double>(blocks)); ++parts) {
        request part = r;
        part.most_threads = static_cast<int>(most) / parts;
        division next{choose_grid(part, mr, nr, costs), parts};
        if (part.most_threads == 1) next.of_c.cost = m * n + packing(costs, m, n, 1, 1);
        const double cost = cost_of_parts(next, r, kc, blocks, costs);
        if (cost >= least) continue;
        least = cost;
        best = next;
    }
    return best;
}

}  // namespace carat::plan
