// Stream-K: tiles of the last waves are divided along K, and accumulators are carried from cluster
// to cluster. On random numbers C has the bits of whole tiles, every time, in every kernel, on
// parallel streams and in graphs. Skipped without a GPU.
#include <cmath>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <ostream>
#include <random>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/engine/select.hpp"
#include "lab/rows/cuda/table.hpp"
#include "lab/space/cuda/device_space.hpp"
#include "lab/space/execution_space.hpp"
#include "tests/cuda/sweep.hpp"
#include "tests/parameters.hpp"

namespace {

using namespace carat;

enum class row : std::uint8_t { native, tf32, halves, fast_fp8, blocks };

// A kernel, with the row, types and layouts that select it.
struct kind {
    row of;
    core::signature types;
    bool a_across = false;
    bool b_across = false;
    bool by_columns = false;
};

void PrintTo(const kind& k, std::ostream* out) {
    *out << static_cast<int>(k.of) << " " << name(k.types.a) << " " << name(k.types.c)
         << (k.a_across ? " t" : " n") << (k.b_across ? "t" : "n") << (k.by_columns ? "t" : "n");
}

space::execution_space& gpu() {
    return space::cuda::device_space(cuda::device_in_use());
}

const rows::implementation& entry(const kind& k) {
    return *rows::cuda::table()[static_cast<std::size_t>(k.of)];
}

std::string reason_to_skip() {
    if (const std::string why = cuda::unavailable_in_use(); !why.empty())
        return "no GPU test can run: " + why;
    return entry({}).unsupported(core::row_major_problem(dtype::f16, 8, 8, 8), {});
}

core::problem problem(const kind& k, std::int64_t m, std::int64_t n, std::int64_t depth) {
    core::problem p = core::row_major_problem(k.types.c, m, n, depth);
    p.a_type = k.types.a;
    p.b_type = k.types.b;
    if (k.a_across) p.a_layout = core::column_major(m);
    if (!k.b_across) p.b_layout = core::column_major(depth);
    if (k.by_columns) p.c_layout = core::column_major(m);
    return p;
}

std::vector<std::byte> random_numbers(dtype type, std::int64_t elements, unsigned seed) {
    // A repeating stretch is random enough, and quickly made; of odd length, so that no two lines
    // are alike.
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const std::size_t size = size_bytes(type);
    std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * size);
    const std::size_t stretch = std::min<std::size_t>(bytes.size(), 99991 * size);
    for (std::size_t at = 0; at < stretch; at += size)
        test::write(type, &bytes[at],
                    type == dtype::i8 ? std::floor(100 * uniform(random)) : uniform(random));
    for (std::size_t at = stretch; at < bytes.size(); ++at) bytes[at] = bytes[at - stretch];
    return bytes;
}

space::buffer on_gpu(const std::vector<std::byte>& bytes) {
    space::buffer memory(gpu(), bytes.size());
    gpu().upload(memory.data(), bytes.data(), bytes.size());
    return memory;
}

// Pingpong tiles if the types have them, else those of 256 columns.
bool has_tiles_apart(const kind& k) {
    const bool promoted = is_fp8(k.types.a) && k.of != row::fast_fp8;
    return size_bytes(k.types.a) <= 2 && !promoted;
}

// A product with memory of its own.
class work {
  public:
    work(const kind& of, const core::problem& p)
        : of_(of),
          problem_(p),
          before_(random_numbers(p.c_type, core::extent_elements(p.m, p.n, p.c_layout), 3)),
          a_(on_gpu(random_numbers(p.a_type, p.m * p.k, 1))),
          b_(on_gpu(random_numbers(p.b_type, p.k * p.n, 2))),
          c_(on_gpu(before_)) {}

    [[nodiscard]] std::unique_ptr<rows::runnable> prepare(int even) const {
        core::tunable_values how = {{"stream_k", even}};
        if (has_tiles_apart(of_))
            how["schedule"] = 3;
        else
            how["block_n"] = 256;
        return entry(of_).prepare(problem_, {1, how});
    }
    [[nodiscard]] core::operands data() const { return {a_.data(), b_.data(), c_.data()}; }

