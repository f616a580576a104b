// What every plan of random products takes on this GPU: the corpus that costs are fitted to and
// judged by. carat_fit_measure SEED SECONDS prints a line of JSON for each product. With a third
// argument, mma, it measures the plans of a GPU before Hopper instead; the environment has to hold
// CARAT_FORCE_FAMILY=mma then.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <carat/error.hpp>

#include "benchmarks/fit/drawn.hpp"
#include "benchmarks/fit/queued_clock.hpp"
#include "benchmarks/gpu_call/turns.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/engine/select.hpp"
#include "cuda/families/fma/kernel_table.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/multistage_product.hpp"
#include "cuda/families/mma/packed_product.hpp"
#include "cuda/families/mma/product.hpp"
#include "cuda/families/wgmma/host/family.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_candidates.hpp"

namespace {

using namespace carat;
using benchmark::memory;
using core::kernel_desc;
using plan::gemm_plan;
using plan::gemm_request;

using fit::product;
using fit::queued_clock;

struct way {
    std::string what;
    benchmark::run start;
    int launches = 3;  // of a run, at most: two that pack, and the product
    std::vector<double> us = {};
    int runs = 1;
};

class trial {
  public:
    struct places {
        const void* a;
        const void* b;
        void* c;
    };
    trial(const product& it, const places& at, bool only_mma) : it_(it), only_mma_(only_mma) {
        const core::problem& p = it.one;
        with_.data = {.a = at.a, .b = at.b, .c = at.c};
        with_.apart = it.apart();
        with_.stream = cuda::stream_in_use();
        if (it.batch.count > 1)
            aligned_ = {cuda::is_aligned(with_.data.a, it.apart().a, p.a_type),
                        cuda::is_aligned(with_.data.b, it.apart().b, p.b_type)};
    }

    void run(queued_clock& clock) {
        {
            const cuda::call_scope call(cuda::call_scope::current_device, with_.stream);
            add_chosen();
            if (only_mma_) {
                add_packed();
                add_large();
            } else {
                add_wgmma();
                add_in_place();
                add_fma();
            }
        }
        if (all_.empty()) return;
        measure_each(clock);
        measure_nearest(clock);
        print();
    }

