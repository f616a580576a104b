// Compares products and batches on CPUs with a peer's, with any layouts, leading dimensions, beta
// and order of C:
//
//   carat_benchmark_cpu_call [seed [cases [f64|f32|all [products|batches [PEER [threads]]]]]]
//
// PEER: openblas (the default for products), mkl (the default for batches), or libxsmm for batches
// of the layouts that it supports; CARAT_PEER_PATH names their folders. Each case is verified, and
// is a line of JSON. Both sides take turns. On one thread the thread's own time is measured, so
// that other work counts little. With more threads (0: all) each side has its own process, and a
// turn's first call, which wakes threads, is not timed. The ratio, the peer's time over carat's, is
// the median over rounds. A last line has the geometric mean, the fifth percentile and the worst
// ten.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/cpu_call/operands.hpp"
#include "benchmarks/cpu_call/side.hpp"
#include "lab/statistics/summary.hpp"

namespace {

using namespace carat;
using benchmark::call_case;
using benchmark::operands;
using benchmark::peer;
using benchmark::placed;

constexpr double turn_s = 1e-3;

// The time of this thread, so that other work on the core does not count, or the wall clock.
double now_s(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Run>
double seconds(const Run& run, int times, clockid_t clock) {
    const double start = now_s(clock);
    for (int i = 0; i < times; ++i) run();
    return (now_s(clock) - start) / times;
}

template <class Run>
int times_for(const Run& run, clockid_t clock) {
    run();
    return static_cast<int>(std::clamp(turn_s / std::max(seconds(run, 2, clock), 1e-8), 1.0, 1e5));
}

struct wish {
    std::uint64_t seed;
    long long cases;
    bool batches;
    std::string peer;
    int threads;

    [[nodiscard]] call_case draw(benchmark::drawing& from) const {
        return batches ? from.batch(peer == "libxsmm") : from.product();
    }
};

struct times {
    std::vector<double> own, its;
};

struct outcome {
    std::string line;
    double ratio;
};

std::string described(const placed& x, const char* name) {
    return std::string("\"") + name + "\": \"" + (x.by_rows ? "rows " : "columns ") +
           std::to_string(x.lead) + "\"";
}

outcome describe(const char* type, const call_case& one, const times& all) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < all.own.size(); ++i) ratios.push_back(all.its[i] / all.own[i]);
    const double flop =
        2.0 * static_cast<double>(one.m * one.n) * static_cast<double>(one.k * one.count);
    const double own = statistics::median(all.own), its = statistics::median(all.its);
    char text[320];
    std::snprintf(text, sizeof text,
                  "{\"type\": \"%s\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"count\": %lld, %s, "
                  "%s, %s, \"beta\": %g, \"carat_us\": %.3f, \"peer_us\": %.3f, "
                  "\"carat_gflops\": %.2f, \"ratio\": %.3f}",
                  type, static_cast<long long>(one.m), static_cast<long long>(one.n),
                  static_cast<long long>(one.k), static_cast<long long>(one.count),
                  described(one.a, "a").c_str(), described(one.b, "b").c_str(),
                  described(one.c, "c").c_str(), one.beta, 1e6 * own, 1e6 * its, 1e-9 * flop / own,
                  statistics::median(ratios));
    return {text, statistics::median(ratios)};
}

// Measures on this thread; returns nothing if a product is wrong.
template <class T>
times measure(const call_case& one, const peer<T>& other, std::mt19937_64& random) {
    constexpr int rounds = 21;
    constexpr clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
    operands<T> x(one, random);
    const std::vector<T> before = x.c.values;
    x.multiply();
    times all;
    if (!is_right(x, before, random)) return all;
    const auto own = [&] { x.multiply(); };
    const auto its = [&] { x.multiply(other); };
    const int own_times = times_for(own, clock), its_times = times_for(its, clock);
    for (int round = 0; round < rounds; ++round) {
        all.own.push_back(seconds(own, own_times, clock));
        all.its.push_back(seconds(its, its_times, clock));
        x.c.values = before;
    }
    return all;
}

// The work of a side's process: case i, which every process draws alike, for one turn. The process
// that calls the peer opens it.
template <class T>
std::function<double(int)> turns_of(const wish& all, bool own) {
    struct state {
        benchmark::drawing draw;
        int at = -1;
        int times = 0;
        call_case one = {};
        std::optional<operands<T>> x = {};
        peer<T> other = {};
    };
    const auto now = std::make_shared<state>(state{benchmark::drawing(all.seed)});
    return [=](int i) {
        std::string why;
        if (!own && now->other.name.empty())
            now->other = benchmark::open_peer<T>(all.peer, all.threads, why);
        const auto run = [&] {
            own ? now->x->multiply(all.threads) : now->x->multiply(now->other);
        };
        if (now->at != i) {
            for (; now->at < i; ++now->at) now->one = all.draw(now->draw);
            std::mt19937_64 random(all.seed + static_cast<std::uint64_t>(i));
            now->x.emplace(now->one, random);
            const std::vector<T> before = now->x->c.values;
            if (!now->other.prepare(now->one)) return 0.0;
            run();
            if (own && !is_right(*now->x, before, random)) return 0.0;
            run();
            now->times = times_for(run, CLOCK_MONOTONIC);
        }
        // Each thread meets its own data again only some calls after a rest.
        const auto warm = std::chrono::steady_clock::now() + std::chrono::microseconds(500);
        do {
            run();
        } while (std::chrono::steady_clock::now() < warm);
        return seconds(run, now->times, CLOCK_MONOTONIC);
    };
}

