#include "distributed/steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distributed/movement.hpp"

namespace carat::distributed {

namespace {

// A range that is held, if any, and the others in the order in which they arrive.
struct cut {
    std::optional<index_range> own;
    std::vector<index_range> pieces;
};

void add_parts(std::vector<index_range>& to, index_range of, std::int64_t parts) {
    for (std::int64_t i = 0; i < parts; ++i) {
        index_range p = even_part(of.size(), i, parts);
        p = {of.begin + p.begin, of.begin + p.end};
        if (!p.empty()) to.push_back(p);
    }
}

// Pieces begin behind what is held, so that ranks that share a face ask different ones first.
cut cut_face(index_range face, std::optional<index_range> own, std::int64_t pieces) {
    cut found{own, {}};
    const index_range behind{own ? own->end : face.begin, face.end};
    const index_range before{face.begin, own ? own->begin : face.begin};
    const std::int64_t rest = behind.size() + before.size();
    if (rest == 0) return found;
    const std::int64_t there = (pieces * behind.size() + rest / 2) / rest;
    add_parts(found.pieces, behind, std::max<std::int64_t>(there, 1));
    add_parts(found.pieces, before, std::max<std::int64_t>(pieces - there, 1));
    return found;
}

// A range without another one inside it: what is behind it, and what is before.
std::vector<index_range> without(index_range all, const std::optional<index_range>& inside) {
    if (!inside || !all.contains(*inside)) return {all};
    std::vector<index_range> rest;
    for (const index_range r : {index_range{inside->end, all.end}, {all.begin, inside->begin}})
        if (!r.empty()) rest.push_back(r);
    return rest;
}

// The rows of a face that the share has, if it has them from one end of the face to the other.
std::optional<index_range> own_rows(const share& held, index_range rows, index_range cols) {
    const overlap have = overlap_of(held, {rows, cols});
    if (!have.is_one_block() || have.cols.front() != cols) return {};
    return have.rows.front();
}

share turned(const share& s) {
    return {s.cols, s.rows};
}

// The ways to cut a face that `sharing` ranks share: all of it at once, what is held and the rest,
// or a piece for each rank. Where messages take SMs from products, also what is held, and then all
// at once in one message.
std::vector<cut> cuts_of(index_range face, std::optional<index_range> own, int sharing,
                         bool messages_take_units) {
    constexpr std::int64_t most = 8, thinnest = 128;
    std::vector<cut> ways = {cut_face(face, own, 1)};
    if (own == face) return ways;
    if (own && messages_take_units) ways.push_back({own, {face}});
    if (own) ways.push_back(cut_face(face, {}, 1));
    const std::int64_t pieces = std::min(most, face.size() / thinnest);
    if (std::min<std::int64_t>(sharing - 1, pieces) > 1)
        ways.push_back(cut_face(face, own, std::min<std::int64_t>(sharing - 1, pieces)));
    if (!own && pieces > 1) ways.push_back(cut_face(face, {}, std::min<std::int64_t>(4, pieces)));
    return ways;
}

int parts_along(const schedule& plan, dimension d) {
    for (std::size_t i = 0; i < 3; ++i)
        if (plan.order()[i] == d) return plan.parts()[i];
    return 1;
}

// Builds the steps of a box with K whole.
class builder {
  public:
    builder(const box& own, cut a, cut b) : own_(own), a_(std::move(a)), b_(std::move(b)) {}

    std::vector<step> build() {
        step first;
        if (a_.own) rows_.push_back(*a_.own);
        if (b_.own) cols_.push_back(*b_.own);
        if (!a_.own) take_a(first);
        if (!b_.own) take_b(first);
        first.products.clear();
        for (const index_range rows : rows_) add_products(first, {rows}, cols_);
        steps_.push_back(std::move(first));
        while (next_a_ < a_.pieces.size() || next_b_ < b_.pieces.size()) {
            if (next_a_ < a_.pieces.size()) take_a(steps_.emplace_back());
            if (next_b_ < b_.pieces.size()) take_b(steps_.emplace_back());
        }
        return std::move(steps_);
    }

  private:
    void add_products(step& to, const std::vector<index_range>& rows,
                      const std::vector<index_range>& cols) const {
        for (const index_range r : rows)
            for (const index_range c : cols) to.products.push_back({{r, c, own_[dimension::k]}});
    }
    void take_a(step& to) {
        const index_range rows = a_.pieces[next_a_];
        to.a = arrival{{rows, own_[dimension::k]}, static_cast<int>(next_a_++)};
        for (const index_range r : without(rows, a_.own)) {
            add_products(to, {r}, cols_);
            rows_.push_back(r);
        }
    }
    void take_b(step& to) {
        const index_range cols = b_.pieces[next_b_];
        to.b = arrival{{own_[dimension::k], cols}, static_cast<int>(next_b_++)};
        for (const index_range c : without(cols, b_.own)) {
            add_products(to, rows_, {c});
            cols_.push_back(c);
        }
    }

