// All launches of tensor-core kernels for random calls and batches, compared with cuBLAS; the
// plan's costs are fitted to them. carat_benchmark_plans [seed [cases [track|batch [type
// [multiple]]]]] prints a line of JSON for each case: what the plan knows, cuBLAS's best, and for
// each launch its row in the kernel table, swap, split-K, cluster, CTAs on an SM, predicted and
// measured us.
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
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/product.hpp"
#include "lab/vendor/cublas/library.hpp"
#include "lab/vendor/cublas/table.hpp"
#include "plan/gemm_candidates.hpp"
#include "plan/gemm_cost.hpp"

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

// `count` of them follow each other without a gap.
struct product {
    core::problem one;
    std::int64_t count = 1;

    [[nodiscard]] bool is_batch() const { return count > 1; }
    [[nodiscard]] cuda::batch_strides apart() const {
        return {one.m * one.k, one.k * one.n, one.m * one.n};
    }
};

bool launches(const kernel_desc& k, int split_k, int shared) {
    if (k.is_persistent()) return split_k == 1 && shared == k.cluster_m * k.cluster_n;
    return split_k <= k.most_split_k && shared <= k.most_cluster_m && (split_k == 1 || shared == 1);
}

bool stores(const kernel_desc& k, const gemm_request& of, bool swap_ab) {
    return swap_ab != of.c_by_rows || !k.is_persistent() || k.a_from_registers();
}

int most_ctas_per_sm(const kernel_desc& k) {
    if (k.is_persistent()) return 1;
    return k.block_m == 64 && k.block_n <= 64 ? 3 : 2;
}

void add_ways(std::vector<gemm_plan>& all, const kernel_desc& k, bool swap_ab,
              const gemm_request& of, const plan::gemm_model& model) {
    if (!plan::matches(k, of, swap_ab) || !stores(k, of, swap_ab)) return;
    if (of.batch > 1 && k.is_persistent() && !k.batched) return;
    for (const int split_k : {1, 2, 4, 8})
        for (const int shared : {1, 2, 4})
            for (int ctas = 1; ctas <= most_ctas_per_sm(k); ++ctas) {
                if (!launches(k, split_k, shared) || split_k > plan::k_blocks_of(of.k, of))
                    continue;
                gemm_plan one{&k,          swap_ab, split_k, k.cluster_n > 1 ? 1 : shared,
                              k.cluster_n, ctas,    0};
                const candidate c = plan::candidate_of(one, of);
                if (k.stream_k && (c.ctas() <= of.sms || c.ctas() % of.sms == 0)) continue;
                one.seconds = plan::seconds(c, of, model.costs, false);
                all.push_back(one);
            }
}

// All possible launches, the fastest by prediction first.
std::vector<gemm_plan> ways(const gemm_request& wanted, const plan::gemm_model& model) {
    std::vector<gemm_plan> all;
    for (const bool batched : {false, true}) {
        if (batched && wanted.batch == 1) continue;
        gemm_request of = wanted;
        of.persistent_batch = batched;
        for (const kernel_desc& k : model.kernels)
            for (const bool swap_ab : {false, true}) add_ways(all, k, swap_ab, of, model);
    }
    std::ranges::sort(all, {}, &gemm_plan::seconds);
    return all;
}

