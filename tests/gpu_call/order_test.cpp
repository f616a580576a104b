// The same bits at any time, on any stream, in a graph and, if requested, for any number of rows.
#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "tests/gpu_call/device.hpp"

namespace {

using namespace carat;
using test::mirrored;
using test::strides;

class gpu_order : public test::gpu_test {};

// A product on random numbers with a C of its own; `odd` operands have to be packed first.
struct work {
    mirrored<bf16> a, b;
    mirrored<float> c, e;
    std::vector<float> bias_values;
    test::device_memory bias_there;
    int kind;

    work(std::size_t m, std::size_t n, std::size_t k, int kind_of)
        : a(m, k, {std::ptrdiff_t(k) + (kind_of % 2), 1}),
          b(k, n, {std::ptrdiff_t(n) + (kind_of % 2), 1}),
          c(m, n, {std::ptrdiff_t(n), 1}),
          e(m, n, kind_of % 3 == 2 ? strides{1, std::ptrdiff_t(m)} : strides{std::ptrdiff_t(n), 1}),
          bias_values(n, 0.25F),
          bias_there(test::on_device(bias_values.data(), n * sizeof(float))),
          kind(kind_of) {
        a.fill_random(1);
        b.fill_random(2);
        e.fill_random(3);
        c.upload();
    }

    void start(const cuda& where) const {
        const std::span<const float> added(static_cast<const float*>(bias_there.get()),
                                           bias_values.size());
        if (kind % 3 == 0) return matrix_product(where, a.view(), b.view(), c.view());
        if (kind % 3 == 1)
            return matrix_product(where, a.view(), b.view(), c.view(), bias(added) | gelu);
        matrix_product(where, scaled(0.5, a.view()), b.view(), scaled(-1.0, e.view()), c.view());
    }
    // C after all work, then poison.
    [[nodiscard]] std::vector<float> take_c() {
        std::vector<float> result = c.download().elements();
        c.fill_poison();
        return result;
    }
};

std::vector<std::unique_ptr<work>> mixed_works() {
    std::vector<std::unique_ptr<work>> all;
    int kind = 0;
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{16, 1024, 4096},
                                  {300, 500, 700},
                                  {1024, 1024, 256},
                                  {1, 2048, 2048},
                                  {640, 2048, 128},
                                  {129, 65, 1030}})
        for (int i = 0; i < 2; ++i, ++kind) all.push_back(std::make_unique<work>(m, n, k, kind));
    return all;
}

std::vector<std::vector<float>> results_of(const std::vector<std::unique_ptr<work>>& works) {
    std::vector<std::vector<float>> all;
    for (const auto& w : works) all.push_back(w->take_c());
    return all;
}

std::vector<std::vector<float>> serial(const std::vector<std::unique_ptr<work>>& works) {
    for (const auto& w : works) {
        w->start(cuda{});
        test::must(cudaDeviceSynchronize(), "serial");
    }
    return results_of(works);
}

void expect_same(const std::vector<std::vector<float>>& x,
                 const std::vector<std::vector<float>>& y) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(test::same_bits(x[i], y[i])) << i;
}

TEST_F(gpu_order, a_hundred_runs_have_the_same_bits) {
    const auto works = mixed_works();
    const auto first = serial(works);
    const test::stream stream = test::make_stream();
    for (int run = 0; run < 100; ++run) {
        // One after the other without a pause, as kernels begin before their predecessors have
        // ended.
        for (const auto& w : works) w->start(cuda{.stream = stream.get()});
        expect_same(results_of(works), first);
        if (HasFatalFailure()) return;
    }
}

TEST_F(gpu_order, four_streams_in_parallel_give_what_one_does) {
    const auto works = mixed_works();
    const auto first = serial(works);
    std::vector<test::stream> streams;
    for (int i = 0; i < 4; ++i) streams.push_back(test::make_stream());
    for (int round = 0; round < 20; ++round) {
        for (std::size_t i = 0; i < works.size(); ++i)
            works[i]->start(
                cuda{.stream = streams[(i + static_cast<std::size_t>(round)) % 4].get()});
        expect_same(results_of(works), first);
        if (HasFatalFailure()) return;
    }
}

TEST_F(gpu_order, four_threads_with_streams_of_their_own_give_what_one_does) {
    const auto works = mixed_works();
    const auto first = serial(works);
    for (int round = 0; round < 5; ++round) {
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                const test::stream stream = test::make_stream();
                for (std::size_t i = t; i < works.size(); i += 4)
                    works[i]->start(cuda{.stream = stream.get()});
                test::must(cudaStreamSynchronize(stream.get()), "a thread's stream");
            });
        for (std::thread& t : threads) t.join();
        expect_same(results_of(works), first);
        if (HasFatalFailure()) return;
    }
}

