// How a product M x N x K is shared out among ranks: a pure function of the sizes, the number of
// ranks and the memory of each. No communication happens here, so that it can be printed, drawn and
// tested for any number of ranks.
//
// The M N K multiply-adds fill a cuboid. It is cut into slabs along one dimension, each slab into
// columns along another, and each column into boxes along the third; a rank multiplies one box. The
// ranks of any two slabs (or of two columns of a slab) differ in number by at most one, and a cut
// stands where the numbers of ranks on both sides say, so that all boxes have the same volume, for
// 7 ranks as for 8:
//
//     4 ranks        6 ranks        7 ranks        12 ranks
//     +---+---+      +---+---+      +---+---+      +--+--+--+
//     |   |   |      |   |   |      |   |   |      |  |  |  |
//     |   |   |      +---+---+      |   +---+      +--+--+--+
//     +---+---+      |   |   |      +---+   |      |  |  |  |
//     |   |   |      +---+---+      |   +---+      +--+--+--+
//     |   |   |      |   |   |      |   |   |      |  |  |  |
//     +---+---+      +---+---+      +---+---+      +--+--+--+
//
// All orders of the dimensions and all numbers of slabs and columns are tried. Words are counted as
// in bound.hpp: the faces of a box are the parts of A, B and C that it needs, and a rank starts
// (for C: ends) with its share of each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <carat/distribution.hpp>

namespace carat::distributed {

struct extents {
    std::array<std::int64_t, 3> of = {0, 0, 0};  // by dimension

    [[nodiscard]] constexpr std::int64_t operator[](dimension d) const {
        return of[static_cast<std::size_t>(d)];
    }
    [[nodiscard]] constexpr double volume() const {
        return static_cast<double>(of[0]) * static_cast<double>(of[1]) * static_cast<double>(of[2]);
    }
    // Elements of A, B and C together.
    [[nodiscard]] constexpr double faces() const {
        const auto m = static_cast<double>(of[0]), n = static_cast<double>(of[1]),
                   k = static_cast<double>(of[2]);
        return m * k + k * n + m * n;
    }
};

struct task {
    extents size;
    int ranks = 1;
    double memory_words = 0;  // of each rank, its shares of A, B and C included; 0: no limit
    bool may_split_k = true;
    std::optional<dimension> along = {};  // cut along this dimension alone
};

// The multiply-adds of one rank.
struct box {
    std::array<index_range, 3> of;  // by dimension

    [[nodiscard]] index_range operator[](dimension d) const {
        return of[static_cast<std::size_t>(d)];
    }
    [[nodiscard]] extents size() const { return {{of[0].size(), of[1].size(), of[2].size()}}; }
    [[nodiscard]] bool empty() const { return of[0].empty() || of[1].empty() || of[2].empty(); }
};

class schedule {
  public:
    // Throws carat::error(invalid_argument) for impossible numbers, and (out_of_memory) if the
    // shares of the matrices alone, or with the least pieces of A and B, need more memory.
    explicit schedule(const task& what);

    // A grid of so many ranks along M and along N, and the rest along K; ranks numbered by rows or
    // by columns.
    [[nodiscard]] static schedule grid(const task& what, int along_m, int along_n, bool by_columns);

    // K whole, and each rank multiplies what it holds of C, which must be a range of rows and one
    // of columns.
    [[nodiscard]] static schedule where_c_lies(const task& what, const distribution& c);

    [[nodiscard]] const task& what() const { return task_; }
    [[nodiscard]] box of(int rank) const;

    // The dimensions cut into slabs, columns and boxes, and into how many: the largest number where
    // slabs or columns differ.
    [[nodiscard]] std::array<dimension, 3> order() const { return order_; }
    [[nodiscard]] std::array<int, 3> parts() const;
    // Whether every cut goes through the whole cuboid.
    [[nodiscard]] bool is_grid() const;
    [[nodiscard]] bool splits_k() const;
    // K is multiplied in so many pieces, one after another, where memory is scarce.
    [[nodiscard]] std::int64_t pieces() const { return pieces_; }

    // Words that a rank receives of A and B and sends of C; the most, and the sum over all.
    [[nodiscard]] double words(int rank) const;
    [[nodiscard]] double most_words() const;
    [[nodiscard]] double all_words() const;
    // Multiply-adds of the busiest rank.
    [[nodiscard]] double most_madds() const;

    // The layouts in which nothing has to be moved but what words() counts. `in_parts`: shares of a
    // grid are cut along K, otherwise across it where there is room.
    [[nodiscard]] distribution of_a(bool in_parts = false) const {
        return best(dimension::m, dimension::k, dimension::n, in_parts);
    }
    [[nodiscard]] distribution of_b(bool in_parts = false) const {
        return best(dimension::k, dimension::n, dimension::m, in_parts);
    }
    [[nodiscard]] distribution of_c() const {
        return best(dimension::m, dimension::n, dimension::k);
    }

  private:
    schedule(const task& what, const std::array<dimension, 3>& order, int slabs, int columns);
    [[nodiscard]] int columns_of(int slab) const {
        return columns_[slab < task_.ranks % slabs_ ? 0 : 1];
    }
    [[nodiscard]] distribution best(dimension rows, dimension cols, dimension shared,
                                    bool in_parts = false) const;
    void search();
    void take_pieces();

    task task_;
    std::array<dimension, 3> order_ = {dimension::m, dimension::n, dimension::k};
    int slabs_ = 1;
    std::array<int, 2> columns_ = {1, 1};  // of slabs with one rank more, and of the others
    std::int64_t pieces_ = 1;
    std::shared_ptr<const std::vector<box>> boxes_;  // of the ranks, where no cuts say them
};

}  // namespace carat::distributed
