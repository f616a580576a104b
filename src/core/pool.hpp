// The library's own threads: independent pieces of one call, taken as threads come.
//
// The caller posts its pieces and begins with them at once. A worker that is awake, or wakes in
// time, takes its thread and first the pieces that belong to that thread, so that from call to call
// a thread meets the same part of the operands in its caches; then, unless its own was a short one,
// pieces of threads that nobody took.
// The caller does alone whatever is left and waits only for pieces that somebody has begun: a
// thread that the system does not run delays nothing that it has not started.
//
// Workers are started at the first call that wants them and kept. They spin for some microseconds
// after a piece, then sleep. Where the system refuses a thread, those there are do the work.
#pragma once

#include <cstdint>
#include <memory>

namespace carat::core {

namespace detail {

using piece_function = void (*)(const void* work, int piece, int thread);

void run_on_pool(int pieces, int threads, piece_function function, const void* work);

// Somebody else's threads: calls function(work, piece, thread) once for every piece in [0, pieces),
// never twice at once with one thread of [0, threads), and returns when all have.
using other_pool = void (*)(void* context, int pieces, int threads, piece_function function,
                            const void* work);

}  // namespace detail

// Has pieces run there instead of by workers of this pool; null: here again. Not while another
// thread multiplies.
void run_pieces_on(detail::other_pool other, void* context);

// Calls work(piece, thread) for every piece in [0, pieces), by the caller and at most threads - 1
// workers. A thread in [0, threads) belongs to one thread for the whole call, 0 to the caller.
// `work` must not throw. Pieces run one by one where the caller is itself running a piece.
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

// Calls whose pieces were shown to workers so far. For tests.
[[nodiscard]] std::uint32_t calls_shared();

// Of [0, extent), cut as evenly as whole numbers allow.
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