std::vector<peer> peers_of(const rows::operation& all, const core::operands& data) {
    std::vector<peer> found;
    for (const rows::implementation* const row : vendor::cublas::table()) {
        if (row->name != "vendor.cublas" && row->name != "vendor.cublaslt_best") continue;
        if (!reason_against(*row, all, {}).empty()) continue;
        try {
            std::shared_ptr<rows::runnable> made = prepare(*row, all, {});
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

// What is measured of one case.
class trial {
  public:
    trial(const product& it, std::mt19937_64& random)
        : it_(it),
          a_(bytes(it.one.a_layout, it.one.m, it.one.k, it.one.a_type)),
          b_(bytes(it.one.b_layout, it.one.k, it.one.n, it.one.b_type)),
          c_(bytes(it.one.c_layout, it.one.m, it.one.n, it.one.c_type)),
          on_(*cuda::engine::architecture_in_use()) {
        const core::problem& p = it.one;
        a_.fill(p.a_type, random), b_.fill(p.b_type, random), c_.fill(p.c_type, random);
        with_.data = {.a = a_.get(), .b = b_.get(), .c = c_.get()};
        with_.stream = cuda::stream_in_use();
        task_ = {p, sums(), {}, {}, {.count = it.count}};
        if (it.is_batch())
            task_.aligned = {cuda::is_aligned(a_.get(), it.apart().a, p.a_type),
                             cuda::is_aligned(b_.get(), it.apart().b, p.b_type)};
        of_ = on_.request(p, task_.accumulate);
        of_.batch = it.count;
        chosen_ =
            it.is_batch() ? plan::plan_batch(of_, on_.model) : plan::plan_gemm(of_, on_.model);
    }

    void print(std::string_view track) {
        static benchmark::stopwatch clock(cuda::stream_in_use());
        add_tensor_cores();
        if (it_.is_batch() && is_half(it_.one.a_type)) add_in_place();
        const peer other = benchmark::fastest_peer(clock, peers());
        if (other.start) all_.push_back({"", other.start, 1, {}});
        measure_all(clock, all_);
        std::printf("{\"track\": \"%s\", %s\"in_place_us\": %.2f, \"chosen_us\": %.2f, \"ways\": [",
                    std::string(track).c_str(), in_words(of_).c_str(), 1e6 * in_place_s(),
                    chosen_ ? 1e6 * chosen_->seconds : 0);
        const std::size_t ways = all_.size() - (other.start ? 1 : 0);
        for (std::size_t i = 0; i < ways; ++i)
            std::printf("%s[%s, %.2f]", i == 0 ? "" : ", ", all_[i].what.c_str(),
                        benchmark::median(all_[i].us));
        std::printf("], \"peer_us\": %.2f}\n", other.start ? benchmark::median(all_.back().us) : 0);
        std::fflush(stdout);
    }

  private:
    [[nodiscard]] std::size_t bytes(const core::layout& at, std::int64_t rows, std::int64_t cols,
                                    dtype type) const {
        return static_cast<std::size_t>(core::extent_elements(rows, cols, at) * it_.count) *
               size_bytes(type);
    }
    // One block of K is summed natively (engine/select.cpp).
    [[nodiscard]] core::accumulation sums() const {
        constexpr std::int64_t block_of_k_bytes = 128;
        const core::problem& p = it_.one;
        return core::bytes_of(p.a_type, p.k) <= block_of_k_bytes
                   ? core::accumulation::native
                   : cuda::engine::accumulation_for(cuda::engine::arithmetic::native, p.a_type);
    }
    [[nodiscard]] run started(std::shared_ptr<const cuda::gemm_product> made) const {
        const std::shared_ptr<cuda::launch_cache> kept = made->make_cache();
        return [this, made = std::move(made), kept] {
            if (it_.is_batch()) return made->run_batch(with_, it_.apart());
            made->run(with_, kept.get());
            return true;
        };
    }
    void add_tensor_cores() {
        constexpr std::size_t most = 48;
        constexpr double slowest = 1.7;  // of the fastest predicted
        const std::vector<gemm_plan> told = ways(of_, on_.model);
        for (const gemm_plan& one : told) {
            const bool is_chosen = chosen_ && same(one, *chosen_);
            if (!is_chosen && (one.seconds > slowest * told.front().seconds || all_.size() >= most))
                continue;
            std::string text;
            for (const auto x :
                 {static_cast<int>(one.kernel - on_.model.kernels.data()), one.swap_ab ? 1 : 0,
                  one.split_k, one.cluster_m, one.cluster_n, one.ctas_per_sm, is_chosen ? 1 : 0})
                text += std::to_string(x) + ", ";
            text += std::to_string(1e6 * one.seconds);
            all_.push_back({text, started(on_.prepare(task_, one, "as asked for")), 1, {}});
        }
    }
    // -1 and the row of src/cuda/families/mma's table.
    void add_in_place() {
        for (std::size_t row = 0; row < cuda::mma::half_kernels.size(); ++row)
            all_.push_back({"-1, " + std::to_string(row) + ", 0, 0, 0, 0, 0, 0",
                            started(cuda::mma::prepare(task_, cuda::mma::arithmetic::own, row)),
                            1,
                            {}});
    }
    [[nodiscard]] double in_place_s() const {
        if (!it_.is_batch() || !is_half(it_.one.a_type)) return 0;
        return cuda::mma::predicted_s(task_, cuda::mma::arithmetic::own,
                                      on_.model.costs.prediction.memory_bytes_per_s);
    }
    [[nodiscard]] std::vector<peer> peers() const {
        const core::problem& p = it_.one;
        if (it_.is_batch())
            return benchmark::peers_of(p, false, {p.m, p.n, p.k, it_.count}, with_.data);
        return peers_of(rows::operation(p, 1), with_.data);
    }

    const product& it_;
    memory a_, b_, c_;
    const cuda::architecture& on_;
    cuda::launch_arguments with_;
    cuda::gemm_task task_;
    gemm_request of_;
    std::optional<gemm_plan> chosen_;
    std::vector<timed> all_;
};

// Drawn like those of carat_benchmark_batches, with an eighth of their memory and work.
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
    const std::string_view track = argc > 3 ? argv[3] : "plain";  // or batch
    const std::string_view type = argc > 4 ? argv[4] : "bf16";
    const std::int64_t multiple = argc > 5 ? std::atoll(argv[5]) : 8;
    const auto tracks = benchmark::call_tracks();
    if (track != "batch" && std::ranges::find(tracks, track) == tracks.end()) {
        std::fprintf(stderr,
                     "carat_benchmark_plans: no track is called %s: take batch, plain, ...\n",
                     argv[3]);
        return 2;
    }
    std::mt19937_64 random(seed);
    for (const call_type& t : benchmark::call_types()) {
        if (t.name != type) continue;
        const std::int64_t unit =
            size_bytes(t.in) == 1 && multiple > 1 ? std::max<std::int64_t>(16, multiple) : multiple;
        for (int i = 0; i < cases; ++i) {
            const auto at =
                static_cast<call_track>(std::ranges::find(tracks, track) - tracks.begin());
            const product it = track == "batch"
                                   ? drawn_batch(t, unit, random)
                                   : product{benchmark::drawn_call(at, t, multiple, random).one};
            trial(it, random).print(track);
        }
    }
    return 0;
}