// Also of shapes that no call has met before: plans are made during the capture.
TEST_F(gpu_order, a_graph_replayed_a_hundred_times_gives_what_calls_do) {
    for (const bool cold : {true, false}) {
        const auto works = mixed_works();
        const test::stream stream = test::make_stream();
        std::vector<std::vector<float>> first;
        if (!cold) first = serial(works);
        std::optional<test::graph> ready;
        std::thread([&] {  // one without plans
            ready.emplace([&](const cuda& where) {
                for (const auto& w : works) w->start(where);
            });
        })
            .join();
        if (cold) first = serial(works);
        for (int replay = 0; replay < 100; ++replay) {
            ready->launch(stream.get());
            expect_same(results_of(works), first);
            if (HasFatalFailure()) return;
        }
    }
}

std::size_t programmatic_edges(cudaGraph_t graph) {
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const auto edges_of = cudaGraphGetEdges;
#else
    const auto edges_of = cudaGraphGetEdges_v2;
#endif
    test::must(edges_of(graph, nullptr, nullptr, nullptr, &count), "edges");
    std::vector<cudaGraphNode_t> from(count), to(count);
    std::vector<cudaGraphEdgeData> edges(count);
    test::must(edges_of(graph, from.data(), to.data(), edges.data(), &count), "edges");
    return static_cast<std::size_t>(std::ranges::count_if(
        edges, [](const auto& e) { return e.type == cudaGraphDependencyTypeProgrammatic; }));
}

// If several graphs run at once, a kernel that waits for its predecessor over such an edge may wait
// for ever (ADR 0081).
TEST_F(gpu_order, kernels_of_a_graph_do_not_overlap) {
    const auto works = mixed_works();
    const test::graph all([&](const cuda& where) {
        for (const auto& w : works) w->start(where);
    });
    std::size_t nodes = 0;
    test::must(cudaGraphGetNodes(all.get(), nullptr, &nodes), "nodes");
    EXPECT_GT(nodes, works.size());  // some pack first
    EXPECT_EQ(programmatic_edges(all.get()), 0U);
}

// A row of C for the first M rows of A.
template <class T, class O>
std::vector<O> row_of(std::size_t own, const mirrored<T>& rows, const mirrored<T>& b, std::size_t m,
                      bool invariant, f32_as as) {
    const std::size_t k = b.rows();
    const std::size_t n = b.cols();
    mirrored<O> c(m, n, {std::ptrdiff_t(n), 1});
    c.upload();
    matrix_product(cuda{.batch_invariant = invariant, .f32 = as}, rows.view().block(0, 0, m, k),
                   b.view(), c.view());
    c.download();
    std::vector<O> row;
    for (std::size_t j = 0; j < n; ++j) row.push_back(c.here(own, j));
    return row;
}

template <class T, class O>
void check_invariance(std::size_t n, std::size_t k, std::size_t own = 0, bool b_by_rows = false,
                      f32_as as = f32_as::f32) {
    test::skip_without(as);
    constexpr std::size_t most = 4096;
    mirrored<T> a(most, k, {std::ptrdiff_t(k), 1});
    mirrored<T> b(k, n, b_by_rows ? strides{std::ptrdiff_t(n), 1} : strides{1, std::ptrdiff_t(k)});
    a.fill_random(1);
    b.fill_random(2);
    const std::vector<O> with = row_of<T, O>(own, a, b, most, true, as);
    const std::vector<O> without = row_of<T, O>(own, a, b, most, false, as);
    int others = 0;
    for (const std::size_t m :
         {1u, 2u, 3u, 8u, 16u, 17u, 32u, 64u, 65u, 100u, 128u, 200u, 256u, 512u, 1000u}) {
        if (m <= own) continue;
        EXPECT_TRUE(test::same_bits(row_of<T, O>(own, a, b, m, true, as), with))
            << m << " rows of " << name(dtype_of_v<T>) << " as " << static_cast<int>(as);
        if (!test::same_bits(row_of<T, O>(own, a, b, m, false, as), without)) ++others;
    }
    // The test needs a difference to be able to fail. fp8 sums of few bits may be exact in any
    // order.
    if (is_fp8(dtype_of_v<T>)) return;
    EXPECT_GT(others, 0) << "of " << name(dtype_of_v<T>)
                         << " no number of rows changed the bits without batch_invariant either";
}

