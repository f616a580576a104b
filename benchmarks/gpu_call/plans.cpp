// Every way to launch a tensor-core kernel over random calls and batches, beside cuBLAS: what the
// plan's costs are fitted to. carat_benchmark_plans [seed [cases [track|batch [type [multiple]]]]]
// prints a line of JSON for each case: what the plan knows of it, cuBLAS' best, and of each way its
// row in the kernel table, swap, parts of K, cluster, CTAs to an SM, predicted and measured us.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <carat/error.hpp>

#include "benchmarks/gpu_call/batch_peers.hpp"
#include "benchmarks/gpu_call/drawn_calls.hpp"
#include "benchmarks/gpu_call/turns.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/engine/architectures.hpp"
#include "cuda/engine/select.hpp"
#include "cuda/sm80/kernel_table.hpp"
#include "cuda/sm80/product.hpp"
#include "plan/gemm_candidates.hpp"
#include "plan/gemm_cost.hpp"
#include "vendor/cublas/library.hpp"
#include "vendor/cublas/table.hpp"

namespace {

using namespace carat;
using benchmark::call_track;
using benchmark::call_type;
using benchmark::memory;
using benchmark::peer;
using benchmark::run;
using core::kernel_desc;
using plan::candidate;
using plan::gemm_plan;
using plan::gemm_request;

struct product {
    core::problem one;
    std::int64_t count = 1;
};

bool launches(const kernel_desc& k, int split_k, int shared) {
    if (k.is_persistent()) return split_k == 1 && shared == k.cluster_m * k.cluster_n;
    return split_k <= k.most_split_k && shared <= k.most_cluster_m && (split_k == 1 || shared == 1);
}

bool stores(const kernel_desc& k, const gemm_request& of, bool swap_ab) {
    return swap_ab != of.c_by_rows || !k.is_persistent() || k.a_from_registers();
}

// All that can be launched, the fastest by prediction first.
std::vector<gemm_plan> ways(const gemm_request& wanted, const plan::gemm_model& model) {
    std::vector<gemm_plan> all;
    for (const bool batched : {false, true}) {
        if (batched && wanted.batch == 1) continue;
        gemm_request of = wanted;
        of.persistent_batch = batched;
        for (const kernel_desc& k : model.kernels)
            for (const bool swap : {false, true})
                for (const int split_k : {1, 2, 4, 8})
                    for (const int shared : {1, 2, 4})
                        for (const int ctas : {1, 2, 3}) {
                            if (!plan::matches(k, of, swap) || !launches(k, split_k, shared) ||
                                !stores(k, of, swap) || split_k > plan::k_blocks_of(of.k, of))
                                continue;
                            if (of.batch > 1 && k.is_persistent() && !k.batched) continue;
                            const int most = k.is_persistent()                    ? 1
                                             : k.block_m == 64 && k.block_n <= 64 ? 3
                                                                                  : 2;
                            if (ctas > most) continue;
                            candidate c{.kernel = &k,
                                        .swap_ab = swap,
                                        .m = swap ? of.n : of.m,
                                        .n = swap ? of.m : of.n,
                                        .k_blocks = plan::k_blocks_of(of.k, of),
                                        .split_k = split_k,
                                        .cluster_m = k.cluster_n > 1 ? 1 : shared,
                                        .cluster_n = k.cluster_n,
                                        .batch = of.batch,
                                        .ctas_per_sm = ctas};
                            if (k.stream_k && (c.ctas() <= of.sms || c.ctas() % of.sms == 0))
                                continue;
                            all.push_back({&k, swap, split_k, c.cluster_m, c.cluster_n, ctas,
                                           plan::seconds(c, of, model.costs, false)});
                        }
    }
    std::ranges::sort(all, {}, &gemm_plan::seconds);
    return all;
}

std::vector<peer> peers_of(const core::operation& all, const core::operands& data) {
    std::vector<peer> found;
    for (const core::implementation* const row : vendor::cublas::table()) {
        if (row->name != "vendor.cublas" && row->name != "vendor.cublaslt_best") continue;
        if (!reason_against(*row, all, {}).empty()) continue;
        try {
            std::shared_ptr<core::runnable> made = prepare(*row, all, {});
            if (made == nullptr) continue;
            made->expect(data);
            found.push_back({[=] {
                                 made->run(data);
                                 return true;
                             },
                             std::string(row->name)});
        } catch (const error&) {
        }
    }
    return found;
}

struct timed {
    std::string what;
    run start;
    int runs = 1;
    std::vector<double> us;
};

void measure_all(benchmark::stopwatch& clock, std::vector<timed>& all) {
    constexpr double turn_s = 3e-4;
    for (timed& one : all) one.runs = std::min(60, clock.runs_for(one.start, turn_s));
    for (int turn = 0; turn < 3; ++turn)
        for (timed& one : all) one.us.push_back(1e6 * clock.once_s(one.start, one.runs));
}

std::string in_words(const gemm_request& of) {
    std::string text;
    const auto add = [&](const char* name, std::int64_t value) {
        text += std::string("\"") + name + "\": " + std::to_string(value) + ", ";
    };
    text += "\"type\": \"" + std::string(name(of.a_type)) + "\", ";
    add("m", of.m), add("n", of.n), add("k", of.k), add("batch", of.batch);
    add("accumulate", static_cast<int>(of.accumulate)), add("result_bytes", of.result_bytes);
    add("a_mn", of.a_major == core::operand_major::mn);
    add("b_mn", of.b_major == core::operand_major::mn);
    add("a_on_sectors", of.a_on_sectors), add("b_on_sectors", of.b_on_sectors);
    add("on_lines", of.on_lines), add("c_by_rows", of.c_by_rows);
    add("c_on_16_bytes", of.c_on_16_bytes), add("adds_e", of.adds_e);
    return text;
}

bool same(const gemm_plan& x, const gemm_plan& y) {
    return x.kernel == y.kernel && x.swap_ab == y.swap_ab && x.split_k == y.split_k &&
           x.cluster() == y.cluster() && x.ctas_per_sm == y.ctas_per_sm;
}

std::size_t bytes_of(const core::whole_matrix& of, dtype type) {
    return static_cast<std::size_t>(core::extent_elements(of.rows, of.cols, of.where)) *
           size_bytes(type);
}

void measure(std::string_view track, const product& it, std::mt19937_64& random) {
    using namespace carat::cuda;
    const core::problem& p = it.one;
    core::operation whole(p, it.count);
    whole.lies = core::placement::strided;
    static benchmark::stopwatch clock(stream_in_use());
    const auto each = [&](const core::layout& at, std::int64_t rows, std::int64_t cols,
                          dtype type) {
        return static_cast<std::size_t>(core::extent_elements(rows, cols, at) * it.count) *
               size_bytes(type);
    };
    memory a(each(p.a_layout, p.m, p.k, p.a_type));
    memory b(each(p.b_layout, p.k, p.n, p.b_type));
    memory c(each(p.c_layout, p.m, p.n, p.c_type));
    a.fill(p.a_type, random), b.fill(p.b_type, random), c.fill(p.c_type, random);
    launch_arguments with;
    with.data = {.a = a.get(), .b = b.get(), .c = c.get()};
    with.stream = stream_in_use();
    const architecture& on = *engine::architecture_in_use();
    const core::accumulation sums =
        core::bytes_of(p.a_type, p.k) <= 128
            ? core::accumulation::native
            : engine::accumulation_for(engine::arithmetic::native, p.a_type);
    gemm_request of = on.request(p, sums);
    of.batch = it.count;
    const batch_strides apart{p.m * p.k, p.k * p.n, p.m * p.n};
    gemm_task task{p, sums, {}, {}, {.count = it.count}};
    if (it.count > 1)
        task.aligned = {is_aligned(a.get(), apart.a, p.a_type),
                        is_aligned(b.get(), apart.b, p.b_type)};
    std::vector<timed> all;
    std::vector<std::shared_ptr<const gemm_product>> made;
    std::vector<std::shared_ptr<launch_cache>> kept;
    const auto chosen =
        it.count > 1 ? plan::plan_batch(of, on.model) : plan::plan_gemm(of, on.model);
    const std::vector<gemm_plan> told = ways(of, on.model);
    constexpr std::size_t most = 48;
    for (const gemm_plan& one : told) {
        const bool is_chosen = chosen && same(one, *chosen);
        if (!is_chosen && (one.seconds > 1.7 * told.front().seconds || all.size() >= most))
            continue;
        char text[160];
        std::snprintf(text, sizeof text, "%d, %d, %d, %d, %d, %d, %d, %.2f",
                      static_cast<int>(one.kernel - on.model.kernels.data()), one.swap_ab,
                      one.split_k, one.cluster_m, one.cluster_n, one.ctas_per_sm, is_chosen,
                      1e6 * one.seconds);
        try {
            std::shared_ptr<const gemm_product> product = on.prepare(task, one, "as asked for");
            if (it.count > 1)
                (void)product->run_batch(with, apart);
            else
                product->run(with, product->make_cache().get());
            made.push_back(std::move(product));
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s: %s\n", text, e.what());
            continue;
        }
        kept.push_back(made.back()->make_cache());
        const auto product = made.back();
        const auto cache = kept.back();
        all.push_back({text,
                       [&with, product, cache, &apart, batched = it.count > 1] {
                           if (batched) return product->run_batch(with, apart);
                           product->run(with, cache.get());
                           return true;
                       },
                       1,
                       {}});
    }
    if (it.count > 1 && is_half(p.a_type)) {
        for (std::size_t row = 0; row < sm80::half_kernels.size(); ++row) {
            made.push_back(sm80::prepare(task, sm80::arithmetic::own, row));
            const auto product = made.back();
            all.push_back({"-1, " + std::to_string(row) + ", 0, 0, 0, 0, 0, 0",
                           [&with, product, &apart] { return product->run_batch(with, apart); },
                           1,
                           {}});
        }
    }
    const std::vector<peer> others =
        it.count > 1 ? benchmark::peers_of(p, false, {p.m, p.n, p.k, it.count}, with.data)
                     : peers_of(whole, with.data);
    const peer other = benchmark::fastest_peer(clock, others);
    if (other.start) all.push_back({"peer", other.start, 1, {}});
    measure_all(clock, all);
    const double sm80_us =
        it.count > 1 && is_half(p.a_type)
            ? 1e6 * sm80::predicted_s(task, sm80::arithmetic::own,
                                      on.model.costs.prediction.memory_bytes_per_s)
            : 0;
    std::printf("{\"track\": \"%s\", %s\"sm80_us\": %.2f, \"chosen_us\": %.2f, \"ways\": [",
                std::string(track).c_str(), in_words(of).c_str(), sm80_us,
                chosen ? 1e6 * chosen->seconds : 0);
    bool first = true;
    double peer_us = 0;
    for (timed& one : all) {
        const double taken = benchmark::median(one.us);
        if (one.what == "peer") peer_us = taken;
        if (one.what == "peer") continue;
        std::printf("%s[%s, %.2f]", first ? "" : ", ", one.what.c_str(), taken);
        first = false;
    }
    std::printf("], \"peer_us\": %.2f}\n", peer_us);
    std::fflush(stdout);
}

// As carat_benchmark_batches draws them, of an eighth of their memory and work.
product drawn_batch(const call_type& t, std::int64_t multiple, std::mt19937_64& random) {
    const auto size = [&] { return benchmark::size_between(random, 16, 2048, multiple); };
    while (true) {
        product it{core::row_major_problem(t.in, size(), size(), size()),
                   std::llround(benchmark::between(random, 4, 1024))};
        core::problem& p = it.one;
        p.c_type = t.in == dtype::e4m3 ? dtype::f32 : t.out;
        if (size_bytes(t.in) == 1) p.b_layout = core::column_major(p.k);
        const auto elements = static_cast<double>(p.m * p.k + p.k * p.n + p.m * p.n);
        const auto count = static_cast<double>(it.count);
        const auto work = static_cast<double>(p.m * p.n) * static_cast<double>(p.k) * count;
        if (elements * count <= 3e7 && work <= 1.3e11) return it;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto seed = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 1);
    const int cases = argc > 2 ? std::atoi(argv[2]) : 20;
    const std::string_view track = argc > 3 ? argv[3] : "plain";
    const std::string_view type = argc > 4 ? argv[4] : "bf16";
    const std::int64_t multiple = argc > 5 ? std::atoll(argv[5]) : 8;
    const auto tracks = benchmark::call_tracks();
    std::mt19937_64 random(seed);
    for (const call_type& t : benchmark::call_types()) {
        if (t.name != type) continue;
        const std::int64_t unit =
            size_bytes(t.in) == 1 && multiple > 1 ? std::max<std::int64_t>(16, multiple) : multiple;
        for (int i = 0; i < cases; ++i) {
            if (track == "batch") {
                measure(track, drawn_batch(t, unit, random), random);
                continue;
            }
            const auto at = std::ranges::find(tracks, track) - tracks.begin();
            measure(
                track,
                {benchmark::drawn_call(static_cast<call_track>(at), t, multiple, random).one, 1},
                random);
        }
    }
    return 0;
}