  private:
    [[nodiscard]] static double timed_us(queued_clock& clock, const way& one, int runs) {
        return clock.once_us(one.start, runs, one.launches);
    }
    void measure_each(queued_clock& clock) {
        for (way& one : all_) {
            one.us = {0};
            if (!one.start()) continue;
            double us = timed_us(clock, one, 1);
            if (us < 40 || us < 1.6 * best_us_)
                us = timed_us(clock, one, static_cast<int>(std::clamp(120 / us, 3.0, 12.0)));
            one.us = {us};
            best_us_ = std::min(best_us_, us);
        }
    }
    // Those near the fastest, and the engine's choice, take turns: half of these will say which is
    // the fastest, and the other half how fast it is.
    void measure_nearest(queued_clock& clock) {
        constexpr std::size_t most = 20;
        constexpr int turns = 6;
        std::vector<way*> near;
        for (way& one : all_)
            if (one.us[0] > 0 && one.us[0] < 1.3 * best_us_) near.push_back(&one);
        std::ranges::sort(near, {}, [](const way* w) { return w->us[0]; });
        if (near.size() > most) near.resize(most);
        if (all_[0].us[0] > 0 && std::ranges::find(near, &all_[0]) == near.end())
            near.push_back(&all_[0]);
        for (way* one : near) one->runs = static_cast<int>(std::clamp(150 / one->us[0], 1.0, 30.0));
        for (way* one : near) one->us.clear();
        for (int turn = 0; turn < turns; ++turn)
            for (way* one : near) one->us.push_back(timed_us(clock, *one, one->runs));
    }
    void print() const {
        const core::problem& p = it_.one;
        const auto l = [](std::int64_t x) { return static_cast<long long>(x); };
        std::printf(
            "{\"kind\":\"%s\",\"c\":\"%s\",\"m\":%lld,\"n\":%lld,\"k\":%lld,\"at\":[%lld,%lld,%lld,"
            "%lld,%lld,%lld],\"beta\":%d,\"batch\":[%lld,%d,%d],\"aligned\":[%d,%d],\"sms\":%d,"
            "\"ways\":[",
            it_.of->name, std::string(name(p.c_type)).c_str(), l(p.m), l(p.n), l(p.k),
            l(p.a_layout.row_stride), l(p.a_layout.col_stride), l(p.b_layout.row_stride),
            l(p.b_layout.col_stride), l(p.c_layout.row_stride), l(p.c_layout.col_stride),
            p.beta != 0, l(it_.batch.count), it_.batch.one_a, it_.batch.one_b, aligned_.a,
            aligned_.b, sms_);
        bool first = true;
        for (const way& one : all_) {
            std::printf("%s[%s", first ? "" : ",", one.what.c_str());
            for (std::size_t i = 0; i < one.us.size(); ++i)
                std::printf("%s%.3f", i == 0 ? ",[" : ",", one.us[i]);
            std::printf("]]");
            first = false;
        }
        std::printf("]}\n");
        std::fflush(stdout);
    }
    [[nodiscard]] core::gpu_call call() const {
        return {.problem = it_.one,
                .arithmetic = it_.of->how,
                .aligned = aligned_,
                .products = it_.batch};
    }
    benchmark::run started(std::shared_ptr<const cuda::gemm_product> made) const {
        std::shared_ptr<cuda::launch_cache> kept = made->make_cache();
        return [this, made = std::move(made), kept] {
            const cuda::call_scope call(cuda::call_scope::current_device, with_.stream);
            cuda::bindings with = with_;
            with.kept = kept.get();
            return made->run(with);
        };
    }
    void add(const std::string& what, std::shared_ptr<const cuda::gemm_product> made) {
        if (made != nullptr) all_.push_back({.what = what, .start = started(std::move(made))});
    }
    // -1: as it is chosen.
    void add_chosen() {
        auto made = gpu_engine::prepare(call(), core::settings{});
        if (made != nullptr) {
            add("-1,0,0,0,0,0,0", std::move(made));
            return;
        }
        // A launch for each product.
        core::gpu_call alone = call();
        alone.products = {};
        std::shared_ptr<const cuda::gemm_product> one =
            gpu_engine::prepare(alone, core::settings{});
        std::shared_ptr<cuda::launch_cache> kept = one->make_cache();
        const auto each_product = [this, one, kept] {
            const cuda::call_scope call(cuda::call_scope::current_device, with_.stream);
            cuda::bindings each = with_;
            each.kept = kept.get();
            const auto step = [](const void* at, std::int64_t elements, dtype t) {
                return static_cast<const void*>(static_cast<const char*>(at) +
                                                elements *
                                                    static_cast<std::int64_t>(size_bytes(t)));
            };
            for (std::int64_t i = 0; i < it_.batch.count; ++i) {
                each.data.a = step(with_.data.a, i * it_.apart().a, it_.one.a_type);
                each.data.b = step(with_.data.b, i * it_.apart().b, it_.one.b_type);
                each.data.c =
                    const_cast<void*>(step(with_.data.c, i * it_.apart().c, it_.one.c_type));
                (void)one->run(each);
            }
            return true;
        };
        all_.push_back({.what = "-1,0,0,0,0,0,0",
                        .start = each_product,
                        .launches = 3 * static_cast<int>(it_.batch.count)});
    }
    void add_wgmma() {
        if (!core::is_on_tensor_cores(it_.of->how, it_.one.a_type)) return;
        gemm_request of = cuda::wgmma::request_for(cuda::wgmma::as_summed(call(), false));
        of.sms = sms_;
        for (std::size_t row = 0; row < cuda::wgmma::kernel_table.size(); ++row)
            plan::each_candidate(of, cuda::wgmma::kernel_table[row], [&](const plan::candidate& c) {
                if (!is_worthless(c)) add_plan(row, plan::plan_of(c, 0));
            });
    }
    // Nearly all of a tile sticks out, or parts of K are many more than the SMs: never the fastest.
    [[nodiscard]] bool is_worthless(const plan::candidate& c) const {
        const kernel_desc& k = *c.kernel;
        return (k.block_m > 64 && k.block_m >= 4 * std::max<std::int64_t>(16, c.m)) ||
               (k.block_n > 16 && k.block_n >= 4 * std::max<std::int64_t>(8, c.n)) ||
               (c.split_k > 1 && c.ctas() > std::int64_t{8} * sms_);
    }
    void add_plan(std::size_t row, const gemm_plan& one) {
        char text[80];
        std::snprintf(text, sizeof text, "0,%zu,%d,%d,%d,%d,%d", row, one.swap_ab, one.split_k,
                      one.cluster_m, one.cluster_n, one.ctas_per_sm);
        try {
            add(text,
                cuda::wgmma::prepare(call(), cuda::wgmma::as_gpu_plan(one, 0, "as asked for")));
        } catch (const error&) {
        }
    }
    void add_in_place() {
        if (cuda::mma::takes(call())) add_small({});
    }
    // Packed where they can't be read in place, as on a GPU that has no other kernels.
    void add_packed() {
        if (!cuda::mma::has_small_tiles(it_.one.a_type, it_.of->how)) return;
        cuda::mma::packed_operands packs;
        if (!cuda::mma::reads(call())) packs = {true, true};
        if (cuda::mma::reads(cuda::mma::packed(call(), packs))) add_small(packs);
    }
    void add_small(const cuda::mma::packed_operands& packs) {
        const auto tiles = cuda::mma::tiles_for(it_.one.a_type, it_.of->how);
        for (std::size_t row = 0; row < tiles.size(); ++row)
            add_parts(1, row, tiles[row], packs, cuda::mma::prepare);
    }
    void add_large() {
        const cuda::mma::packed_operands packs = cuda::mma::packs_for_multistage(call());
        const auto tiles = cuda::mma::multistage_tiles(it_.one.a_type, it_.of->how);
        for (std::size_t row = 0; row < tiles.size(); ++row)
            add_parts(3, row, tiles[row], packs, cuda::mma::prepare_multistage);
    }
    // K in one part, and in all numbers of parts that a plan considers.
    void add_parts(int family, std::size_t row, const auto& tile,
                   const cuda::mma::packed_operands& packs, const auto& prepare) {
        const plan::batch_request of{.m = it_.one.m,
                                     .n = it_.one.n,
                                     .k = it_.one.k,
                                     .batch = it_.batch.count,
                                     .may_share_k = true,
                                     .sms = sms_};
        for (const int splits : plan::counts_of_parts) {
            if (!plan::may_share_k(of, {tile.block_m, tile.block_n, tile.ctas_per_sm}, splits,
                                   static_cast<int>(size_bytes(it_.one.a_type))))
                continue;
            add(std::to_string(family) + "," + std::to_string(row) + ",0," +
                    std::to_string(splits) + ",0,0,0",
                cuda::mma::prepare_packed(call(), packs, [&](const core::gpu_call& read) {
                    return prepare(read, row, splits);
                }));
        }
    }
    void add_fma() {
        const core::problem& p = it_.one;
        if (it_.of->how != core::gpu_arithmetic::native || core::is_storage_type(p.a_type)) return;
        for (std::size_t row = 0; row < cuda::fma::kernel_table.size(); ++row) {
            const auto& k = cuda::fma::kernel_table[row];
            if (k.type != p.a_type) continue;
            const std::int64_t tiles = plan::ceil_div(p.m, k.block_m()) *
                                       plan::ceil_div(p.n, k.block_n()) * it_.batch.count;
            for (int cluster = 1; cluster <= k.most_cluster; cluster *= 2)
                for (const int groups : {1, 2, 3, 4, 5, 6, 8, 12, 16}) {
                    if (cluster * groups > plan::ceil_div(p.k, k.block_k())) continue;
                    if (groups > 1 && (tiles * cluster > 1024 ||
                                       tiles * groups * k.block_m() * k.block_n() *
                                               static_cast<std::int64_t>(size_bytes(k.type)) >
                                           64'000'000))
                        continue;
                    if (tiles * cluster * groups > 12 * sms_ && cluster * groups > 1) continue;
                    add("2," + std::to_string(row) + ",0," + std::to_string(groups) + "," +
                            std::to_string(cluster) + ",0,0",
                        cuda::fma::prepare(call(), {.row = row,
                                                    .block_m = k.block_m(),
                                                    .block_n = k.block_n(),
                                                    .split_k = cluster * groups,
                                                    .cluster_k = cluster}));
                }
        }
    }

