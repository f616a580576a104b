// What plans of random products take on this GPU: the corpus that costs are fitted to and judged
// by. carat_fit_measure SEED SECONDS prints a line of JSON for each product. With a third argument,
// mma, it measures the plans of a GPU before Hopper instead; the environment has to hold
// CARAT_FORCE_FAMILY=mma then.
//
// Each run takes the next of as many sets of A, B and C as make two L2 caches of data, at most 16,
// as `carat bench` does: operands of large products come from memory, and small ones lie in L2.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <carat/error.hpp>

#include "benchmarks/fit/corpus.hpp"
#include "benchmarks/fit/drawn.hpp"
#include "benchmarks/fit/plans.hpp"
#include "benchmarks/fit/queued_clock.hpp"
#include "benchmarks/gpu_call/turns.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/engine/select.hpp"
#include "cuda/families/mma/multistage_product.hpp"
#include "plan/cpu_plan.hpp"

namespace {

using namespace carat;
using benchmark::memory;
using fit::product;
using fit::queued_clock;

// One operand of a product, again and again in its pool.
struct place {
    char* first;
    std::size_t bytes;  // of one set, all matrices of a batch included

    [[nodiscard]] std::size_t apart() const {
        return (bytes + alignment - 1) / alignment * alignment;
    }
    [[nodiscard]] std::size_t most() const {
        return fit::pool_bytes / std::max(apart(), alignment);
    }
    [[nodiscard]] void* at(std::size_t set) const { return first + set * apart(); }

    static constexpr std::size_t alignment = 1024;
};

class operand_sets {
  public:
    operand_sets(place a, place b, place c, std::size_t cache_bytes) : a_(a), b_(b), c_(c) {
        const std::size_t each = a.bytes + b.bytes + c.bytes;
        count_ = std::clamp<std::size_t>(2 * cache_bytes / each + 1, 2, 16);
        count_ = std::max<std::size_t>(1, std::min({count_, a.most(), b.most(), c.most()}));
    }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] core::operands next() {
        last_ = (last_ + 1) % count_;
        return {.a = a_.at(last_), .b = b_.at(last_), .c = c_.at(last_)};
    }

  private:
    place a_, b_, c_;
    std::size_t count_;
    std::size_t last_ = 0;
};

struct timed_plan {
    std::string numbers;
    double predicted_us = 0;
    benchmark::run start = {};  // none: it wasn't timed
    int launches = 3;           // of a run, at most: two that pack, and the product
    std::vector<double> us = {};
};

class trial {
  public:
    trial(const product& it, const operand_sets& sets, bool before_hopper)
        : it_(it),
          before_hopper_(before_hopper),
          sets_(sets),
          call_(fit::call_of(it, alignment_of(it))) {}

    void run(queued_clock& clock, std::mt19937_64& random) {
        {
            const cuda::call_scope here(cuda::call_scope::current_device, stream_);
            add_chosen();
            add_plans(random);
        }
        measure_each(clock);
        measure_nearest(clock);
        std::erase_if(all_, [](const timed_plan& one) { return one.us.empty(); });
        if (all_.size() > 1) print();
    }