    // C after all work, and what was there before it.
    std::vector<std::byte> take_c() const {
        gpu().wait();
        std::vector<std::byte> bytes(c_.size_bytes());
        gpu().download(bytes.data(), c_.data(), bytes.size());
        gpu().upload(c_.data(), before_.data(), before_.size());
        return bytes;
    }
    std::vector<std::byte> run(int even) {
        prepare(even)->run(data());
        return take_c();
    }

  private:
    kind of_;
    core::problem problem_;
    std::vector<std::byte> before_;  // in C
    space::buffer a_, b_, c_;
};

bool is_even(const rows::runnable& product) {
    return product.planned().why.find("stream-K") != std::string::npos;
}

class even_epilogue : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = reason_to_skip(); !why.empty()) GTEST_SKIP() << why;
    }
};

class even_shares : public even_epilogue, public testing::WithParamInterface<kind> {};

// Two waves of tiles with 256 columns, the second a tenth full, or one more wave before it; C
// stored by TMA and directly.
TEST_P(even_shares, have_the_bits_of_whole_tiles) {
    for (const auto& [m, n, depth] : {std::array<std::int64_t, 3>{512, 36 * 256, 1040},
                                      {500, 36 * 256 - 13, 1032},
                                      {1000, 48 * 192 - 4, 528}})
        for (const double beta : {0.0, -0.5}) {
            core::problem p = problem(GetParam(), m, n, depth);
            p.alpha = 0.5;
            p.beta = beta;
            if (p.c_type == dtype::i32) p.alpha = 3, p.beta = 2 * beta;
            work w(GetParam(), p);
            EXPECT_TRUE(is_even(*w.prepare(2)));
            EXPECT_FALSE(is_even(*w.prepare(1)));
            const auto whole = w.run(1);
            ASSERT_EQ(w.run(2), whole) << m << " x " << n << " x " << depth;
        }
}

// Several clusters multiply parts of one tile at the same time, and what they pass on is added up.
TEST_P(even_shares, of_fewer_tiles_than_clusters_are_exact) {
    const bool is_half = carat::is_half(GetParam().types.a);
    if (!is_half && GetParam().of != row::tf32) GTEST_SKIP() << "no such kernel";
    for (const int block_n : {192, 256}) {
        if (block_n == 192 && !is_half) continue;
        const core::settings how{1, {{"schedule", 2}, {"block_n", block_n}, {"stream_k", 2}}};
        for (const auto& [m, n, depth] :
             {std::array<std::int64_t, 3>{300, 520, 2080}, {129, 250, 3088}, {1000, 687, 1040}})
            for (const double beta : {0.0, -1.0}) {
                core::problem p = problem(GetParam(), m, n, depth);
                p.beta = beta;
                EXPECT_TRUE(is_even(*entry(GetParam()).prepare(p, how)));
                EXPECT_EQ(test::check(entry(GetParam()), how, {p, 0}), "")
                    << m << " x " << n << " x " << depth << ", " << block_n << " columns";
            }
    }
}

constexpr core::signature bf16_to_f32 = {dtype::bf16, dtype::bf16, dtype::f32, ""};
constexpr core::signature f16_to_f16 = {dtype::f16, dtype::f16, dtype::f16, ""};
constexpr core::signature e4m3_to_f32 = {dtype::e4m3, dtype::e4m3, dtype::f32, ""};
constexpr core::signature e5m2_to_bf16 = {dtype::e5m2, dtype::e4m3, dtype::bf16, ""};
constexpr core::signature i8_to_i32 = {dtype::i8, dtype::i8, dtype::i32, ""};
constexpr core::signature f32_to_f32 = {dtype::f32, dtype::f32, dtype::f32, ""};

INSTANTIATE_TEST_SUITE_P(
    cuda, even_shares,
    testing::Values(kind{row::native, bf16_to_f32, false, false},
                    kind{row::native, bf16_to_f32, false, true},
                    kind{row::native, bf16_to_f32, true, false, true},
                    kind{row::native, f16_to_f16, true, true},
                    kind{row::native, f16_to_f16, false, true, true},
                    kind{row::native, i8_to_i32, false, true}, kind{row::native, e4m3_to_f32},
                    kind{row::native, e5m2_to_bf16}, kind{row::fast_fp8, e4m3_to_f32},
                    kind{row::blocks, e4m3_to_f32}, kind{row::tf32, f32_to_f32},
                    kind{row::tf32, f32_to_f32, true},
                    kind{row::tf32, f32_to_f32, true, true, true}, kind{row::halves, f32_to_f32}),
    test::as_printed);

