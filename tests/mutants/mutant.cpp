#include "mutant.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "lab/verify/source.hpp"

namespace carat::mutants {

namespace {

using matrix = std::vector<double>;

std::int64_t between(std::mt19937_64& random, std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(random);
}

template <class T, std::size_t Count>
T one_of(std::mt19937_64& random, const std::array<T, Count>& choices) {
    return choices[static_cast<std::size_t>(
        between(random, 0, static_cast<std::int64_t>(Count) - 1))];
}

matrix read(const verify::source& from) {
    matrix values(static_cast<std::size_t>(from.rows * from.cols));
    verify::read_block(from, 0, 0, from.rows, from.cols, values.data(), from.cols);
    return values;
}

double rounded(double value, int digits) {
    if (value == 0) return 0;
    const double unit = std::ldexp(1.0, std::ilogb(value) + 1 - digits);
    return std::nearbyint(value / unit) * unit;
}

struct data {
    std::int64_t m = 0, n = 0, k = 0;
    matrix a, b, c;

    // C's rectangle += sign A(:, shifted by `a_shift`) B over k in [k0, k1).
    void add(matrix& to, const mutant& r, double sign, std::int64_t a_shift = 0,
             std::int64_t b_shift = 0) const {
        for (std::int64_t i = r.i0; i < r.i1; ++i)
            for (std::int64_t q = r.k0; q < r.k1; ++q) {
                const double factor = sign * a[index(i, (q + a_shift + k) % k, k)];
                const double* row = b.data() + (q + b_shift + k) % k * n;
                double* sums = to.data() + i * n;
                for (std::int64_t j = r.j0; j < r.j1; ++j) sums[j] += factor * row[j];
            }
    }
    static std::size_t index(std::int64_t i, std::int64_t j, std::int64_t cols) {
        return static_cast<std::size_t>(i * cols + j);
    }
};

// Right products are the same for all mutants of a case: made once for each A and B.
matrix right_product(const data& d) {
    static std::map<std::uint64_t, matrix> known;
    std::uint64_t hash = 14695981039346656037u;
    for (const matrix* x : {&d.a, &d.b})
        for (const double value : *x)
            hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211u;
    const auto found = known.find(hash);
    if (found != known.end()) return found->second;
    if (known.size() > 24) known.clear();
    matrix c(static_cast<std::size_t>(d.m * d.n));
    d.add(c, {.i1 = d.m, .j1 = d.n, .k1 = d.k}, 1);
    return known.emplace(hash, c).first->second;
}

// What a region of C becomes.
void spoil_entries(const mutant& by, const data& now, const data& before, matrix& c) {
    const matrix right = c;
    for (std::int64_t i = by.i0; i < by.i1; ++i)
        for (std::int64_t j = by.j0; j < by.j1; ++j) {
            const auto [i2, j2] = source_of(by, i, j, now.m, now.n);
            double& entry = c[data::index(i, j, now.n)];
            if (by.how == effect::zero)
                entry = 0;
            else if (by.how == effect::stale)
                entry = before.c.empty() ? 0 : before.c[data::index(i, j, now.n)];
            else
                entry = right[data::index(i2, j2, now.n)];
        }
}

data narrowed_data(const mutant& by, const core::problem& p, data d) {
    if (by.whose != narrowed::b)
        for (double& x : d.a) x = rounded(x, narrower_digits(p.a_type));
    if (by.whose != narrowed::a)
        for (double& x : d.b) x = rounded(x, narrower_digits(p.b_type));
    return d;
}

// What the sums over some k become.
void spoil_sums(const mutant& by, const core::problem& p, const data& now, const data& before,
                matrix& c) {
    now.add(c, by, -1);
    const std::int64_t depth = by.k1 - by.k0;
    switch (by.how) {
        case effect::zero:
            return;
        case effect::stale:
            if (!before.a.empty()) before.add(c, by, 1);
            return;
        case effect::repeated:
            return now.add(c, by, 1, by.k0 >= depth ? -depth : depth,
                           by.k0 >= depth ? -depth : depth);
        case effect::shifted:
            return now.add(c, by, 1, 1, 0);
        case effect::narrower:
            return narrowed_data(by, p, now).add(c, by, 1);
    }
}

template <class T>
void store(const core::problem& p, const matrix& from, void* to) {
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j)
            static_cast<T*>(to)[i * p.c_layout.row_stride + j * p.c_layout.col_stride] =
                static_cast<T>(from[data::index(i, j, p.n)]);
}

void store(const core::problem& p, matrix from, void* to) {
    if (p.c_type == dtype::f64) return store<double>(p, from, to);
    if (p.c_type == dtype::f32) return store<float>(p, from, to);
    for (double& x : from) x = x - std::ldexp(std::floor(std::ldexp(x, -32) + 0.5), 32);
    store<std::int32_t>(p, from, to);
}

class product final : public rows::runnable {
  public:
    product(const core::problem& p, const mutant* by) : problem_(p), by_(by), when_(by) {}