  private:
    [[nodiscard]] static core::operand_alignment alignment_of(const product& it) {
        const core::problem& p = it.one;
        const auto is_whole = [](std::int64_t elements, dtype t) {
            return core::bytes_of(t, elements) % 16 == 0;
        };
        if (it.batch.count == 1) return {};
        return {is_whole(it.apart().a, p.a_type), is_whole(it.apart().b, p.b_type)};
    }
    [[nodiscard]] cuda::bindings next_bindings() {
        const core::operands data = sets_.next();
        return {.data = data, .apart = it_.apart(), .stream = stream_};
    }
    benchmark::run started(std::shared_ptr<const cuda::gemm_product> made) {
        std::shared_ptr<cuda::launch_cache> kept = made->make_cache();
        return [this, made = std::move(made), kept] {
            const cuda::call_scope here(cuda::call_scope::current_device, stream_);
            cuda::bindings with = next_bindings();
            with.kept = kept.get();
            return made->run(with);
        };
    }
    // A launch for each product of a batch.
    benchmark::run started_one_by_one(std::shared_ptr<const cuda::gemm_product> made) {
        std::shared_ptr<cuda::launch_cache> kept = made->make_cache();
        return [this, made = std::move(made), kept] {
            const cuda::call_scope here(cuda::call_scope::current_device, stream_);
            const cuda::bindings all = next_bindings();
            const auto step = [](const void* at, std::int64_t elements, dtype t) {
                return static_cast<const char*>(at) + core::bytes_of(t, elements);
            };
            const core::problem& p = it_.one;
            for (std::int64_t i = 0; i < it_.batch.count; ++i) {
                cuda::bindings each = all;
                each.kept = kept.get();
                each.data.a = step(all.data.a, i * it_.apart().a, p.a_type);
                each.data.b = step(all.data.b, i * it_.apart().b, p.b_type);
                each.data.c = const_cast<char*>(step(all.data.c, i * it_.apart().c, p.c_type));
                (void)made->run(each);
            }
            return true;
        };
    }
    // -1: as it is chosen.
    void add_chosen() {
        timed_plan one{.numbers = "-1,0,0,0,0,0,0"};
        std::shared_ptr<const cuda::gemm_product> made =
            gpu_engine::prepare(call_, core::settings{});
        if (made != nullptr) {
            one.start = started(std::move(made));
        } else {
            core::gpu_call alone = call_;
            alone.products = {};
            one.start = started_one_by_one(gpu_engine::prepare(alone, core::settings{}));
            one.launches = 3 * static_cast<int>(it_.batch.count);
        }
        all_.push_back(std::move(one));
    }
    // A random part is timed of plans that are predicted to take much more than the least.
    void add_plans(std::mt19937_64& random) {
        constexpr std::size_t always = 16;
        constexpr double part = 0.08;
        const std::vector<fit::listed_plan> listed = fit::plans_of(call_, sms_, before_hopper_);
        const fit::measured_product known = fit::product_in(described() + "]}");
        std::vector<std::pair<double, const fit::listed_plan*>> order;
        for (const fit::listed_plan& one : listed)
            order.emplace_back(
                1e6 * fit::predicted_s(fit::plan_in("[" + one.numbers + ",[1]]", known), known,
                                       cuda::costs_in_use()),
                &one);
        std::ranges::sort(order, {}, [](const auto& x) { return x.first; });
        std::bernoulli_distribution is_in_part(part);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto& [us, one] = order[i];
            const double least = order.front().first;
            const bool is_slow = us > (least < 100 ? 1.7 : 1.45) * least;
            if (i >= always && is_slow && !is_in_part(random)) continue;
            try {
                if (auto made = one->prepare())
                    all_.push_back({one->numbers, us, started(std::move(made))});
            } catch (const error&) {
            }
        }
    }
    // Events take 5 us of what is timed: as many runs in every turn of a plan, so that it is one
    // share of them all.
    [[nodiscard]] static double timed_us(queued_clock& clock, const timed_plan& one,
                                         double expected_us) {
        constexpr double turn_us = 100, most_runs = 16;
        constexpr double long_us = 200;  // what comes before the first run counts for nothing
        const auto runs = static_cast<int>(std::clamp(turn_us / expected_us, 1.0, most_runs));
        return clock.once_us(one.start, runs, one.launches, expected_us < long_us);
    }
    void measure_each(queued_clock& clock) {
        for (timed_plan& one : all_) {
            if (!one.start()) continue;
            const double expected = one.predicted_us > 0 ? one.predicted_us : 100;
            const double us = timed_us(clock, one, expected);
            one.us = {us};
            best_us_ = std::min(best_us_, us);
        }
    }
    // Those near the fastest, and the engine's choice, take turns: half of these will say which is
    // the fastest, and the other half how fast it is.
    void measure_nearest(queued_clock& clock) {
        constexpr std::size_t most = 12;
        constexpr int turns = 6;
        std::vector<timed_plan*> near;
        for (timed_plan& one : all_)
            if (!one.us.empty() && one.us[0] < 1.2 * best_us_) near.push_back(&one);
        std::ranges::sort(near, {}, [](const timed_plan* w) { return w->us[0]; });
        if (near.size() > most) near.resize(most);
        if (!all_[0].us.empty() && std::ranges::find(near, &all_[0]) == near.end())
            near.push_back(&all_[0]);
        std::vector<double> expected;
        for (timed_plan* one : near) {
            expected.push_back(one->us[0]);
            one->us.clear();
        }
        for (int turn = 0; turn < turns; ++turn)
            for (std::size_t i = 0; i < near.size(); ++i)
                near[i]->us.push_back(timed_us(clock, *near[i], expected[i]));
    }
    // Its line up to the first plan.
    [[nodiscard]] std::string described() const {
        const core::problem& p = it_.one;
        const auto l = [](std::int64_t x) { return static_cast<long long>(x); };
        std::array<char, 400> text{};
        std::snprintf(
            text.data(), text.size(),
            "{\"kind\":\"%s\",\"c\":\"%s\",\"m\":%lld,\"n\":%lld,\"k\":%lld,\"at\":[%lld,%lld,%lld,"
            "%lld,%lld,%lld],\"beta\":%d,\"batch\":[%lld,%d,%d],\"aligned\":[%d,%d],\"sms\":%d,"
            "\"sets\":%zu,\"ways\":[",
            it_.of->name, std::string(name(p.c_type)).c_str(), l(p.m), l(p.n), l(p.k),
            l(p.a_layout.row_stride), l(p.a_layout.col_stride), l(p.b_layout.row_stride),
            l(p.b_layout.col_stride), l(p.c_layout.row_stride), l(p.c_layout.col_stride),
            p.beta != 0, l(it_.batch.count), it_.batch.one_a, it_.batch.one_b, call_.aligned.a,
            call_.aligned.b, sms_, sets_.count());
        return text.data();
    }
    void print() const {
        std::string line = described();
        for (const timed_plan& one : all_) {
            line += (&one == &all_.front() ? "[" : ",[") + one.numbers;
            for (std::size_t i = 0; i < one.us.size(); ++i) {
                std::array<char, 24> us{};
                std::snprintf(us.data(), us.size(), "%s%.3f", i == 0 ? ",[" : ",", one.us[i]);
                line += us.data();
            }
            line += "]]";
        }
        std::printf("%s]}\n", line.c_str());
        std::fflush(stdout);
    }

    const product& it_;
    bool before_hopper_;
    operand_sets sets_;
    core::gpu_call call_;
    cudaStream_t stream_ = cuda::stream_in_use();
    std::vector<timed_plan> all_;
    double best_us_ = 1e9;
    int sms_ = cuda::describe(cuda::device_in_use()).multiprocessors;
};