// Threads that spin after their work (OpenBLAS's for 2^26 cycles and more) must sleep by the other
// side's turn: with 45 ms they took its cores, and 756 x 439 x 241 in f64 took 909 us, not 388.
times measure_apart(const benchmark::side& own, const benchmark::side& its, int i) {
    constexpr int rounds = 5;
    times all;
    const auto turn = [&](const benchmark::side& of, std::vector<double>& to, int rest_ms) {
        to.push_back(of(i));
        std::this_thread::sleep_for(std::chrono::milliseconds(rest_ms));
        return to.back() > 0;
    };
    for (int round = 0; round <= rounds; ++round) {
        if (!turn(own, all.own, 1) || !turn(its, all.its, 130)) return {};
        if (round == 0) all = {};  // which made the operands
    }
    return all;
}

void summarise(const char* type, const std::string& peer, int threads, std::vector<outcome> all) {
    std::ranges::sort(all, {}, &outcome::ratio);
    double sum = 0;
    for (const outcome& one : all) sum += std::log(one.ratio);
    std::printf(
        "{\"type\": \"%s\", \"peer\": \"%s\", \"threads\": %d, \"cases\": %zu, \"geomean\": %.3f, "
        "\"p5\": %.3f, \"least\": %.3f, \"worst\": [",
        type, peer.c_str(), threads, all.size(), std::exp(sum / static_cast<double>(all.size())),
        all[all.size() / 20].ratio, all.front().ratio);
    for (std::size_t i = 0; i < std::min<std::size_t>(10, all.size()); ++i)
        std::printf("%s\n  %s", i == 0 ? "" : ",", all[i].line.c_str());
    std::printf("]}\n");
}

// Runs the cases in turn, without those that the peer has no code for.
template <class T>
bool measure_all(const char* type, const wish& of) {
    const auto say = [](const std::string& what) {
        std::fprintf(stderr, "carat_benchmark_cpu_call: %s\n", what.c_str());
        return false;
    };
    std::optional<benchmark::side> own, its;
    if (of.threads != 1) own.emplace(turns_of<T>(of, true)), its.emplace(turns_of<T>(of, false));
    std::string why;
    peer<T> other = benchmark::open_peer<T>(of.peer, 1, why);
    if (!other.takes(of.batches)) return say(why.empty() ? of.peer + " has no such call" : why);
    benchmark::drawing draw(of.seed);
    std::vector<outcome> all;
    for (int i = 0; i < of.cases; ++i) {
        const call_case one = of.draw(draw);
        if (!other.prepare(one)) continue;
        const times taken =
            of.threads == 1 ? measure<T>(one, other, draw.engine()) : measure_apart(*own, *its, i);
        if (taken.own.empty())
            return say("case " + std::to_string(i) + " of " + type + " is wrong");
        all.push_back(describe(type, one, taken));
        std::printf("%s\n", all.back().line.c_str());
        std::fflush(stdout);
    }
    if (all.empty()) return say(of.peer + " takes none of these cases");
    summarise(type, other.name, of.threads, all);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const auto word = [&](int i, const char* otherwise) {
        return std::string(argc > i ? argv[i] : otherwise);
    };
    const std::string type = word(3, "all");
    const std::string what = word(4, "products");
    const bool batches = what == "batches";
    wish all{static_cast<std::uint64_t>(std::atoll(word(1, "1").c_str())),
             std::atoll(word(2, "100").c_str()), batches, word(5, batches ? "mkl" : "openblas"),
             std::atoi(word(6, "1").c_str())};
    const bool known_peer = all.peer == "openblas" || all.peer == "mkl" || all.peer == "libxsmm";
    if (all.cases < 1 || all.threads < 0 || (type != "all" && type != "f64" && type != "f32") ||
        (what != "products" && !batches) || !known_peer) {
        std::fprintf(stderr,
                     "carat_benchmark_cpu_call [seed [cases [f64|f32|all [products|batches "
                     "[openblas|mkl|libxsmm [threads]]]]]], with cases of at least 1 and 0 threads "
                     "for all of them\n");
        return 2;
    }
    if (all.threads == 0) all.threads = static_cast<int>(std::thread::hardware_concurrency());
    if (type != "f32" && !measure_all<double>("f64", all)) return 2;
    if (type != "f64" && !measure_all<float>("f32", all)) return 2;
    return 0;
}
