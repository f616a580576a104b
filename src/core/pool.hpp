// The library's own threads, which share the independent pieces of one call.
//
// The caller posts its pieces and begins with them at once. A worker that comes in time has a
// thread index and first takes the pieces of that index, so that a thread meets the same part of
// the operands in its caches from call to call. Then, unless its only piece was short, it takes
// pieces of indices that have no thread. The caller runs what is left and waits only for pieces
// that have begun, so a thread that the system does not schedule delays nothing that it has not
// begun.
//
// Workers are started by the first call that needs them and kept. They spin for some microseconds
// after a piece, then sleep. If the system refuses a thread, the existing ones do its work.
#pragma once

#include <cstdint>
#include <memory>

namespace carat::core {

namespace detail {

using piece_function = void (*)(const void* work, int piece, int thread);

void run_on_pool(int pieces, int threads, piece_function function, const void* work);

// A program's own thread pool: calls function(work, piece, thread) once for each piece in [0,
// pieces), never twice at a time with the same index in [0, threads), and returns when all are
// done.
using other_pool = void (*)(void* context, int pieces, int threads, piece_function function,
                            const void* work);

}  // namespace detail

// Runs pieces on another pool instead of this one; null: on this one again. Must not be called
// while another thread multiplies.
void run_pieces_on(detail::other_pool other, void* context);

// Calls work(piece, thread) for every piece in [0, pieces), on the caller and at most threads - 1
// workers. Each thread index in [0, threads) belongs to one thread for the whole call, 0 to the
// caller. `work` must not throw. Pieces run one by one if the caller is itself running a piece.
template <class Work>
void for_each_piece(int pieces, int threads, const Work& work) {
    if (pieces <= 1 || threads <= 1) {
        for (int piece = 0; piece < pieces; ++piece) work(piece, 0);
        return;
    }
    detail::run_on_pool(
        pieces, threads,
        [](const void* of, int piece, int thread) {
            (*static_cast<const Work*>(of))(piece, thread);
        },
        std::addressof(work));
}

// Whether the calling thread is running a piece.
[[nodiscard]] bool inside_piece();

// The number of calls whose pieces were posted to workers, for tests.
[[nodiscard]] std::uint32_t calls_shared();

// A part of [0, extent), which is divided as evenly as whole numbers allow.
struct range {
    std::int64_t first;
    std::int64_t size;
};

[[nodiscard]] inline range subrange(std::int64_t extent, int parts, int index) {
    const std::int64_t share = extent / parts;
    const std::int64_t rest = extent % parts;
    const auto start = [&](std::int64_t i) { return i * share + (i < rest ? i : rest); };
    return {start(index), start(index + 1) - start(index)};
}

}  // namespace carat::core
