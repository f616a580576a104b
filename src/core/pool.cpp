// Boards and slots.
//
// A board shows the pieces of one call. Each caller has its own board; a caller that finds none
// free runs its pieces alone. The state of a board is one word, so a worker learns in one load
// whether there is a call, which one, and which slot is its own:
//
//      63      32 31      16 15        1    0
//      [ number  | first    | slots     | open ]     worker w has slot w - first + 1
//
// A cache line holds three words. `at` and `raised` belong to a worker: the call that it serves,
// and the floating-point exceptions that it met there. No other worker writes them, since one that
// is late for a call would overwrite those of the next. `begun` belongs to a slot and counts its
// pieces that have begun. If `first` is 0, as for a lone caller, slot and worker have the same
// index.
//
// A worker registers (writes `at`), then checks that the board is still open; the caller closes the
// board, then checks who is registered. Both are sequentially consistent, so at least one of them
// sees the other.
#include "core/pool.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <pthread.h>
#include <sched.h>

#include "core/float_environment.hpp"
#include "core/spin_wait.hpp"
#include "core/worker_thread.hpp"

namespace carat::core {

namespace {

constexpr int most_workers = 511;
constexpr int sleeper_words = (most_workers + 63) / 64;
constexpr int boards_count = 8;
constexpr std::size_t line_bytes = 64;

struct alignas(line_bytes) line {
    wait_word at{0};                      // number << 2 | a caller sleeps << 1 | sits
    std::atomic<float_flags> raised{0};   // by the worker's pieces of that call
    std::atomic<std::uint64_t> begun{0};  // number << 32 | pieces begun
};

constexpr std::uint32_t taken_bit = 1;
constexpr std::uint32_t sleeping_bit = 2;

constexpr std::uint32_t taken_for(std::uint32_t number) {
    return number << 2 | taken_bit;
}

struct board {
    alignas(line_bytes) std::atomic<std::uint64_t> state{0};
    alignas(line_bytes) std::atomic<bool> owned{false};
    // The owner changes these while no worker is registered here.
    std::uint32_t number = 0;
    int pieces = 0;
    int slots = 0;
    int first = 0;
    std::atomic<int> cpu{0};  // where its caller was when it posted
    detail::piece_function function = nullptr;
    const void* work = nullptr;
    float_mode mode{};  // the caller's
    std::array<line, most_workers + 1> lines;