    box own_;
    cut a_, b_;
    std::size_t next_a_ = 0, next_b_ = 0;
    std::vector<index_range> rows_, cols_;  // present
    std::vector<step> steps_;
};

// Elements of an arrival that come from elsewhere.
double moved(const std::optional<arrival>& a, const share& held) {
    if (!a) return 0;
    const auto all = static_cast<double>(a->what.rows.size() * a->what.cols.size());
    return all - static_cast<double>(overlap_of(held, {a->what.rows, a->what.cols}).size());
}

std::vector<step> steps_along_k(const box& own, std::int64_t pieces, const share& held_a,
                                const share& held_b) {
    const index_range m = own[dimension::m], n = own[dimension::n], k = own[dimension::k];
    const bool has_a = own_rows(turned(held_a), k, m) == k;
    const bool has_b = own_rows(held_b, k, n) == k;
    std::vector<step> steps;
    std::vector<index_range> parts;
    add_parts(parts, k, pieces);
    for (const index_range part : parts) {
        const int buffer = static_cast<int>(steps.size() % 2);
        step& s = steps.emplace_back();
        if (!has_a) s.a = arrival{{m, part}, buffer};
        if (!has_b) s.b = arrival{{part, n}, buffer};
        s.products.push_back({{m, n, part}});
    }
    return steps;
}

}  // namespace

double time_of(const box& product, const pace& by) {
    const auto tiles = [&](dimension d) {
        return static_cast<double>((product[d].size() + by.tile - 1) / by.tile);
    };
    const double all = tiles(dimension::m) * tiles(dimension::n);
    const double turns = by.units > 1 ? std::ceil(all / by.units) : all;
    const double of_tile = static_cast<double>(by.tile * by.tile * product[dimension::k].size()) *
                           by.units / by.madds_per_s;
    return by.start_s + turns * of_tile;
}

double time_of(const std::vector<step>& steps, const share& held_a, const share& held_b,
               const pace& by) {
    const auto words_of = [&](const step& s) { return moved(s.a, held_a) + moved(s.b, held_b); };
    const pace beside = by.beside_messages();
    double arrived = 0, multiplied = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double words = words_of(steps[i]);
        if (words > 0) arrived += by.latency_s + words / by.words_per_s;
        const bool next_travels = i + 1 < steps.size() && words_of(steps[i + 1]) > 0;
        for (const box& b : steps[i].products) {
            if (by.overlaps) multiplied = std::max(multiplied, arrived);
            multiplied += time_of(b, next_travels ? beside : by);
        }
    }
    return by.overlaps ? multiplied : arrived + multiplied;
}

pace pace::beside_messages() const {
    pace less = *this;
    less.units -= units_of_messages;
    less.madds_per_s *= less.units / units;
    return less;
}

pace pace_of(bool is_host, dtype operands, bool overlaps, int units_of_messages) {
    pace by;
    by.overlaps = overlaps;
    by.units_of_messages = units_of_messages;
    if (is_host) {
        by.madds_per_s = operands == dtype::f64 ? 25e9 : 50e9;
        by.words_per_s = 1e9;
        by.start_s = 2e-6;
        by.latency_s = 2e-6;
        return by;
    }
    by.madds_per_s = operands == dtype::f64 ? 30e12 : operands == dtype::f32 ? 25e12 : 330e12;
    by.words_per_s = 361e9 / static_cast<double>(size_bytes(operands));
    by.start_s = 6e-6;
    by.latency_s = 12e-6;
    by.units = 132;
    by.tile = 128;
    return by;
}

std::vector<step> steps_of(const schedule& plan, int rank, const share& held_a, const share& held_b,
                           const pace& by) {
    const box own = plan.of(rank);
    if (own.empty()) return {};
    if (plan.pieces() > 1) return steps_along_k(own, plan.pieces(), held_a, held_b);
    const index_range m = own[dimension::m], n = own[dimension::n], k = own[dimension::k];
    const bool take_units = by.units_of_messages > 0;
    const auto ways_a =
        cuts_of(m, own_rows(held_a, m, k), parts_along(plan, dimension::n), take_units);
    const auto ways_b =
        cuts_of(n, own_rows(turned(held_b), n, k), parts_along(plan, dimension::m), take_units);
    std::vector<step> best;
    double least = HUGE_VAL;
    for (const cut& a : ways_a)
        for (const cut& b : ways_b) {
            std::vector<step> steps = builder(own, a, b).build();
            const double time = time_of(steps, held_a, held_b, by);
            if (time >= least) continue;
            least = time;
            best = std::move(steps);
        }
    return best;
}

}  // namespace carat::distributed
