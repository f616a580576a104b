#include "lab/gpus/teams.hpp"

#include <cmath>
#include <random>
#include <thread>

#include <carat/error.hpp>

namespace carat::scaling {

using ranks::gpu::check;
using ranks::gpu::driver;

void turns::wait_for(int team) {
    std::unique_lock hold(mutex_);
    ready_.insert(team);
    changed_.notify_all();
    changed_.wait(hold, [&] { return ready_.size() >= there_.size() && next_ == team; });
}

void turns::end(int) {
    const std::lock_guard hold(mutex_);
    ++next_;
    pass_on();
}

void turns::leave(int team) {
    const std::lock_guard hold(mutex_);
    there_.erase(team);
    ready_.erase(team);
    pass_on();
}

void turns::pass_on() {
    const auto found = there_.lower_bound(next_);
    if (!there_.empty()) next_ = found == there_.end() ? *there_.begin() : *found;
    changed_.notify_all();
}

namespace {

struct timer {
    ranks::gpu::event begun = nullptr, ended = nullptr;
    timer() {
        check(driver().event_create(&begun, 0), "cuEventCreate");
        check(driver().event_create(&ended, 0), "cuEventCreate");
    }
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;
    ~timer() {
        driver().event_destroy(begun);
        driver().event_destroy(ended);
    }
};

}  // namespace

std::vector<double> take_trials(turns& all, int team, const member& own, const pace& by) {
    const timer clock;
    constexpr int warm_up = 2;
    std::vector<double> times;
    std::vector<char> met(static_cast<std::size_t>(own.size));
    std::vector<double> each(static_cast<std::size_t>(own.size));
    for (int i = 0; i < by.trials + warm_up; ++i) {
        if (own.rank == 0) all.wait_for(team);
        own.all_gather(&i, met.data(), 1);
        check(driver().event_record(clock.begun, own.on), "cuEventRecord");
        for (int r = 0; r < by.calls; ++r) own.call();
        check(driver().event_record(clock.ended, own.on), "cuEventRecord");
        check(driver().event_wait(clock.ended), "cuEventSynchronize");
        float ms = 0;
        check(driver().event_elapsed_ms(&ms, clock.begun, clock.ended), "cuEventElapsedTime");
        const double mine = static_cast<double>(ms) / 1e3 / by.calls;
        own.all_gather(&mine, each.data(), sizeof mine);
        if (own.rank != 0) continue;
        if (i >= warm_up) times.push_back(std::ranges::max(each));
        all.end(team);
    }
    return times;
}

std::vector<figures> run_teams(const std::vector<team>& all) {
    turns order(static_cast<int>(all.size()));
    std::vector<figures> found(all.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < all.size(); ++i)
        threads.emplace_back([&, i] {
            try {
                found[i] = all[i].run(order, static_cast<int>(i));
            } catch (const std::exception& why) {
                found[i].why_not = why.what();
            }
            order.leave(static_cast<int>(i));
        });
    threads.clear();
    return found;
}

namespace {

const std::vector<bf16>& drawn() {
    static const std::vector<bf16> all = [] {
        std::vector<bf16> some(std::size_t{32} << 20U);
        std::mt19937 engine(1);
        std::normal_distribution<float> normal;
        for (bf16& x : some) x = bf16(double(normal(engine)));
        return some;
    }();
    return all;
}

}  // namespace

void fill(void* at, std::size_t count) {
    const std::vector<bf16>& some = drawn();
    for (std::size_t i = 0; i < count; i += some.size())
        ranks::gpu::upload(reinterpret_cast<ranks::gpu::device_pointer>(static_cast<bf16*>(at) + i),
                           some.data(), std::min(some.size(), count - i) * sizeof(bf16));
}

numbers::numbers(std::size_t count) {
    check(driver().allocate(&at_, std::max<std::size_t>(count, 1) * sizeof(bf16)), "cuMemAlloc");
    fill(data(), count);
}

float numbers::value(std::int64_t i) {
    return static_cast<float>(double(drawn()[static_cast<std::size_t>(i) % drawn().size()]));
}

void check_entries(task what, const shape& s, int rank, int gpus, const bf16* c) {
    const bool scatters = what == task::scatter;
    const std::int64_t rows = scatters ? s.m / gpus : s.m, cols = scatters ? s.n : s.n / gpus;
    std::mt19937_64 engine(static_cast<unsigned>(rank) + 7);
    for (int trial = 0; trial < 24; ++trial) {
        const auto i = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(rows));
        const auto j = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(cols));
        const std::int64_t held_k = scatters ? s.k / gpus : s.k;
        const std::int64_t row = scatters ? rank * rows + i : i % (s.m / gpus);
        double sum = 0;
        for (std::int64_t k = 0; k < s.k; ++k)
            sum += double(numbers::value(row * held_k + k % held_k)) *
                   double(numbers::value(j * held_k + k % held_k));
        bf16 found;
        check(driver().download(&found,
                                reinterpret_cast<ranks::gpu::device_pointer>(c + i * cols + j),
                                sizeof found),
              "cuMemcpyDtoH");
        // Sums are of the size of sqrt(K) and rounded to 8 bits, perhaps once for each GPU.
        const double allowed =
            std::ldexp(std::abs(sum) + std::sqrt(static_cast<double>(s.k)), -7) * gpus;
        if (!(std::abs(double(found) - sum) <= allowed))
            throw error(error_code::device_failed,
                        "entry " + std::to_string(i) + ", " + std::to_string(j) + " of rank " +
                            std::to_string(rank) + " is " + std::to_string(double(found)) +
                            ", but must be " + std::to_string(sum));
    }
}

}  // namespace carat::scaling
