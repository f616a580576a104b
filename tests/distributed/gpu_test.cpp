// The same products with a GPU for each rank, through NCCL and through the driver's copies. Skipped
// where there are fewer GPUs than ranks.
#include <atomic>
#include <gtest/gtest.h>

#include <carat/distributed_gpu.hpp>
#include <carat/error.hpp>

#include "tests/distributed/several_gpus.hpp"
#include "tests/distributed/trial.hpp"

namespace carat::test {
namespace {

using ranks::gpu::driver;

// One rank's part of a trial.
void multiply_on_gpu(ranks::communicator& comm, const trial& t, verify::exact_kind exact,
                     whole_matrix_bytes& result, std::mutex& collecting) {
    const trial_layouts l(t);
    trial_operands all(t, exact);
    rank_parts own(t, l, comm.rank(), all.a, all.b, all.c);
    on_gpu my_a(own.a), my_b(own.b), my_c(own.c);
    product_of(comm, t, l, my_a, my_b, my_c)();
    ranks::gpu::check(driver().stream_wait(ranks::place_of(comm).stream), "cuStreamSynchronize");
    my_c.fetch();
    const std::lock_guard hold(collecting);
    own.c.give(result);
}

// Makes all trials with one set of communicators, which NCCL takes a second to make.
void expect_exact(const std::vector<trial>& trials, ranks::gpu_transport by,
                  verify::exact_kind exact) {
    std::vector<whole_matrix_bytes> results;
    for (const trial& t : trials) results.emplace_back(t.m, t.n, t.types.out);
    std::mutex collecting;
    ranks::with_gpus(
        trials.front().size,
        [&](ranks::communicator& comm) {
            for (std::size_t i = 0; i < trials.size(); ++i)
                multiply_on_gpu(comm, trials[i], exact, results[i], collecting);
        },
        by);
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const trial& t = trials[i];
        EXPECT_EQ(trial_operands(t, exact).verdict(t, results[i]), "");
    }
}

class on_gpus : public several_gpus {};
INSTANTIATE_TEST_SUITE_P(all, on_gpus, testing::ValuesIn(several_gpus::counts), several_gpus::name);

constexpr element_types on_a_gpu[] = {all_types[0], all_types[1], all_types[2],
                                      all_types[4], all_types[5], all_types[6]};

TEST_P(on_gpus, random_products_are_exact) {
    std::mt19937 engine(static_cast<unsigned>(GetParam().count));
    for (const auto exact : {verify::exact_kind::sums, verify::exact_kind::significands}) {
        std::vector<trial> trials(15);
        for (trial& t : trials)
            t = random_trial(GetParam().count, engine, engine() % 4 == 0 ? 1500 : 90, on_a_gpu);
        expect_exact(trials, GetParam().by, exact);
    }
}

// It multiplies nothing, so that the driver and NCCL may be those of tests/distributed/fake.
TEST_P(on_gpus, matrices_move_between_layouts) {
    const int size = GetParam().count;
    std::mt19937 engine(11);
    whole_matrix_bytes whole(137, 150, dtype::f32);
    for (std::byte& b : whole.data) b = static_cast<std::byte>(engine());
    std::atomic<int> right{0};
    int all = 0;
    std::vector<std::pair<ranks::distribution, ranks::distribution>> pairs;
    for (const kind from : all_kinds)
        for (const kind to : all_kinds) {
            const auto best = ranks::best_layouts(137, 41, 150, size).a;
            pairs.emplace_back(layout(from, 137, 150, size, best, engine),
                               layout(to, 137, 150, size, best, engine));
            all += size;
        }
    ranks::with_gpus(
        size,
        [&](ranks::communicator& comm) {
            for (const auto& [from, to] : pairs) {
                local_part source(from, comm.rank(), dtype::f32, true),
                    target(to, comm.rank(), dtype::f32, true),
                    expected(to, comm.rank(), dtype::f32, true);
                source.take(whole);
                expected.take(whole);
                on_gpu mine(source), got(target);
                ranks::detail::redistribute(comm, {mine.view(dtype::f32, 1), from},
                                            {got.view(dtype::f32, 1), to});
                ranks::gpu::check(driver().stream_wait(ranks::place_of(comm).stream), "wait");
                got.fetch();
                right += target.data == expected.data ? 1 : 0;
            }
        },
        GetParam().by);
    EXPECT_EQ(right, all);
}

TEST_P(on_gpus, large_products_in_pieces_are_exact) {
    std::vector<trial> trials;
    for (const element_types& types : {all_types[4], all_types[0]}) {
        trial t{.m = 3000, .n = 2500, .k = 2000, .size = GetParam().count, .types = types};
        t.a = t.b = t.c = kind::best;
        trials.push_back(t);
        t.k = 20000;
        t.m = t.n = 500;  // K is split
        trials.push_back(t);
        t.m = t.n = 1024;  // and C added up in turns
        t.a = kind::columns;
        t.b = t.c = kind::rows;
        t.along = ranks::dimension::k;
        trials.push_back(t);
    }
    expect_exact(trials, GetParam().by, verify::exact_kind::sums);
}

}  // namespace
}  // namespace carat::test