class pools {
  public:
    explicit pools(std::mt19937_64& random) : c_(fit::pool_bytes) {
        for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32, dtype::f64, dtype::i8,
                              dtype::e4m3, dtype::e5m2}) {
            auto& of = all_[t] = {std::make_unique<memory>(fit::pool_bytes),
                                  std::make_unique<memory>(fit::pool_bytes)};
            for (memory* const m : {of.first.get(), of.second.get()})
                m->fill(t == dtype::e5m2 ? dtype::e4m3 : t, random);
        }
        benchmark::must(cudaMemset(c_.get(), 0, fit::pool_bytes));
    }
    [[nodiscard]] operand_sets sets_of(const product& it) const {
        const core::problem& p = it.one;
        const auto bytes = [&](dtype t, std::int64_t elements, bool is_one) {
            return static_cast<std::size_t>(
                core::bytes_of(t, elements * (is_one ? 1 : it.batch.count)));
        };
        const auto at = [](const memory& m, std::size_t of) {
            return place{static_cast<char*>(m.get()), of};
        };
        return {at(*all_.at(p.a_type).first, bytes(p.a_type, p.m * p.k, it.batch.one_a)),
                at(*all_.at(p.b_type).second, bytes(p.b_type, p.k * p.n, it.batch.one_b)),
                at(c_, bytes(p.c_type, p.m * p.n, false)), cache_bytes()};
    }

  private:
    [[nodiscard]] static std::size_t cache_bytes() {
        int bytes = 0;
        benchmark::must(
            cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, cuda::device_in_use()));
        return static_cast<std::size_t>(bytes);
    }

    std::map<dtype, std::pair<std::unique_ptr<memory>, std::unique_ptr<memory>>> all_;
    memory c_;
};

}  // namespace

int main(int count, char** words) {
    const double seconds = count >= 3 ? std::atof(words[2]) : 0;
    const bool before_hopper = count == 4 && std::string(words[3]) == "mma";
    if (seconds <= 0 || count > (before_hopper ? 4 : 3)) {
        std::fprintf(stderr, "usage: carat_fit_measure SEED SECONDS [mma]\n");
        return 2;
    }
    std::mt19937_64 random(std::strtoull(words[1], nullptr, 10));
    const pools all(random);
    queued_clock clock(cuda::stream_in_use());
    fit::print_kernels();
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (passed() < seconds) {
        const product it = fit::drawn(random);
        if (before_hopper && cuda::mma::multistage_tiles(it.one.a_type, it.of->how).empty())
            continue;
        try {
            trial(it, all.sets_of(it), before_hopper).run(clock, random);
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s %lldx%lldx%lld: %s\n", it.of->name,
                         static_cast<long long>(it.one.m), static_cast<long long>(it.one.n),
                         static_cast<long long>(it.one.k), e.what());
        }
    }
    return 0;
}
