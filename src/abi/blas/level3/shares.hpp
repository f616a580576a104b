// One call is one parallel region. Its work is divided where no bit depends on the division, and
// each thread runs the whole recursion on its share: columns of B and C that do not depend on each
// other, or every n-th block of C.
#pragma once

#include <algorithm>
#include <cstddef>

#include "abi/blas/level3/product.hpp"
#include "abi/blas/level3/threads.hpp"
#include "core/pool.hpp"

namespace carat::blas {

// Threads for this many multiplications: each needs 2^19 of them, about 20 us, to be worth waking.
[[nodiscard]] inline int threads_for(double multiplications) {
    const double most = multiplications / (1 << 19);
    return most < 2 ? 1 : static_cast<int>(std::min(most, static_cast<double>(thread_limit())));
}

struct columns {
    std::size_t first;
    std::size_t count;
};

// Calls run(columns, thread) for ranges of `cols` columns, on at most this many threads; once for
// all columns if they are too few for the threads, which then share each step instead.
template <class Run>
void for_each_stretch(int most_threads, std::size_t cols, const Run& run) {
    constexpr std::size_t least = 32;    // columns of a thread
    constexpr std::size_t usual = 256;   // more pieces than threads pack the triangle as often
    constexpr std::size_t together = 8;  // columns that stay together
    const auto threads = static_cast<std::size_t>(most_threads);
    if (threads == 1 || cols < least * threads) return run(columns{0, cols}, 0);
    const std::size_t pieces = threads * std::clamp<std::size_t>(cols / (threads * usual), 1, 4);
    core::for_each_piece(
        static_cast<int>(pieces), static_cast<int>(threads), [&](int piece, int thread) {
            const core::range part =
                core::subrange(static_cast<std::int64_t>((cols + together - 1) / together),
                               static_cast<int>(pieces), piece);
            const std::size_t first = static_cast<std::size_t>(part.first) * together;
            const std::size_t end =
                std::min(cols, first + static_cast<std::size_t>(part.size) * together);
            run(columns{first, end - first}, thread);
        });
}

// Computes these columns of C = alpha A B + beta C; on all threads if they are all columns.
template <class T>
void multiply_columns(T alpha, const view<const T>& a, const view<const T>& b, T beta,
                      const view<T>& c, const columns& of) noexcept {
    if (of.count == c.cols()) return multiply<T>(alpha, a, b, beta, c);
    multiply_part<T>(alpha, a, b, beta, c, {0, c.rows(), of.first, of.count});
}

// Deals the blocks of a recursion to a number of pieces. Each piece runs the whole recursion and
// asks before each block.
class turns {
  public:
    // `largest`: the most multiplications of a block.
    turns(int piece, int pieces, double largest)
        : piece_(piece), pieces_(pieces), largest_(largest) {}

    [[nodiscard]] bool mine() { return next_++ % pieces_ == piece_; }

    // The number of parts into which a block is divided along one side.
    [[nodiscard]] std::size_t parts_of(double multiplications, std::size_t side) const {
        constexpr std::size_t least = 32;
        const double parts = multiplications / largest_ + 0.5;
        return static_cast<std::size_t>(
            std::clamp(parts, 1.0, static_cast<double>(std::max<std::size_t>(1, side / least))));
    }

  private:
    int piece_;
    int pieces_;
    double largest_;
    int next_ = 0;
};

// Calls run(turns, thread) for each piece of a recursion with this many multiplications.
template <class Run>
void for_each_turn(int threads, double multiplications, const Run& run) {
    constexpr int pieces_per_thread = 4;  // so that a thread that comes late leaves some
    constexpr int blocks_per_piece = 2;
    const int pieces = threads == 1 ? 1 : threads * pieces_per_thread;
    const double largest =
        threads == 1 ? multiplications : multiplications / pieces / blocks_per_piece;
    core::for_each_piece(pieces, threads, [&](int piece, int thread) {
        run(turns(piece, pieces, largest), thread);
    });
}

}  // namespace carat::blas