TEST_F(even_epilogue, is_that_of_whole_tiles) {
    const kind k{row::native, bf16_to_f32, false, true};
    const core::problem p = problem(k, 512, 42 * 256, 1040);
    const work w(k, p);
    const space::buffer bias = on_gpu(random_numbers(dtype::f32, p.n, 4));
    cuda::epilogue_fusion last;
    last.bias = {static_cast<const float*>(bias.data()), false};
    last.activation_function = cuda::activation::gelu;
    std::vector<std::vector<std::byte>> taken;
    for (const int even : {1, 2}) {
        rows::cuda::prepare_fused(p, last, {1, {{"schedule", 3}, {"stream_k", even}}})
            ->run(w.data());
        taken.push_back(w.take_c());
    }
    EXPECT_EQ(taken[0], taken[1]);
}

class even_order : public even_shares {};

// Products that differ in which clusters wait for each other, all on the GPU at once.
std::vector<std::unique_ptr<work>> works(const kind& k) {
    std::vector<std::unique_ptr<work>> all;
    for (const std::int64_t n : {34 * 256, 42 * 256, 65 * 256, 70 * 256 - 16})
        all.push_back(std::make_unique<work>(k, problem(k, 512, n, 1040)));
    return all;
}

std::vector<std::vector<std::byte>> take(const std::vector<std::unique_ptr<work>>& all) {
    std::vector<std::vector<std::byte>> taken;
    for (const auto& w : all) taken.push_back(w->take_c());
    return taken;
}

std::vector<std::vector<std::byte>> whole(const std::vector<std::unique_ptr<work>>& all) {
    std::vector<std::vector<std::byte>> taken;
    for (const auto& w : all) taken.push_back(w->run(1));
    return taken;
}

TEST_P(even_order, a_hundred_runs_have_the_same_bits) {
    const auto all = works(GetParam());
    const auto expected = whole(all);
    std::vector<std::unique_ptr<rows::runnable>> ready;
    for (const auto& w : all) ready.push_back(w->prepare(2));
    for (int round = 0; round < 20; ++round) {
        // Runs without a pause, as kernels begin before their predecessor has ended.
        for (int run = 0; run < 5; ++run)
            for (std::size_t i = 0; i < all.size(); ++i) ready[i]->run(all[i]->data());
        ASSERT_EQ(take(all), expected) << round;
    }
}

// Four grids that each fill the GPU, so that none fits whole.
TEST_P(even_order, streams_side_by_side_wait_for_none_of_each_other) {
    const auto all = works(GetParam());
    const auto expected = whole(all);
    std::vector<cuda::unique_stream> streams;
    for (std::size_t i = 0; i < all.size(); ++i) streams.push_back(cuda::make_stream());
    for (int round = 0; round < 10; ++round) {
        for (int run = 0; run < 10; ++run)
            for (std::size_t i = 0; i < all.size(); ++i) {
                const cuda::call_scope call(cuda::call_scope::current_device, streams[i].get());
                all[i]->prepare(2)->run(all[i]->data());
            }
        for (const auto& s : streams) CARAT_CUDA_CHECK(cudaStreamSynchronize(s.get()));
        ASSERT_EQ(take(all), expected) << round;
    }
}

TEST_P(even_order, a_graph_replayed_gives_what_runs_do) {
    const auto all = works(GetParam());
    const auto expected = whole(all);
    const cuda::unique_stream stream = cuda::make_stream();
    CARAT_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
    for (const auto& w : all) {
        const cuda::call_scope call(cuda::call_scope::current_device, stream.get());
        w->prepare(2)->run(w->data());
    }
    cudaGraph_t graph = nullptr;
    CARAT_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphExec_t ready = nullptr;
    CARAT_CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
    for (int round = 0; round < 20; ++round) {
        for (int replay = 0; replay < 3; ++replay)
            CARAT_CUDA_CHECK(cudaGraphLaunch(ready, stream.get()));
        CARAT_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
        ASSERT_EQ(take(all), expected) << round;
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
}

INSTANTIATE_TEST_SUITE_P(cuda, even_order,
                         testing::Values(kind{row::native, bf16_to_f32, false, true},
                                         kind{row::tf32, f32_to_f32}),
                         test::as_printed);

}  // namespace
