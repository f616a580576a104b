#include "distributed/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <carat/error.hpp>

namespace carat::distributed {

namespace {

using index = std::int64_t;

// Some of `ranks` ranks: the first and how many.
struct group {
    int part;
    int first;
    int count;
};

// The group of `rank` when `ranks` are dealt to `parts` groups, larger groups first.
group group_of(int rank, int ranks, int parts) {
    const int least = ranks / parts, larger = ranks % parts;
    const int in_larger = larger * (least + 1);
    if (rank < in_larger) return {rank / (least + 1), rank / (least + 1) * (least + 1), least + 1};
    const int part = larger + (rank - in_larger) / least;
    return {part, in_larger + (part - larger) * least, least};
}

// What of `size` indices falls to ranks [first, first + count) of `ranks`.
index_range share_of(index size, int first, int count, int ranks) {
    return {even_part(size, first, ranks).begin, even_part(size, first + count, ranks).begin};
}

// The largest such share of `count` ranks.
double most(index size, int count, int ranks) {
    return static_cast<double>((size * count + ranks - 1) / ranks);
}

double at(const std::array<double, 3>& box, dimension d) {
    return box[static_cast<std::size_t>(d)];
}

// Words in and out of a box of these extents, each face less the share its rank has of it.
double words_of(const std::array<double, 3>& box, const extents& whole) {
    double words = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto all = static_cast<double>(whole.of[d]);
        words += box[(d + 1) % 3] * box[(d + 2) % 3] * (1 - box[d] / all);
    }
    return words;
}

// Memory that a box takes with K in as many pieces as there are, and with one piece.
struct memory_need {
    double fixed;     // shares of the matrices, partial sums
    double operands;  // whole faces of A and B
    double least;     // of two pieces of A and B, one column and row each
};

memory_need need_of(const std::array<double, 3>& box, const extents& whole, int ranks) {
    const double m = at(box, dimension::m), n = at(box, dimension::n), k = at(box, dimension::k);
    const bool partial = k < static_cast<double>(whole[dimension::k]);
    return {whole.faces() / ranks + (partial ? m * n : 0), (m + n) * k, 2 * (m + n)};
}

// One way to cut, judged by its worst box.
struct judged {
    double words = 0;
    double volume = 0;
    bool fits = true;

    void add(const std::array<double, 3>& box, const task& what) {
        words = std::max(words, words_of(box, what.size));
        volume = std::max(volume, box[0] * box[1] * box[2]);
        if (what.memory_words <= 0) return;
        const memory_need need = need_of(box, what.size, what.ranks);
        fits = fits && need.fixed + std::min(need.operands, need.least) <= what.memory_words;
    }
    void add(const judged& other) {
        words = std::max(words, other.words);
        volume = std::max(volume, other.volume);
        fits = fits && other.fits;
    }
    // Words times the factor by which the busiest rank exceeds its share of the work.
    [[nodiscard]] double cost(const task& what, bool splits_k) const {
        constexpr double of_a_reduction = 1.001;  // decides between equals
        const double imbalance = volume * what.ranks / what.size.volume();
        return fits ? (words + 1e-3) * imbalance * (splits_k ? of_a_reduction : 1) : HUGE_VAL;
    }
};

struct order_of_cuts {
    dimension slabs, columns, boxes;
};

// A slab of `ranks` ranks and `thickness`, cut into so many columns.
judged judge_slab(const task& what, const order_of_cuts& cut, double thickness, int ranks,
                  int columns) {
    judged worst;
    for (const int in_column : {ranks / columns, (ranks + columns - 1) / columns}) {
        std::array<double, 3> box{};
        box[static_cast<std::size_t>(cut.slabs)] = thickness;
        box[static_cast<std::size_t>(cut.columns)] = most(what.size[cut.columns], in_column, ranks);
        box[static_cast<std::size_t>(cut.boxes)] = most(what.size[cut.boxes], 1, in_column);
        worst.add(box, what);
        if (ranks % columns == 0) break;
    }
    return worst;
}

bool cuts_k(const order_of_cuts& cut, int slabs, int ranks, int columns) {
    return (cut.slabs == dimension::k && slabs > 1) ||
           (cut.columns == dimension::k && columns > 1) ||
           (cut.boxes == dimension::k && columns < ranks);
}

// The best number of columns of a slab.
struct best_slab {
    judged found;
    int columns = 0;  // none if there is no way
    bool splits_k = false;
};

best_slab search_slab(const task& what, const order_of_cuts& cut, int slabs, int ranks) {
    best_slab best;
    const double thickness = most(what.size[cut.slabs], ranks, what.ranks);
    double least = HUGE_VAL;
    for (int columns = 1; columns <= ranks; ++columns) {
        const bool splits = cuts_k(cut, slabs, ranks, columns);
        if (splits && !what.may_split_k) continue;
        const judged here = judge_slab(what, cut, thickness, ranks, columns);
        if (const double cost = here.cost(what, splits); cost < least * (1 - 1e-9)) {
            least = cost;
            best = {here, columns, splits};
        }
    }
    return best;
}

constexpr std::array<order_of_cuts, 6> orders = {{
    {dimension::m, dimension::n, dimension::k},
    {dimension::n, dimension::m, dimension::k},
    {dimension::m, dimension::k, dimension::n},
    {dimension::n, dimension::k, dimension::m},
    {dimension::k, dimension::m, dimension::n},
    {dimension::k, dimension::n, dimension::m},
}};

void validate(const task& what) {
    for (const index size : what.size.of)
        if (size < 0)
            throw error(
                error_code::invalid_argument,
                "schedule: a size of " + std::to_string(size) + ", but sizes must be at least 0");
    if (what.ranks < 1)
        throw error(error_code::invalid_argument, "schedule: " + std::to_string(what.ranks) +
                                                      " ranks: there must be at least one");
}

// Whether shares of a face are cut along its rows. K stays whole where the other dimension has
// room, so that a share can be multiplied before the rest of the face arrives.
bool cuts_rows(index_range rows, index_range cols, dimension of_rows) {
    constexpr index room = 64;
    if (of_rows == dimension::k) return cols.size() < room && rows.size() > cols.size();
    return rows.size() >= room || rows.size() >= cols.size();
}

[[noreturn]] void refuse_memory(const task& what) {
    const double own = what.size.faces() / what.ranks;
    throw error(error_code::out_of_memory,
                "schedule: " + std::to_string(std::llround(what.memory_words)) +
                    " words of memory on a rank are too few for " +
                    std::to_string(std::llround(std::ceil(own))) +
                    " of its shares of A, B and C and pieces of A and B: use more ranks");
}

}  // namespace

