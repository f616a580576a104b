// Threads with the same columns of C are a group. A round of a group is one panel of B: the group
// packs it in chunks, then multiplies it with its rows of A, in strips of rows. Whoever is free
// takes the next chunk or strip, its own strips first, so that its rows stay in its caches:
//
//     round r      panel r % 2 of two:  chunk chunk chunk ...   wait until they are packed
//                  strip (own)  strip (own)  strip (of one that is late) ...
//     round r + 1  the other panel; free once all strips of round r - 1 are finished
//
// A thread that runs ahead packs the next panel while others still multiply. It waits only for
// chunks and strips that another thread has begun, never for a thread that has not come, and one
// thread alone does everything in order.
//
// A strip adds to its rows of C, so it takes round r only after round r - 1. Both counts of a strip
// are rounds: those begun and those done. Counts of chunks and strips belong to one of the two
// panels and grow from round to round.
#include "cpu/blocked/shared_panels.hpp"

#include <algorithm>
#include <atomic>
#include <new>

#include "cpu/threads/partition.hpp"
#include "cpu/threads/progress.hpp"

namespace carat::cpu_engine {

namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t page_bytes = 4096;

struct alignas(line_bytes) count {
    std::atomic<std::uint32_t> begun{0};
    alignas(line_bytes) progress done;
};

struct panel_state {
    count chunks;
    count strips;
};

struct alignas(line_bytes) strip_state {
    std::atomic<std::uint32_t> begun{0};
    std::atomic<std::uint32_t> done{0};
};

std::size_t pages(std::size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

// The parts of the workspace.
struct layout {
    layout(const plan::cpu_plan& plan, std::size_t element_bytes)
        : strips(static_cast<std::size_t>(plan.threads_m * plan.pieces)),
          state(pages(2 * sizeof(panel_state) + strips * sizeof(strip_state))),
          panel(static_cast<std::size_t>(on_pages(plan.blocks.nc * plan.blocks.kc)) *
                element_bytes),
          block(static_cast<std::size_t>(on_pages(plan.blocks.mc * plan.blocks.kc)) *
                element_bytes),
          group(state + 2 * panel),
          all(group * static_cast<std::size_t>(plan.threads_n) +
              block * static_cast<std::size_t>(plan.threads())) {}

    std::size_t strips;  // of a group
    std::size_t state;   // bytes from here on
    std::size_t panel;
    std::size_t block;
    std::size_t group;
    std::size_t all;
};

template <class T>
class group {
  public:
    group(const task<T>& t, const plan::cpu_plan& plan, int index, std::byte* memory)
        : t_(t),
          plan_(plan),
          cols_(subrange(t.n, t.with->nr, plan.threads_n, index)),
          in_k_(plan::ceil_div(t.k, plan.blocks.kc)),
          rounds_(static_cast<std::uint32_t>(plan::ceil_div(cols_.size, plan.blocks.nc) * in_k_)),
          strips_(static_cast<std::uint32_t>(plan.threads_m * plan.pieces)),
          chunks_(static_cast<std::uint32_t>(std::min<std::int64_t>(
              plan::ceil_div(plan.blocks.nc, t.with->nr), std::int64_t{2} * plan.threads_m))) {
        const layout of(plan, sizeof(T));
        memory += of.group * static_cast<std::size_t>(index);
        states_ = reinterpret_cast<panel_state*>(memory);
        strip_states_ = reinterpret_cast<strip_state*>(memory + 2 * sizeof(panel_state));
        for (std::size_t i = 0; i < 2; ++i)
            panels_[i] = reinterpret_cast<T*>(memory + of.state + i * of.panel);
    }

    // Once, before any thread joins.
    void clear() const {
        for (int i = 0; i < 2; ++i) new (states_ + i) panel_state;
        for (std::uint32_t i = 0; i < strips_; ++i) new (strip_states_ + i) strip_state;
    }

    // Does what is left to do, as the group's thread `member`.
    void join(int member, T* packed_a) const {
        const std::uint32_t first =
            static_cast<std::uint32_t>(member) * static_cast<std::uint32_t>(plan_.pieces);
        for (std::uint32_t round = 0; round < rounds_; ++round) {
            panel_state& state = states_[round % 2];
            const std::uint32_t before = round / 2;  // rounds of this panel
            if (are_begun(state.strips, before)) continue;
            state.strips.done.wait_for(before * strips_);
            pack(state.chunks, round, before);
            state.chunks.done.wait_for((before + 1) * chunks_);
            for (std::uint32_t i = 0; i < strips_ && !are_begun(state.strips, before); ++i)
                try_strip(state.strips, round, (first + i) % strips_, packed_a);
        }
    }

  private:
    bool are_begun(const count& strips, std::uint32_t before) const {
        return strips.begun.load(std::memory_order_relaxed) >= (before + 1) * strips_;
    }

    panel panel_of(std::uint32_t round) const {
        const std::int64_t jc = round / in_k_ * plan_.blocks.nc;
        const std::int64_t pc = round % in_k_ * plan_.blocks.kc;
        return {cols_.first + jc, std::min(plan_.blocks.nc, cols_.size - jc), pc,
                std::min(plan_.blocks.kc, t_.k - pc)};
    }

    void pack(count& chunks, std::uint32_t round, std::uint32_t before) const {
        const panel b = panel_of(round);
        for (std::int64_t chunk = claim(chunks.begun, before * chunks_, chunks_); chunk >= 0;
             chunk = claim(chunks.begun, before * chunks_, chunks_)) {
            const range part =
                subrange(b.n, t_.with->nr, static_cast<int>(chunks_), static_cast<int>(chunk));
            if (part.size > 0) pack_panel(t_, b, part.first, part.size, panels_[round % 2]);
            chunks.done.add();
        }
    }

    void try_strip(count& strips, std::uint32_t round, std::uint32_t index, T* packed_a) const {
        strip_state& state = strip_states_[index];
        std::uint32_t begun = round;
        if (state.done.load(std::memory_order_acquire) != round ||
            !state.begun.compare_exchange_strong(begun, round + 1, std::memory_order_relaxed))
            return;
        strips.begun.fetch_add(1, std::memory_order_relaxed);
        const range rows = rows_of(static_cast<int>(index));
        if (rows.size > 0) {
            task<T> part = rectangle(t_, rows.first, 0, rows.size, t_.n);
            part.c = t_.c_at(rows.first, 0);
            multiply_panel(part, plan_.blocks, panel_of(round), panels_[round % 2], packed_a);
        }
        state.done.store(round + 1, std::memory_order_release);
        strips.done.add();
    }

    range rows_of(int index) const {
        const range own = subrange(t_.m, t_.with->mr, plan_.threads_m, index / plan_.pieces);
        const range part = subrange(own.size, t_.with->mr, plan_.pieces, index % plan_.pieces);
        return {own.first + part.first, part.size};
    }

    const task<T>& t_;
    const plan::cpu_plan& plan_;
    range cols_;
    std::int64_t in_k_;  // panels one after the other along k
    std::uint32_t rounds_;
    std::uint32_t strips_;
    std::uint32_t chunks_;
    panel_state* states_;
    strip_state* strip_states_;
    T* panels_[2];
};

}  // namespace

std::size_t shared_panels_bytes(const plan::cpu_plan& plan, int element_bytes) {
    return layout(plan, static_cast<std::size_t>(element_bytes)).all;
}

template <class T>
void multiply_sharing_panels(const task<T>& t, const plan::cpu_plan& plan, std::byte* workspace) {
    const int groups = plan.threads_n;
    const std::size_t block_bytes = layout(plan, sizeof(T)).block;
    std::byte* const blocks =
        workspace + layout(plan, sizeof(T)).group * static_cast<std::size_t>(groups);
    for (int i = 0; i < groups; ++i) group<T>(t, plan, i, workspace).clear();
    core::for_each_piece(plan.threads(), plan.threads(), [&](int piece, int thread) {
        auto* const packed_a =
            reinterpret_cast<T*>(blocks + block_bytes * static_cast<std::size_t>(thread));
        // Then it helps the other groups.
        for (int i = 0; i < groups; ++i)
            group<T>(t, plan, (piece / plan.threads_m + i) % groups, workspace)
                .join(piece % plan.threads_m, packed_a);
    });
}

template void multiply_sharing_panels(const task<double>&, const plan::cpu_plan&, std::byte*);
template void multiply_sharing_panels(const task<float>&, const plan::cpu_plan&, std::byte*);
template void multiply_sharing_panels(const task<std::uint32_t>&, const plan::cpu_plan&,
                                      std::byte*);

}  // namespace carat::cpu_engine
