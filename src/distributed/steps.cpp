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

// The rows of a face that the share has, if it has them from one end of the face to the other.
std::optional<index_range> own_rows(const share& held, index_range rows, index_range cols) {
    const overlap have = overlap_of(held, {rows, cols});
    if (!have.is_one_block() || have.cols.front() != cols) return {};
    return have.rows.front();
}

share turned(const share& s) {
    return {s.cols, s.rows};
}

// Pieces of a face that `sharing` ranks share, none of them very thin.
std::int64_t pieces_of(index_range face, int sharing) {
    constexpr std::int64_t most = 8, thinnest = 128;
    return std::clamp<std::int64_t>(sharing - 1, 1,
                                    std::clamp<std::int64_t>(face.size() / thinnest, 1, most));
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
        add_products(to, {rows}, cols_);
        rows_.push_back(rows);
    }
    void take_b(step& to) {
        const index_range cols = b_.pieces[next_b_];
        to.b = arrival{{own_[dimension::k], cols}, static_cast<int>(next_b_++)};
        add_products(to, rows_, {cols});
        cols_.push_back(cols);
    }

    box own_;
    cut a_, b_;
    std::size_t next_a_ = 0, next_b_ = 0;
    std::vector<index_range> rows_, cols_;  // present
    std::vector<step> steps_;
};

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

std::vector<step> steps_of(const schedule& plan, int rank, const share& held_a,
                           const share& held_b) {
    const box own = plan.of(rank);
    if (own.empty()) return {};
    if (plan.pieces() > 1) return steps_along_k(own, plan.pieces(), held_a, held_b);
    const index_range m = own[dimension::m], n = own[dimension::n], k = own[dimension::k];
    return builder(
               own,
               cut_face(m, own_rows(held_a, m, k), pieces_of(m, parts_along(plan, dimension::n))),
               cut_face(n, own_rows(turned(held_b), n, k),
                        pieces_of(n, parts_along(plan, dimension::m))))
        .build();
}

int buffers_of(const std::vector<step>& steps, std::optional<arrival> step::*which) {
    int most = 0;
    for (const step& s : steps)
        if (s.*which) most = std::max(most, (s.*which)->buffer + 1);
    return most;
}

}  // namespace carat::distributed