    void run(const core::operands& where) override {
        const bool spoils = when_.spoils_next(where);
        data now{problem_.m,
                 problem_.n,
                 problem_.k,
                 read(verify::a_source(problem_, where)),
                 read(verify::b_source(problem_, where)),
                 {}};
        now.c = right_product(now);
        matrix c = now.c;
        if (spoils) spoil(now, c);
        before_ = std::move(now);
        store(problem_, std::move(c), where.c);
    }

  private:
    void spoil(const data& now, matrix& c) const {
        if (spoils_sums(*by_))
            spoil_sums(*by_, problem_, now, before_, c);
        else
            spoil_entries(*by_, now, before_, c);
    }

    core::problem problem_;
    const mutant* by_;
    schedule when_;
    data before_;
};

}  // namespace

int narrower_digits(dtype type) {
    switch (type) {
        case dtype::f64:
        case dtype::i32:
            return 24;
        case dtype::f32:
            return 11;
        case dtype::f16:
            return 8;
        case dtype::bf16:
        case dtype::i8:
        case dtype::u8:
            return 4;
        case dtype::e4m3:
            return 3;
        case dtype::e5m2:
            return 2;
    }
    return 1;
}

bool spoils_sums(const mutant& by) {
    return by.where == region::k_block || by.where == region::one_k ||
           by.where == region::k_block_of_tile || by.how == effect::narrower;
}

bool schedule::spoils_next(const core::operands& where) {
    ++runs_;
    if (first_a_ == nullptr) first_a_ = where.a;
    if (by_ == nullptr) return false;
    switch (by_->when) {
        case moment::first_run:
            return runs_ == 1;
        case moment::later_run:
            return runs_ >= by_->from_run;
        case moment::other_set:
            return where.a != first_a_;
    }
    return true;
}

mutant draw(std::mt19937_64& random, std::int64_t m, std::int64_t n, std::int64_t k) {
    mutant r;
    r.where = one_of(random, std::array{region::row, region::column, region::tile, region::k_block,
                                        region::one_k, region::k_block_of_tile});
    r.how = one_of(random, std::array{effect::zero, effect::stale, effect::repeated,
                                      effect::shifted, effect::narrower});
    r.when = one_of(random, std::array{moment::first_run, moment::later_run, moment::other_set});
    r.whose = one_of(random, std::array{narrowed::a, narrowed::b, narrowed::both});
    r.from_run = static_cast<int>(between(random, 2, 4));
    r.i1 = m;
    r.j1 = n;
    r.k1 = k;
    const auto part = [&](std::int64_t& first, std::int64_t& last, std::int64_t size) {
        const std::int64_t all = last;
        first = between(random, 0, (all - 1) / size) * size;
        last = std::min(all, first + size);
    };
    constexpr std::array tiles = {std::int64_t{16}, std::int64_t{64}, std::int64_t{128}};
    constexpr std::array blocks = {std::int64_t{8}, std::int64_t{32}, std::int64_t{64}};
    if (r.where == region::row) part(r.i0, r.i1, 1);
    if (r.where == region::column) part(r.j0, r.j1, 1);
    if (r.where == region::tile || r.where == region::k_block_of_tile) {
        part(r.i0, r.i1, one_of(random, tiles));
        part(r.j0, r.j1, one_of(random, tiles));
    }
    if (r.where == region::k_block || r.where == region::k_block_of_tile)
        part(r.k0, r.k1, one_of(random, blocks));
    if (r.where == region::one_k) part(r.k0, r.k1, 1);
    // What the first run alone does not show: docs/adr/0115 says why.
    if (r.when != moment::first_run) return r;
    if (r.where == region::one_k) r.whose = narrowed::both;
    if (r.where == region::k_block_of_tile) r.when = moment::later_run;
    return r;
}

std::string describe(const mutant& m) {
    constexpr std::array regions = {"row",     "column", "tile",
                                    "k-block", "one k",  "k-block of a tile"};
    constexpr std::array effects = {"zero", "stale", "repeated", "shifted", "narrower"};
    constexpr std::array moments = {"first run", "later run", "other set"};
    constexpr std::array sides = {"A", "B", "A and B"};
    std::string text = fmt::format(
        "{} {}, {}, rows {} to {}, columns {} to {}, k {} to {}",
        regions[static_cast<std::size_t>(m.where)], effects[static_cast<std::size_t>(m.how)],
        moments[static_cast<std::size_t>(m.when)], m.i0, m.i1, m.j0, m.j1, m.k0, m.k1);
    if (m.how == effect::narrower)
        text += fmt::format(", {} narrowed", sides[static_cast<std::size_t>(m.whose)]);
    return text;
}

std::unique_ptr<rows::runnable> make_product(const core::problem& p, const mutant* by) {
    return std::make_unique<product>(p, by);
}

}  // namespace carat::mutants
