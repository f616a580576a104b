// CTAs that share the K of a tile count in memory of the stream which of them have left their sums.
// Nobody else may count there: threads that each use their own default stream, and graphs that are
// replayed at the same time.
#include <memory>
#include <thread>

#include "tests/gpu_call/device.hpp"

namespace {

using namespace carat;
using test::mirrored;

class gpu_counters : public test::gpu_test {};

// A product of few tiles and much K, with a C of its own.
struct counted_work {
    virtual ~counted_work() = default;
    virtual void start(const cuda& where) const = 0;
    // Whether C has the bits of the first call, after all work; then C is poison again.
    [[nodiscard]] virtual bool is_as_at_first() = 0;
};

template <class T, class O>
class counted_product final : public counted_work {
  public:
    counted_product(std::size_t m, std::size_t n, std::size_t k, f32_as as = f32_as::f32)
        : a_(m, k, {std::ptrdiff_t(k), 1}),
          b_(k, n, {std::ptrdiff_t(n), 1}),
          c_(m, n, {std::ptrdiff_t(n), 1}),
          as_(as) {
        if constexpr (std::is_integral_v<T>) {
            a_.fill_whole(1);
            b_.fill_whole(2);
        } else {
            a_.fill_random(1);
            b_.fill_random(2);
        }
        c_.upload();
        start(cuda{});
        first_ = c_.download().elements();
        c_.fill_poison();
    }
    void start(const cuda& where) const override {
        cuda how = where;
        how.f32 = as_;
        matrix_product(how, a_.view(), b_.view(), c_.view());
    }
    [[nodiscard]] bool is_as_at_first() override {
        const bool same = test::same_bits(c_.download().elements(), first_);
        c_.fill_poison();
        return same;
    }

  private:
    mirrored<T> a_, b_;
    mirrored<O> c_;
    f32_as as_;
    std::vector<O> first_;
};

std::vector<std::unique_ptr<counted_work>> works_that_share_k() {
    std::vector<std::unique_ptr<counted_work>> all;
    all.push_back(std::make_unique<counted_product<bf16, float>>(64, 64, 16384));
    all.push_back(std::make_unique<counted_product<bf16, bf16>>(200, 136, 8192));
    all.push_back(std::make_unique<counted_product<float, float>>(64, 64, 8192));
    all.push_back(std::make_unique<counted_product<float, float>>(65, 67, 8193));
    all.push_back(std::make_unique<counted_product<float, float>>(96, 81, 8193, f32_as::tf32));
    all.push_back(std::make_unique<counted_product<double, double>>(64, 64, 8192));
    all.push_back(std::make_unique<counted_product<std::int8_t, std::int32_t>>(64, 64, 16384));
    return all;
}

void expect_as_at_first(const std::vector<std::unique_ptr<counted_work>>& works) {
    for (std::size_t i = 0; i < works.size(); ++i) EXPECT_TRUE(works[i]->is_as_at_first()) << i;
}

TEST_F(gpu_counters, default_streams_of_threads_have_their_own) {
    constexpr std::size_t threads = 6;
    test::skip_without(dtype::bf16);
    std::vector<std::vector<std::unique_ptr<counted_work>>> of_threads;
    for (std::size_t t = 0; t < threads; ++t) of_threads.push_back(works_that_share_k());
    for (int round = 0; round < 5; ++round) {
        std::vector<std::thread> all;
        for (const auto& works : of_threads)
            all.emplace_back([&works] {
                for (int again = 0; again < 4; ++again)
                    for (const auto& w : works) w->start(cuda{.stream = cudaStreamPerThread});
                test::must(cudaStreamSynchronize(cudaStreamPerThread), "a thread's stream");
            });
        for (std::thread& t : all) t.join();
        for (const auto& works : of_threads) expect_as_at_first(works);
        if (HasFailure()) return;
    }
}

TEST_F(gpu_counters, graphs_at_the_same_time_have_their_own) {
    test::skip_without(dtype::bf16);
    const auto first = works_that_share_k(), second = works_that_share_k();
    const auto calls = works_that_share_k();
    const auto start_all = [](const auto& works) {
        return [&works](const cuda& where) {
            for (const auto& w : works) w->start(where);
        };
    };
    test::graph one(start_all(first)), other(start_all(second));
    const test::stream x = test::make_stream(), y = test::make_stream(), z = test::make_stream();
    for (int round = 0; round < 5; ++round) {
        for (int again = 0; again < 10; ++again) {
            one.launch(x.get());
            other.launch(y.get());
            start_all(calls)(cuda{.stream = z.get()});
        }
        for (const auto* works : {&first, &second, &calls}) expect_as_at_first(*works);
        if (HasFailure()) return;
    }
}

}  // namespace