schedule::schedule(const task& what) : task_(what) {
    validate(what);
    slabs_ = what.ranks;
    if (what.along) {
        order_[0] = *what.along;
        order_[1] = *what.along == dimension::m ? dimension::n : dimension::m;
        order_[2] = *what.along == dimension::k ? dimension::n : dimension::k;
        take_pieces();
    } else if (what.size.volume() > 0) {
        search();
        take_pieces();
    }
}

schedule::schedule(const task& what, const std::array<dimension, 3>& order, int slabs, int columns)
    : task_(what), order_(order), slabs_(slabs), columns_{columns, columns} {
    take_pieces();
}

schedule schedule::grid(const task& what, int along_m, int along_n, bool by_columns) {
    validate(what);
    if (by_columns) return {what, {dimension::n, dimension::m, dimension::k}, along_n, along_m};
    return {what, {dimension::m, dimension::n, dimension::k}, along_m, along_n};
}

schedule schedule::where_c_lies(const task& what, const distribution& c) {
    validate(what);
    schedule found(what, {dimension::m, dimension::n, dimension::k}, 1, 1);
    std::vector<box> boxes;
    std::set<index> rows, cols;
    for (int rank = 0; rank < what.ranks; ++rank) {
        const share own = c.of(rank);
        boxes.push_back({{own.rows.within, own.cols.within, {0, what.size[dimension::k]}}});
        rows.insert(own.rows.within.begin);
        cols.insert(own.cols.within.begin);
    }
    found.slabs_ = static_cast<int>(rows.size());
    found.columns_ = {static_cast<int>(cols.size()), static_cast<int>(cols.size())};
    found.boxes_ = std::make_shared<const std::vector<box>>(std::move(boxes));
    found.pieces_ = 1;
    found.take_pieces();
    return found;
}

void schedule::search() {
    double least = HUGE_VAL;
    for (const order_of_cuts& cut : orders) {
        for (int slabs = 1; slabs <= task_.ranks; ++slabs) {
            const int few = task_.ranks / slabs, more = few + (task_.ranks % slabs != 0 ? 1 : 0);
            const best_slab wide = search_slab(task_, cut, slabs, more);
            const best_slab narrow = few == more ? wide : search_slab(task_, cut, slabs, few);
            if (wide.columns == 0 || narrow.columns == 0) continue;
            judged both = wide.found;
            both.add(narrow.found);
            const double cost = both.cost(task_, wide.splits_k || narrow.splits_k);
            if (cost >= least * (1 - 1e-9)) continue;
            least = cost;
            order_ = {cut.slabs, cut.columns, cut.boxes};
            slabs_ = slabs;
            columns_ = {wide.columns, narrow.columns};
        }
    }
    if (least == HUGE_VAL) refuse_memory(task_);
}