    [[nodiscard]] line& line_of(int worker) { return lines[static_cast<std::size_t>(worker + 1)]; }
    [[nodiscard]] std::atomic<std::uint64_t>& begun_of(int slot) {
        return lines[static_cast<std::size_t>(slot)].begun;
    }
};

struct board_state {
    std::uint32_t number;
    int first;
    int slots;
    bool open;
};

constexpr std::uint64_t packed(const board_state& s) {
    return std::uint64_t{s.number} << 32 | static_cast<std::uint64_t>(s.first) << 16 |
           static_cast<std::uint64_t>(s.slots) << 1 | (s.open ? 1U : 0U);
}

constexpr board_state unpacked(std::uint64_t s) {
    return {static_cast<std::uint32_t>(s >> 32), static_cast<int>(s >> 16 & 0xffff),
            static_cast<int>(s >> 1 & 0x7fff), (s & 1) != 0};
}

// Zero until it is used, and never destroyed, as workers outlive main.
struct pool {
    std::array<board, boards_count> boards;
    alignas(line_bytes) wait_word posted{0};  // which board was opened last, and a running number
    alignas(line_bytes) std::array<std::atomic<std::uint64_t>, sleeper_words> asleep;  // a bit each
    alignas(line_bytes) std::atomic<std::uint32_t> posts{0};
    std::atomic<int> wanted{0};  // slots for workers on open boards
    std::atomic<int> workers{0};
    std::atomic<bool> starting{false};
    std::atomic<std::int64_t> next_try_s{0};
};

constinit pool the_pool;

// A pthread key tells whether this thread runs a piece. Thread-local storage could end the process
// if there is no memory for it or, if static, keep dlopen from loading the library.
pthread_key_t running_key;
const bool has_running_key = pthread_key_create(&running_key, nullptr) == 0;

bool runs_piece() {
    return has_running_key && pthread_getspecific(running_key) != nullptr;
}

void set_runs_piece(bool runs) {
    if (has_running_key) pthread_setspecific(running_key, runs ? &running_key : nullptr);
}

// Returns the next piece of a slot that nobody has begun, or -1.
int begin_piece(board& on, int owner, std::uint32_t number) {
    const range own = subrange(on.pieces, on.slots, owner);
    std::atomic<std::uint64_t>& begun = on.begun_of(owner);
    std::uint64_t seen = begun.load(std::memory_order_relaxed);
    for (;;) {
        const std::uint64_t count = seen >> 32 == number ? seen & 0xffffffff : 0;
        if (count >= static_cast<std::uint64_t>(own.size)) return -1;
        if (begun.compare_exchange_weak(seen, std::uint64_t{number} << 32 | (count + 1),
                                        std::memory_order_relaxed))
            return static_cast<int>(own.first + static_cast<std::int64_t>(count));
    }
}

// Runs the pieces of its own slot, then those of slots whose threads have not come. A worker whose
// only piece was short leaves the rest to the caller: checking every slot, whose cache lines others
// write, takes as long as a piece (results/cpu/random_calls_16.json).
void take_pieces(board& on, int own, std::uint32_t number) {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds short_piece{10};
    const bool may_leave = own != 0 && on.pieces <= on.slots;
    const clock::time_point start = may_leave ? clock::now() : clock::time_point{};
    bool ran = false;
    set_runs_piece(true);
    for (int i = 0; i < on.slots; ++i) {
        const int owner = own + i < on.slots ? own + i : own + i - on.slots;
        for (int piece = begin_piece(on, owner, number); piece >= 0;
             piece = begin_piece(on, owner, number)) {
            on.function(on.work, piece, own);
            ran = true;
        }
        if (i == 0 && may_leave && ran && clock::now() - start < short_piece) break;
    }
    set_runs_piece(false);
}

// Serves a board's call if this worker has a slot there and has not served it yet.
void serve(board& on, int worker, std::uint32_t& last) {
    const std::uint64_t seen = on.state.load(std::memory_order_acquire);
    const board_state s = unpacked(seen);
    const int own = worker - s.first + 1;
    if (!s.open || s.number == last || own < 1 || own >= s.slots) return;
    last = s.number;
    // The caller's pieces run on that processor.
    if (const int cpu = sched_getcpu(); cpu >= 0 && cpu == on.cpu.load(std::memory_order_relaxed))
        leave_processor(cpu, s.slots);
    line& mine = on.line_of(worker);
    mine.at.exchange(taken_for(s.number), std::memory_order_seq_cst);
    float_flags flags = 0;
    if (on.state.load(std::memory_order_seq_cst) == seen) {
        enter(on.mode);
        take_pieces(on, own, s.number);
        flags = float_flags_here();
    }
    mine.raised.store(flags, std::memory_order_relaxed);
    const std::uint32_t before = mine.at.exchange(s.number << 2, std::memory_order_release);
    if ((before & sleeping_bit) != 0) wake_sleepers(mine.at);
}

// The kernel tells sleepers apart by 32 bits, so some wake in vain beyond 32 workers.
std::uint32_t sleeper_group(int worker) {
    return std::uint32_t{1} << (worker % 32);
}

std::atomic<std::uint64_t>& asleep_word(int worker) {
    return the_pool.asleep[static_cast<std::size_t>(worker / 64)];
}

std::uint64_t asleep_bit(int worker) {
    return std::uint64_t{1} << (worker % 64);
}

// Returns the latest post once it differs from `seen`.
std::uint32_t wait_for_post(std::uint32_t seen, int worker, standing& place) {
    pool& p = the_pool;
    const auto changed = [&] { return p.posted.load(std::memory_order_acquire) != seen; };
    if (!spin_until(changed)) {
        place.follow();  // here it delays no call
        asleep_word(worker).fetch_or(asleep_bit(worker), std::memory_order_seq_cst);
        while (!changed()) sleep_while(p.posted, seen, sleeper_group(worker));
        asleep_word(worker).fetch_and(~asleep_bit(worker), std::memory_order_relaxed);
    }
    return p.posted.load(std::memory_order_acquire);
}

void* run_worker(void* argument) {
    const auto worker = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
    standing place;
    std::array<std::uint32_t, boards_count> last{};
    for (std::uint32_t seen = 0;; seen = wait_for_post(seen, worker, place)) {
        const auto newest = static_cast<std::size_t>(seen % boards_count);
        serve(the_pool.boards[newest], worker, last[newest]);
        for (std::size_t i = 0; i < boards_count; ++i) serve(the_pool.boards[i], worker, last[i]);
    }
    return nullptr;
}

std::int64_t now_s() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec;
}

bool start_worker(int worker) {
    return start_worker_thread(run_worker,
                               reinterpret_cast<void*>(static_cast<std::intptr_t>(worker)));
}

// Tries to have `wanted` workers and returns how many there are. If the system refuses one, the
// next attempt comes a second later.
int workers_of(int wanted) {
    pool& p = the_pool;
    const int there = p.workers.load(std::memory_order_acquire);
    if (there >= wanted || now_s() < p.next_try_s.load(std::memory_order_relaxed)) return there;
    if (p.starting.exchange(true, std::memory_order_acquire)) return there;
    int count = p.workers.load(std::memory_order_relaxed);
    while (count < wanted && start_worker(count))
        p.workers.store(++count, std::memory_order_release);
    if (count < wanted) p.next_try_s.store(now_s() + 1, std::memory_order_relaxed);
    p.starting.store(false, std::memory_order_release);
    return count;
}

board* free_board() {
    for (board& b : the_pool.boards)
        if (!b.owned.load(std::memory_order_relaxed) &&
            !b.owned.exchange(true, std::memory_order_acquire))
            return &b;
    return nullptr;
}

// Workers first to first + helpers - 1 have slots 1 to helpers.
void wake_workers(int first, int helpers) {
    std::uint32_t groups = 0;
    for (int worker = first; worker < first + helpers; ++worker)
        if ((asleep_word(worker).load(std::memory_order_seq_cst) & asleep_bit(worker)) != 0)
            groups |= sleeper_group(worker);
    if (groups != 0) wake_sleepers(the_pool.posted, groups);
}

void post(board& on) {
    pool& p = the_pool;
    on.state.store(packed({on.number, on.first, on.slots, true}), std::memory_order_release);
    const std::uint32_t running = p.posts.fetch_add(1, std::memory_order_relaxed) + 1;
    p.posted.store(running * boards_count + static_cast<std::uint32_t>(&on - p.boards.data()),
                   std::memory_order_seq_cst);
    wake_workers(on.first, on.slots - 1);
}

void wait_for_worker(wait_word& at, std::uint32_t number) {
    std::uint32_t taken = taken_for(number);
    if (spin_until([&] { return at.load(std::memory_order_acquire) != taken; })) return;
    if (!at.compare_exchange_strong(taken, taken | sleeping_bit, std::memory_order_acquire)) return;
    while (at.load(std::memory_order_acquire) == (taken | sleeping_bit))
        sleep_while(at, taken | sleeping_bit);
}

// Lets no more workers register, waits for those that have, and returns the flags they raised.
float_flags close(board& on) {
    on.state.store(packed({on.number, 0, 0, false}), std::memory_order_seq_cst);
    const std::uint32_t taken = taken_for(on.number);
    float_flags raised = 0;
    for (int worker = on.first; worker < on.first + on.slots - 1; ++worker) {
        line& of = on.line_of(worker);
        const std::uint32_t at = of.at.load(std::memory_order_seq_cst);
        if (at == taken) wait_for_worker(of.at, on.number);
        if ((at | taken_bit) == taken) raised |= of.raised.load(std::memory_order_relaxed);
    }
    return raised;
}

// A caller that is alone always gets the same workers; others get those not yet requested. Returns
// the floating-point exceptions that workers met.
float_flags run_on_board(board& on, int workers, int helpers) {
    pool& p = the_pool;
    const int others = p.wanted.fetch_add(helpers, std::memory_order_relaxed);
    on.slots = helpers + 1;
    on.first = std::clamp(others, 0, workers - helpers);
    ++on.number;
    on.cpu.store(sched_getcpu(), std::memory_order_relaxed);
    post(on);
    take_pieces(on, 0, on.number);
    const float_flags raised = close(on);
    p.wanted.fetch_sub(helpers, std::memory_order_relaxed);
    return raised;
}

struct other_threads {
    detail::other_pool run;
    void* context;
};

constinit other_threads elsewhere{};

struct pieces_elsewhere {
    detail::piece_function function;
    const void* work;
    float_mode mode = float_mode_here();
    mutable std::atomic<float_flags> raised{0};
};

// The piece's own calls run within it on any thread, which then gets back its own mode.
void run_piece_elsewhere(const void* of, int piece, int slot) {
    const auto& all = *static_cast<const pieces_elsewhere*>(of);
    const bool before = runs_piece();
    const float_mode mode_before = float_mode_here();
    set_runs_piece(true);
    enter(all.mode);
    all.function(all.work, piece, slot);
    all.raised.fetch_or(float_flags_here(), std::memory_order_relaxed);
    restore(mode_before);
    set_runs_piece(before);
}

// A forked child has none of the workers and none of the other callers.
void begin_anew() {
    pool& p = the_pool;
    for (board& b : p.boards) {
        b.state.store(0, std::memory_order_relaxed);
        b.owned.store(false, std::memory_order_relaxed);
        if (b.number != 0)
            for (line& l : b.lines) l.at.store(0, std::memory_order_relaxed);
    }
    for (std::atomic<std::uint64_t>& word : p.asleep) word.store(0, std::memory_order_relaxed);
    p.wanted.store(0, std::memory_order_relaxed);
    p.workers.store(0, std::memory_order_relaxed);
    p.next_try_s.store(0, std::memory_order_relaxed);
    p.starting.store(false, std::memory_order_release);
}

// Registered before main, hence before the program can fork.
[[maybe_unused]] const int watched = pthread_atfork(nullptr, nullptr, begin_anew);

}  // namespace

bool inside_piece() {
    return runs_piece();
}

std::uint32_t calls_shared() {
    return the_pool.posts.load(std::memory_order_relaxed);
}

void run_pieces_on(detail::other_pool other, void* context) {
    elsewhere = {other, context};
}

void detail::run_on_pool(int pieces, int threads, piece_function function, const void* work) {
    if (elsewhere.run != nullptr && !runs_piece()) {
        const pieces_elsewhere all{function, work};
        elsewhere.run(elsewhere.context, pieces, threads, run_piece_elsewhere, &all);
        return raise(all.raised.load(std::memory_order_relaxed));
    }
    const int wanted = std::min({threads - 1, pieces - 1, most_workers});
    const int workers = runs_piece() ? 0 : workers_of(wanted);
    board* const on = workers == 0 ? nullptr : free_board();
    if (on == nullptr) {
        for (int piece = 0; piece < pieces; ++piece) function(work, piece, 0);
        return;
    }
    on->pieces = pieces;
    on->function = function;
    on->work = work;
    on->mode = float_mode_here();
    const float_flags raised = run_on_board(*on, workers, std::min(wanted, workers));
    on->owned.store(false, std::memory_order_release);
    raise(raised);
}

}  // namespace carat::core