    const product& it_;
    bool only_mma_;
    cuda::bindings with_;
    core::operand_alignment aligned_;
    std::vector<way> all_;
    double best_us_ = 1e9;
    int sms_ = cuda::describe(cuda::device_in_use()).multiprocessors;
};

}  // namespace

int main(int count, char** words) {
    const double seconds = count >= 3 ? std::atof(words[2]) : 0;
    const bool only_mma = count == 4 && std::string(words[3]) == "mma";
    if (seconds <= 0 || count > (only_mma ? 4 : 3)) {
        std::fprintf(stderr, "usage: carat_fit_measure SEED SECONDS [mma]\n");
        return 2;
    }
    std::mt19937_64 random(std::strtoull(words[1], nullptr, 10));
    std::map<dtype, std::pair<std::unique_ptr<memory>, std::unique_ptr<memory>>> pools;
    for (const dtype t :
         {dtype::bf16, dtype::f16, dtype::f32, dtype::f64, dtype::i8, dtype::e4m3, dtype::e5m2}) {
        auto& at = pools[t] = {std::make_unique<memory>(fit::pool_bytes),
                               std::make_unique<memory>(fit::pool_bytes)};
        for (memory* const m : {at.first.get(), at.second.get()})
            m->fill(t == dtype::e5m2 ? dtype::e4m3 : t, random);
    }
    memory c(fit::pool_bytes);
    benchmark::must(cudaMemset(c.get(), 0, fit::pool_bytes));
    queued_clock clock(cuda::stream_in_use());
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (passed() < seconds) {
        const product it = fit::drawn(random);
        if (only_mma && cuda::mma::multistage_tiles(it.one.a_type, it.of->how).empty()) continue;
        try {
            trial(it,
                  {pools.at(it.one.a_type).first->get(), pools.at(it.one.b_type).second->get(),
                   c.get()},
                  only_mma)
                .run(clock);
        } catch (const error& e) {
            std::fprintf(stderr, "%s %lldx%lldx%lld: %s\n", it.of->name,
                         static_cast<long long>(it.one.m), static_cast<long long>(it.one.n),
                         static_cast<long long>(it.one.k), e.what());
        }
    }
    return 0;
}