// K in as many pieces as the memory takes.
void schedule::take_pieces() {
    if (task_.memory_words <= 0) return;
    for (int rank = 0; rank < task_.ranks; ++rank) {
        const extents own = of(rank).size();
        if (own.volume() == 0) continue;
        const memory_need need =
            need_of({static_cast<double>(own.of[0]), static_cast<double>(own.of[1]),
                     static_cast<double>(own.of[2])},
                    task_.size, task_.ranks);
        if (need.fixed + need.operands <= task_.memory_words) continue;
        const auto width = static_cast<index>((task_.memory_words - need.fixed) / need.least);
        if (width < 1) refuse_memory(task_);
        pieces_ = std::max(pieces_, (own[dimension::k] + width - 1) / width);
    }
}

box schedule::of(int rank) const {
    if (boxes_) return (*boxes_)[static_cast<std::size_t>(rank)];
    const group slab = group_of(rank, task_.ranks, slabs_);
    const int columns = columns_of(slab.part);
    const group column = group_of(rank - slab.first, slab.count, columns);
    box found;
    const auto range = [&](int level) -> index_range& {
        return found.of[static_cast<std::size_t>(order_[static_cast<std::size_t>(level)])];
    };
    range(0) = share_of(task_.size[order_[0]], slab.first, slab.count, task_.ranks);
    range(1) = share_of(task_.size[order_[1]], column.first, column.count, slab.count);
    range(2) = share_of(task_.size[order_[2]], rank - slab.first - column.first, 1, column.count);
    return found;
}

std::array<int, 3> schedule::parts() const {
    if (boxes_) return {slabs_, columns_[0], 1};
    const int ranks = (task_.ranks + slabs_ - 1) / slabs_;
    const int columns = task_.ranks % slabs_ == 0 ? columns_[1] : columns_[0];
    return {slabs_, columns, (ranks + columns - 1) / columns};
}

bool schedule::is_grid() const {
    return task_.ranks % slabs_ == 0 && task_.ranks / slabs_ % columns_[1] == 0;
}

bool schedule::splits_k() const {
    for (int rank = 0; rank < task_.ranks; ++rank)
        if (const box own = of(rank);
            !own.empty() && own[dimension::k].size() < task_.size[dimension::k])
            return true;
    return false;
}

double schedule::words(int rank) const {
    const extents own = of(rank).size();
    if (own.volume() == 0) return 0;
    return words_of({static_cast<double>(own.of[0]), static_cast<double>(own.of[1]),
                     static_cast<double>(own.of[2])},
                    task_.size);
}

double schedule::most_words() const {
    double words_moved = 0;
    for (int rank = 0; rank < task_.ranks; ++rank) words_moved = std::max(words_moved, words(rank));
    return words_moved;
}

double schedule::all_words() const {
    double sum = 0;
    for (int rank = 0; rank < task_.ranks; ++rank) sum += words(rank);
    return sum;
}

double schedule::most_madds() const {
    double madds = 0;
    for (int rank = 0; rank < task_.ranks; ++rank)
        madds = std::max(madds, of(rank).size().volume());
    return madds;
}

// Every element of a matrix is needed by the boxes on a line along the dimension that the matrix
// does not have, and belongs to the rank of one of them. Boxes of one column have the same face
// there, so each takes a range of it in proportion to its extent along the line. Columns of a slab
// have only the thickness of the slab in common, so ranges are taken of that. Slabs have nothing in
// common: there rows are dealt out with a period of the number of ranks, in the same proportion, or
// of a multiple of it, so that there are about 16 periods: a matrix by columns then has no runs of
// a few elements, which take long to copy.
distribution schedule::best(dimension rows, dimension cols, dimension shared, bool in_parts) const {
    const index whole = task_.size[shared];
    if (whole == 0) return distribution::by_rows(task_.size[rows], task_.size[cols], task_.ranks);
    const bool same_faces = shared == order_[2] || is_grid();
    std::vector<share> shares;
    for (int rank = 0; rank < task_.ranks; ++rank) {
        const box own = of(rank);
        share s{own[rows], own[cols]};
        const index_range line = own[shared];
        if (same_faces || shared == order_[1]) {
            const bool by_rows = !same_faces ? rows == order_[0]
                                 : in_parts  ? rows == dimension::k
                                             : cuts_rows(own[rows], own[cols], rows);
            index_range& cut = by_rows ? s.rows.within : s.cols.within;
            const index_range all = cut;
            cut = {all.begin + all.size() * line.begin / whole,
                   all.begin + all.size() * line.end / whole};
        } else {
            const index first = task_.ranks * line.begin / whole;
            const index count = task_.ranks * line.end / whole - first;
            const bool by_columns = rows == dimension::k;
            const index dealt = task_.size[by_columns ? cols : rows];
            const index each = std::max<index>(1, dealt / (index{16} * task_.ranks));
            index_set& cut = by_columns ? s.cols : s.rows;
            cut = {cut.within, first * each, count * each, task_.ranks * each};
        }
        shares.push_back(s);
    }
    return distribution::of_shares(task_.size[rows], task_.size[cols], std::move(shares));
}

}  // namespace carat::distributed
