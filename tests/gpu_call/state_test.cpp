// A call while other things happen: other threads make plans, it is the first in a capture, or
// memory is full.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <thread>

#include "tests/gpu_call/one_product.hpp"

namespace {

using namespace carat;
using test::line;
using test::mirrored;

class gpu_state : public test::gpu_test {};

// Products of more sizes than a thread keeps plans of, with as many failures as there are.
template <class T>
int failures_of(const mirrored<T>& a, const mirrored<T>& b, unsigned thread, std::string& why) {
    const test::stream stream = test::make_stream();
    mirrored<T> c(a.rows(), b.cols(), {std::ptrdiff_t(b.cols()), 1});
    c.upload();
    int failures = 0;
    for (unsigned call = 0; call < 250; ++call) {
        const auto extent = [&](std::size_t most, unsigned other) {
            return 1 + test::bits_for(thread, call, other) % most;
        };
        const std::size_t m = call % 3 == 0 ? extent(64, 0) : extent(a.rows(), 0);
        const std::size_t n = extent(b.cols(), 1);
        try {
            matrix_product(cuda{.stream = stream.get()}, a.view().block(0, 0, m, a.cols()),
                           b.view().block(0, 0, b.rows(), n), c.view().block(0, 0, m, n));
        } catch (const error& e) {
            ++failures;
            why = e.what();
        }
    }
    test::must(cudaStreamSynchronize(stream.get()), "a thread's stream");
    c.download();
    const double exact = test::whole_sums(1, 1, a.cols())(0, 0);
    return failures + (static_cast<double>(c.here(0, 0)) == exact ? 0 : 1);
}

// A kernel that serves several products is granted shared memory for all of them: one thread's
// plan must not take another's away.
TEST_F(gpu_state, sixteen_threads_make_plans_for_the_same_kernels_and_none_fails) {
    mirrored<double> a(1100, 48, {48, 1});
    mirrored<double> b(48, 1300, {1300, 1});
    mirrored<float> x(1100, 48, {48, 1});
    mirrored<float> y(48, 1300, {1300, 1});
    a.fill_whole('a');
    b.fill_whole('b');
    x.fill_whole('a');
    y.fill_whole('b');
    std::atomic<int> failures = 0;
    std::array<std::string, 16> why;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < why.size(); ++t)
        threads.emplace_back([&, t] {
            failures += t % 2 == 0 ? failures_of(a, b, t, why[t]) : failures_of(x, y, t, why[t]);
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(failures, 0) << why[0] << why[1];
}

// Captures what `start` does on a stream, in a thread that has made no plan, and replays it.
void replay_first_call(const std::function<void(const cuda&)>& start) {
    const test::stream stream = test::make_stream();
    std::optional<test::graph> captured;
    std::string refused;
    std::thread([&] {
        captured.emplace([&](const cuda& where) {
            try {
                start(where);
            } catch (const error& why) {
                refused = why.what();
            }
        });
    }).join();
    EXPECT_EQ(refused, "");
    captured->launch(stream.get());
    test::must(cudaStreamSynchronize(stream.get()), "replay");
}

// C is what a direct call makes of it, by `start`.
template <class O>
void check_first_call(mirrored<O>& c, const std::function<void(const cuda&)>& start) {
    c.fill_poison();
    replay_first_call(start);
    const std::vector<O> replayed = c.download().elements();
    c.fill_poison();
    start(cuda{});
    EXPECT_TRUE(test::same_bits(c.download().elements(), replayed));
}

TEST_F(gpu_state, a_first_call_that_lends_itself_memory_may_be_captured) {
    mirrored<float> a(40, 64, {64, 1});
    mirrored<float> b(64, 96, {96, 1});
    mirrored<bf16> c(40, 96, {96, 1});
    mirrored<float> gated(40, 48, {48, 1});
    mirrored<bf16> narrow(40, 64, {64, 1});
    mirrored<bf16> odd(64, 96, {97, 1});
    a.fill_random(1);
    b.fill_random(2);
    narrow.fill_random(3);
    odd.fill_random(4);
    const line<float> shifts(96, 1);
    check_first_call(c, [&](const cuda& where) {
        matrix_product(where, a.view(), b.view(), c.view(), relu | scale(2.0));
    });
    check_first_call(gated, [&](const cuda& where) {
        matrix_product(where, narrow.view(), odd.view(), gated.view(), swiglu);
    });
    check_first_call(c, [&](const cuda& where) {  // a sum of nothing, and its epilogue
        matrix_product(where, narrow.view().block(0, 0, 40, 0), odd.view().block(0, 0, 0, 96),
                       c.view(), bias(shifts.there()) | gelu);
    });
}

// More products than a thread keeps plans of, each with an epilogue kernel.
TEST_F(gpu_state, a_long_list_may_be_captured) {
    constexpr std::size_t count = 80;
    mirrored<float> a(count, 32, {32, 1});
    mirrored<float> b(32, 96, {96, 1});
    mirrored<bf16> c(count * count, 96, {96, 1});
    a.fill_random(1);
    b.fill_random(2);
    std::vector<matrix_view<float>> as;
    std::vector<matrix_view<bf16>> cs;
    for (std::size_t i = 0; i < count; ++i) {
        as.push_back(a.view().block(0, 0, i + 1, 32));
        cs.push_back(c.view().block(i * count, 0, i + 1, 96));
    }
    check_first_call(c, [&](const cuda& where) {
        matrix_products(where, listed(as), b.view(), listed(cs), silu | scale(2.0));
    });
}

TEST_F(gpu_state, c_may_be_memory_of_the_graph) {
    mirrored<f16> a(70, 64, {64, 1});
    mirrored<f16> b(64, 80, {80, 1});
    mirrored<f16> c(70, 80, {80, 1});
    a.fill_random(1);
    b.fill_random(2);
    check_first_call(c, [&](const cuda& where) {
        void* memory = nullptr;
        const std::size_t bytes = 70 * 80 * sizeof(f16);
        test::must(cudaMallocAsync(&memory, bytes, where.stream), "cudaMallocAsync");
        matrix_product(where, a.view(), b.view(),
                       matrix_view<f16>(static_cast<f16*>(memory), 70, 80));
        test::must(
            cudaMemcpyAsync(c.view().data(), memory, bytes, cudaMemcpyDeviceToDevice, where.stream),
            "cudaMemcpyAsync");
        test::must(cudaFreeAsync(memory, where.stream), "cudaFreeAsync");
    });
}

// Takes all memory except for less than a mebibyte and what is to be left.
class hoard {
  public:
    explicit hoard(std::size_t left_bytes) {
        const test::device_memory left = test::on_device(nullptr, left_bytes);
        for (std::size_t bytes = std::size_t{1} << 34; bytes >= 1U << 20;) {
            void* memory = nullptr;
            if (cudaMalloc(&memory, bytes) == cudaSuccess)
                all_.emplace_back(memory);
            else
                bytes /= 2;
        }
        cudaGetLastError();
    }

  private:
    std::vector<test::device_memory> all_;
};

// Runs in a fresh process without loaded kernels: checks the call's error while memory is full, and
// C afterwards; the process exits with 0 if both are right.
template <class T, class O>
void multiply_in_full_memory(std::size_t left_bytes, std::ptrdiff_t stride,
                             const std::function<void(const cuda&)>& before) {
    mirrored<T> a(64, 200, {stride, 1});
    mirrored<T> b(200, 72, {72, 1});
    mirrored<O> c(64, 72, {72, 1});
    a.fill_whole('a');
    b.fill_whole('b');
    c.upload();
    before(cuda{});
    const auto multiply = [&] {
        matrix_product(cuda{}, a.view(), b.view(), c.view());
        test::must(cudaDeviceSynchronize(), "the product");
    };
    std::string refused = "memory was enough";
    {
        const hoard full(left_bytes);
        try {
            multiply();
        } catch (const error& why) {
            refused = why.what();
            if (why.code() != error_code::out_of_memory) refused = "no out_of_memory: " + refused;
        }
    }
    std::cerr << refused << '\n';
    multiply();
    c.download();
    const bool right = test::wrong_in(c.host(), [](std::size_t i, std::size_t j) {
                           return O(test::whole_sums(64, 72, 200)(i, j));
                       }).empty();
    std::cerr << (right ? "then right" : "then wrong") << '\n';
    std::exit(right ? 0 : 1);
}

constexpr std::size_t bytes_for_many = 8 * 2048 * 2048;

// Requests many kernels while memory is full: which fail then, and what each says later.
template <class T, class O>
void use_many_kernels(void* x, void* y, const std::function<void(const std::string&)>& told) {
    for (const std::size_t m : {1u, 16u, 64u, 130u, 300u, 1000u, 2000u})
        for (const std::size_t k : {64u, 136u, 1024u})
            for (const bool across : {false, true}) {
                const auto lies = [&](std::size_t rows, std::size_t cols) {
                    return test::layout(rows, cols, across ? 1 : 0);
                };
                const test::strides at = lies(m, k);
                const test::strides bt = lies(k, 1024);
                try {
                    matrix_product(cuda{}, matrix_view<T>(static_cast<T*>(x), m, k, at.row, at.col),
                                   matrix_view<T>(static_cast<T*>(x), k, 1024, bt.row, bt.col),
                                   matrix_view<O>(static_cast<O*>(y), m, 1024));
                    told("");
                } catch (const error& why) {
                    told(why.code() == error_code::out_of_memory ? "no memory" : why.what());
                }
            }
}

void use_all_types(void* x, void* y, const std::function<void(const std::string&)>& told) {
    use_many_kernels<double, double>(x, y, told);
    use_many_kernels<float, float>(x, y, told);
    use_many_kernels<f16, f16>(x, y, told);
    use_many_kernels<bf16, float>(x, y, told);
    use_many_kernels<e4m3, bf16>(x, y, told);
    use_many_kernels<std::int8_t, std::int32_t>(x, y, told);
}

[[noreturn]] void ask_for_many_kernels(std::size_t left_bytes) {
    std::map<std::string, int> while_full;
    std::map<std::string, int> later;
    const auto x = test::on_device(nullptr, bytes_for_many);
    const auto y = test::on_device(nullptr, bytes_for_many);
    {
        const hoard full(left_bytes);
        use_all_types(x.get(), y.get(), [&](const std::string& what) { ++while_full[what]; });
    }
    use_all_types(x.get(), y.get(), [&](const std::string& what) { ++later[what]; });
    for (const auto& [what, times] : while_full) std::cerr << times << " full: " << what << '\n';
    for (const auto& [what, times] : later) std::cerr << times << " later: " << what << '\n';
    const bool all_work = later.size() == 1 && later.contains("");
    const bool only_memory =
        while_full.size() == while_full.count("") + while_full.count("no memory");
    std::exit(all_work && only_memory && cudaDeviceSynchronize() == cudaSuccess ? 0 : 1);
}

class gpu_state_of_memory : public gpu_state {
  protected:
    void SetUp() override {
        gpu_state::SetUp();
        GTEST_FLAG_SET(death_test_style, "threadsafe");  // each in a process of its own
    }
};

constexpr const char* told = "on GPU 0, which has [0-9]+ free.*\nthen right";

TEST_F(gpu_state_of_memory, full_before_the_first_call_it_is_enough_for_the_next) {
    const auto nothing = [](const cuda&) {};
    EXPECT_EXIT((multiply_in_full_memory<float, float>(0, 200, nothing)),
                testing::ExitedWithCode(0), told);
    EXPECT_EXIT((multiply_in_full_memory<bf16, float>(0, 200, nothing)), testing::ExitedWithCode(0),
                told);
}

// Uses a kernel that was never used before.
void use_another_kernel(const cuda& where) {
    mirrored<double> a(8, 8, {8, 1});
    mirrored<double> c(8, 8, {8, 1});
    a.fill_whole('a');
    c.upload();
    matrix_product(where, a.view(), a.view(), c.view());
    c.download();
}

TEST_F(gpu_state_of_memory, full_before_a_kernel_is_loaded_it_spoils_none) {
    for (const std::size_t left : {0u, 4u << 20, 12u << 20})
        EXPECT_EXIT((multiply_in_full_memory<bf16, float>(left, 200, use_another_kernel)),
                    testing::ExitedWithCode(0), "then right")
            << left;
    EXPECT_EXIT((multiply_in_full_memory<f16, f16>(0, 201, use_another_kernel)),
                testing::ExitedWithCode(0), told);
}

TEST_F(gpu_state_of_memory, full_while_many_kernels_are_asked_for_it_spoils_none) {
    for (const std::size_t left : {0u, 2u << 20, 5u << 20, 8u << 20, 20u << 20})
        EXPECT_EXIT(ask_for_many_kernels(left), testing::ExitedWithCode(0), "later") << left;
}

TEST_F(gpu_state_of_memory, what_was_asked_for_and_what_is_free_is_said) {
    mirrored<f16> a(64, 300, {301, 1});
    mirrored<f16> b(300, 72, {72, 1});
    mirrored<f16> c(64, 72, {72, 1});
    a.fill_whole('a');
    b.fill_whole('b');
    c.upload();
    matrix_product(cuda{}, a.view(), b.view(), c.view());  // loads what packs A
    constexpr std::size_t many = 200'000;
    mirrored<f16> long_a(many, 300, {301, 1});
    mirrored<f16> long_c(many, 72, {72, 1});
    const hoard full(64U << 20);
    test::expect_refusal([&] { matrix_product(cuda{}, long_a.view(), b.view(), long_c.view()); },
                         error_code::out_of_memory, {" bytes, on GPU 0, which has ", " free"});
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
