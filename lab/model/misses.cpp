#include "lab/model/misses.hpp"

#include <cmath>
#include <limits>

namespace carat::model {

namespace {

// The quantities that all formulas are made of. tm, tn and tk are the edges of a tile; rows of
// tiles are counted whole, because a ragged one is walked as often as a full one.
struct terms {
    double m, n, k, tm, tn, tk;
    double tiles_m, tiles_n, tiles_k;
    double l, lc;  // elements in a line

    terms(const schedule& s, const sizes& all, const line_length& line)
        : m(static_cast<double>(all.m)),
          n(static_cast<double>(all.n)),
          k(static_cast<double>(all.k)),
          l(line.ab),
          lc(line.c) {
        const sizes tile = tile_of(s, all);
        tm = static_cast<double>(tile.m);
        tn = static_cast<double>(tile.n);
        tk = static_cast<double>(tile.k);
        tiles_m = std::ceil(m / tm);
        tiles_n = std::ceil(n / tn);
        tiles_k = std::ceil(k / tk);
    }

    // Lines of one tile of each matrix, and of all of each.
    [[nodiscard]] double tile_a() const { return tm * tk / l; }
    [[nodiscard]] double tile_b() const { return tk * tn / l; }
    [[nodiscard]] double tile_c() const { return tm * tn / lc; }
    [[nodiscard]] double all_a() const { return m * k / l; }
    [[nodiscard]] double all_b() const { return k * n / l; }
    [[nodiscard]] double all_c() const { return m * n / lc; }
    // Moved in once for each tile product, each row of tiles of A, and so on.
    [[nodiscard]] double a_per_tile() const { return all_a() * tiles_n; }
    [[nodiscard]] double b_per_tile() const { return all_b() * tiles_m; }
    [[nodiscard]] double c_per_tile() const { return all_c() * tiles_k; }
    // Fewest lines between two uses of a line of A in neighbouring columns of tiles, and of B in
    // neighbouring rows of them.
    [[nodiscard]] double until_a_returns() const { return tm * k / l + k * tn / l + 1; }
    [[nodiscard]] double until_b_returns() const { return all_b() + tm * k / l - tile_a() + 1; }
};

// Inside a tile: dot products of its rows and columns.
void add_dot_products(std::vector<plateau>& steps, const terms& t) {
    const double row_a = t.tk / t.l;
    const double row_c = t.tn / t.lc;
    steps.push_back({2,
                     t.tk + row_a - t.l + 2,
                     {t.a_per_tile() * t.tn, t.m * t.n * t.k, t.c_per_tile() * t.lc},
                     "single lines"});
    steps.push_back({t.tk + row_a + 1,
                     t.tile_b() + row_a + row_c,
                     {t.a_per_tile(), t.m * t.n * t.k / t.l, t.c_per_tile()},
                     "a row of A, a column of B"});
}

// Inside a tile: rows of B added to rows of C.
void add_row_updates(std::vector<plateau>& steps, const terms& t) {
    const double row_b = t.tn / t.l;
    const double row_c = t.tn / t.lc;
    steps.push_back({2,
                     row_b + row_c + 1,
                     {t.a_per_tile() * t.l, t.m * t.n * t.k / t.l, t.m * t.n * t.k / t.lc},
                     "single lines"});
    steps.push_back({row_b + row_c + 1,
                     t.tile_b() + row_b + t.tk / t.l,
                     {t.a_per_tile(), t.m * t.n * t.k / t.l, t.c_per_tile()},
                     "a row of B, a row of C"});
}

// What is kept from one tile product to the next.
void add_tiles(std::vector<plateau>& steps, const terms& t, bool dot_products) {
    const double row_a = t.tk / t.l;
    const double row_b = t.tn / t.l;
    const double row_c = t.tn / t.lc;
    const double tiles = t.tile_a() + t.tile_b() + t.tile_c();
    const double until_c_returns = dot_products ? tiles : tiles - row_a + 1;
    const double kept_b = t.tile_b() + 2 * row_a + (dot_products ? row_c : row_b + row_c + 1);
    const double beyond = std::fmin(t.until_a_returns(), t.until_b_returns());
    steps.push_back({kept_b,
                     std::fmin(until_c_returns, beyond),
                     {t.a_per_tile(), t.b_per_tile(), t.c_per_tile()},
                     "a tile of B"});
    steps.push_back({tiles + t.tile_b() + row_a,
                     beyond,
                     {t.a_per_tile(), t.b_per_tile(), t.all_c()},
                     "three tiles"});
    steps.push_back({t.k * (t.tm + t.tn) / t.l + t.tile_b() + 2 * t.tile_c(),
                     t.until_b_returns(),
                     {t.all_a(), t.b_per_tile(), t.all_c()},
                     "a row of tiles of A"});
}

}  // namespace

std::vector<plateau> plateaus(const schedule& s, const sizes& all, const line_length& line) {
    const terms t(s, all, line);
    std::vector<plateau> steps;
    if (is_ijk(s.how))
        add_dot_products(steps, t);
    else
        add_row_updates(steps, t);
    if (is_tiled(s.how)) add_tiles(steps, t, is_ijk(s.how));
    const double row_a = t.k / t.l;
    // Without tiles all is held when B is: of A and C, rows pass by. A row of A, its successor and
    // a row of C, or two rows of C and a row of A.
    const double all_lines = t.all_a() + t.all_b() + t.all_c();
    const double with_b =
        t.all_b() + (is_ijk(s.how) ? 2 * row_a + t.n / t.lc : 2 * t.n / t.lc + row_a + 1);
    steps.push_back({is_tiled(s.how) ? all_lines : std::fmin(with_b, all_lines),
                     std::numeric_limits<double>::infinity(),
                     {t.all_a(), t.all_b(), t.all_c()},
                     is_tiled(s.how) ? "everything" : "all of B"});
    return steps;
}

plateau misses_at(const schedule& s, const sizes& all, const line_length& line, double lines) {
    const std::vector<plateau> steps = plateaus(s, all, line);
    plateau best = steps.front();
    for (const plateau& step : steps)
        if (step.from_lines <= lines && step.misses.total() < best.misses.total()) best = step;
    return best;
}

access_counts accesses(const schedule& s, const sizes& all) {
    const terms t(s, all, {});
    const double products = t.m * t.n * t.k;
    if (is_ijk(s.how)) {
        const double sums = t.m * t.n * t.tiles_k;
        return {products, products, sums, sums};
    }
    return {t.m * t.k * t.tiles_n, products, products, products};
}

}  // namespace carat::model