TEST_F(gpu_order, batch_invariant_bits_of_a_row_do_not_depend_on_the_others) {
    check_invariance<bf16, float>(1024, 4096);
    // Many rows use stream-K.
    check_invariance<bf16, float>(1280, 4096);
    check_invariance<e4m3, float>(1280, 4096);
    // Unaligned rows of A, one of which is aligned differently from the first.
    check_invariance<bf16, float>(2048, 4095, 5, true);
    check_invariance<f16, f16>(512, 8192);
    check_invariance<e4m3, float>(512, 4096);
    check_invariance<float, float>(512, 4096);
    // Products with up to 16 rows and this many columns are swapped, if allowed.
    check_invariance<float, float>(4096, 2048, 0, false, f32_as::three_tf32);
    check_invariance<float, float>(4096, 1000, 7, true, f32_as::three_tf32);
    check_invariance<float, float>(512, 4096, 0, false, f32_as::tf32);
    check_invariance<double, double>(256, 2048);
}

// Combines all that an epilogue can request: a factor, a bias and an E, and a C whose rows are not
// multiples of 16 bytes. Each takes its own path through a narrow tile.
TEST_F(gpu_order, batch_invariant_bits_of_a_finished_row_do_not_depend_on_the_others) {
    constexpr std::size_t most = 2048;
    constexpr std::size_t k = 1024;
    for (const std::size_t n : {512u, 510u, 513u}) {
        mirrored<bf16> a(most, k, {std::ptrdiff_t(k), 1});
        mirrored<bf16> b(k, n, {1, std::ptrdiff_t(k)});
        mirrored<float> e(most, n, {std::ptrdiff_t(n), 1});
        a.fill_random(1);
        b.fill_random(2);
        for (std::size_t i = 0; i < k; ++i) b.here(i, 7) = bf16(0.0F);  // a zero has a sign, too
        b.upload();
        e.fill_random(3);
        std::vector<float> shifts(n);
        for (std::size_t j = 0; j < n; ++j) shifts[j] = 0.1F * static_cast<float>(j % 97);
        const auto there = test::on_device(shifts.data(), n * sizeof(float));
        const std::span<const float> added(static_cast<const float*>(there.get()), n);
        // What is added to a zero without changing its sign.
        const std::vector<float> zeros(most, -0.0F);
        const auto zeros_there = test::on_device(zeros.data(), most * sizeof(float));
        const auto no_shift = [&](std::size_t count) {
            return std::span<const float>(static_cast<const float*>(zeros_there.get()), count);
        };
        const auto row_of_these = [&](std::size_t m, int how, bool invariant) {
            mirrored<float> c(m, n, {std::ptrdiff_t(n), 1});
            c.upload();
            const cuda where{.batch_invariant = invariant};
            const auto rows = a.view().block(0, 0, m, k);
            if (how == 0)
                matrix_product(where, rows, b.view(), c.view(), scale(0.3) | bias(added));
            else if (how == 1)
                matrix_product(where, rows, b.view(), c.view(), scale(0.3) | bias(added) | gelu);
            else if (how == 2)
                matrix_product(where, scaled(0.7, rows), b.view(),
                               scaled(-0.9, e.view().block(0, 0, m, n)), c.view(),
                               scale(0.3) | bias(added));
            else if (how == 3)
                matrix_product(where, scaled(-1.0, rows), b.view(), c.view());
            else if (how == 4)
                matrix_product(where, scaled(-1.0, rows), b.view(), c.view(),
                               scale(added) | bias(no_shift(n)));
            else
                matrix_product(where, scaled(-1.0, rows), b.view(), c.view(),
                               scale(added) | bias(no_shift(m), by::row));
            c.download();
            std::vector<float> row;
            for (std::size_t j = 0; j < n; ++j) row.push_back(c.here(0, j));
            return row;
        };
        for (const int how : {0, 1, 2, 3, 4, 5}) {
            const std::vector<float> expected = row_of_these(most, how, true);
            EXPECT_TRUE(how < 4 || std::signbit(expected[7])) << n << ", epilogue " << how;
            for (const std::size_t m : {1u, 2u, 16u, 33u, 64u, 100u, 128u, 300u, 1000u})
                EXPECT_TRUE(test::same_bits(row_of_these(m, how, true), expected))
                    << m << " rows of " << n << ", epilogue " << how;
        }
    }
}

}  // namespace
