// Products whose threads share packed panels of B or divide K: the bits are those of one thread,
// whether threads come in time, late, or one after the other.
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cpu/engine.hpp"
#include "cpu/machine.hpp"
#include "cpu/make_task.hpp"

namespace {

using namespace carat;

template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-9, 9);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& x : values) x = static_cast<T>(uniform(engine));
    return values;
}

template <class T>
class one_product {
  public:
    one_product(std::int64_t m, std::int64_t n, std::int64_t k, const plan::blocking& blocks,
                bool c_by_rows)
        : p_(core::row_major_problem(dtype_of_v<T>, m, n, k)),
          blocks_(blocks),
          a_(random_values<T>(m * k, 1)),
          b_(random_values<T>(k * n, 2)),
          before_(random_values<T>(m * n, 3)) {
        if (!c_by_rows) p_.c_layout = {1, m};
    }

    core::problem& problem() { return p_; }

    [[nodiscard]] std::string explain(int threads) const { return make(threads).explain(); }

    // C by so many threads.
    std::vector<T> by(int threads, const cpu_engine::epilogue_request* last = nullptr,
                      const detail::prepared_operand* ready = nullptr) const {
        const cpu_engine::product made = make(threads, last, ready);
        cpu_engine::workspace memory;
        std::vector<T> c = before_;
        made.run({a_.data(), b_.data(), c.data(), before_.data()},
                 memory.reserve(std::max<std::size_t>(made.workspace_bytes(), 1)));
        return c;
    }

    void prepare(detail::prepared_operand& ready) const {
        ready.place = side::left;
        cpu_engine::pack_operand(ready, kernels(), p_.a_type,
                                 cpu_engine::operand(a_.data(), p_.a_type, p_.k, 1), p_.m, p_.k);
    }

  private:
    static const cpu_engine::kernel_set& kernels() {
        return cpu_engine::kernels_for(core::isa_in_use());
    }
    [[nodiscard]] cpu_engine::product make(int threads,
                                           const cpu_engine::epilogue_request* last = nullptr,
                                           const detail::prepared_operand* ready = nullptr) const {
        return {p_, threads, kernels(), blocks_, last, ready};
    }

    core::problem p_;
    plan::blocking blocks_;
    std::vector<T> a_;
    std::vector<T> b_;
    std::vector<T> before_;
};

template <class T>
bool same(const std::vector<T>& x, const std::vector<T>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

constexpr int counts[] = {2, 3, 5, 16, 64};
constexpr auto sharing = "threads together";
constexpr auto divided_k = "parts of K";

bool says(const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
}

template <class T>
class many_threads : public testing::Test {};

// Kernels see 1201 x 203 x 211 in either order of C: several threads have the same columns.
template <class T>
one_product<T> of_many_rows(const plan::blocking& blocks, bool c_by_rows) {
    if (c_by_rows) return {203, 1201, 211, blocks, c_by_rows};
    return {1201, 203, 211, blocks, c_by_rows};
}

using types = testing::Types<double, float, std::int32_t>;
TYPED_TEST_SUITE(many_threads, types);

// Panels have several columns of blocks and several blocks of depths, and the last ones are ragged.
TYPED_TEST(many_threads, share_panels_of_b_with_the_same_bits) {
    using T = TypeParam;
    int shared = 0;
    for (const bool c_by_rows : {true, false}) {
        for (const plan::blocking& blocks :
             {plan::blocking{.mc = 48, .nc = 100, .kc = 37}, plan::blocking{.kc = 200}}) {
            one_product<T> of = of_many_rows<T>(blocks, c_by_rows);
            of.problem().beta = 2;
            const std::vector<T> serial = of.by(1);
            for (const int threads : counts) {
                shared += says(of.explain(threads), sharing) ? 1 : 0;
                EXPECT_TRUE(same(of.by(threads), serial)) << threads << " " << c_by_rows;
            }
        }
    }
    EXPECT_EQ(shared, 2 * 2 * 5);
}

// One thread reads B where it lies; 16 pack it together where their columns exceed L2.
TEST(shared_panels, of_what_one_thread_reads_have_the_same_bits) {
    const one_product<float> of(1100, 1000, 4600, {}, true);
    const bool exceeds_l2 = cpu_engine::this_machine().l2_bytes <= 2 << 20;
    EXPECT_TRUE(says(of.explain(16), sharing) || !exceeds_l2) << of.explain(16);
    EXPECT_TRUE(same(of.by(16), of.by(1)));
}

TYPED_TEST(many_threads, add_parts_of_k_in_order) {
    using T = TypeParam;
    int divided = 0;
    for (const bool c_by_rows : {true, false}) {
        one_product<T> of(70, 45, 9000, {.mc = 0, .nc = 0, .kc = 250}, c_by_rows);
        of.problem().beta = 3;
        const std::vector<T> serial = of.by(1);
        for (const int threads : counts) {
            divided += says(of.explain(threads), divided_k) ? 1 : 0;
            EXPECT_TRUE(same(of.by(threads), serial)) << threads << " " << c_by_rows;
        }
    }
    EXPECT_GE(divided, 2 * 2) << "16 and 5 threads";
}

// Depths of the unpacked path.
TEST(parts_of_k, of_operands_that_are_read_where_they_lie) {
    one_product<double> of(24, 12, 300'000, {}, true);
    EXPECT_TRUE(says(of.explain(16), divided_k)) << of.explain(16);
    EXPECT_TRUE(same(of.by(16), of.by(1)));
}

// C is not just the sum of the parts.
TEST(parts_of_k, are_not_taken_with_another_alpha_or_an_epilogue) {
    one_product<double> of(70, 45, 9000, {.mc = 0, .nc = 0, .kc = 250}, true);
    ASSERT_TRUE(says(of.explain(16), divided_k));
    const cpu_engine::epilogue_request last{{}, of.problem().c_layout};
    EXPECT_TRUE(same(of.by(16, &last), of.by(1, &last)));
    of.problem().alpha = 0.7;
    EXPECT_FALSE(says(of.explain(16), divided_k));
    EXPECT_TRUE(same(of.by(16), of.by(1)));
}

TEST(shared_panels, serve_prepared_operands_and_epilogues) {
    one_product<double> of = of_many_rows<double>({.mc = 48, .nc = 96, .kc = 40}, false);
    ASSERT_TRUE(says(of.explain(5), sharing));
    const cpu_engine::epilogue_request last{{}, of.problem().c_layout};
    of.problem().alpha = 0.7;
    of.problem().beta = 0.3;
    EXPECT_TRUE(same(of.by(5, &last), of.by(1, &last)));
    of.problem().beta = 0;
    detail::prepared_operand ready;
    of.prepare(ready);
    EXPECT_TRUE(same(of.by(5, nullptr, &ready), of.by(1)));
}

// Few columns are a path of their own, which a prepared operand must not leave for panels.
TYPED_TEST(many_threads, keep_the_path_of_few_columns_with_a_prepared_operand) {
    using T = TypeParam;
    if constexpr (std::is_floating_point_v<T>) {
        for (const std::int64_t few : {2, 3, 5}) {
            one_product<T> of(4000, few, 401, {}, false);
            of.problem().beta = 2;
            ASSERT_TRUE(says(of.explain(16), "skinny")) << of.explain(16);
            detail::prepared_operand ready;
            of.prepare(ready);
            const std::vector<T> serial = of.by(1);
            for (const int threads : counts)
                EXPECT_TRUE(same(of.by(threads, nullptr, &ready), serial)) << few << " " << threads;
        }
    }
}

class on_other_threads {
  public:
    explicit on_other_threads(core::detail::other_pool run) { core::run_pieces_on(run, nullptr); }
    on_other_threads(const on_other_threads&) = delete;
    on_other_threads& operator=(const on_other_threads&) = delete;
    ~on_other_threads() { core::run_pieces_on(nullptr, nullptr); }
};

// All pieces on one thread, the last first: a thread waits for none that has not come.
TEST(shared_panels, are_multiplied_by_one_thread_that_does_all) {
    const auto of = of_many_rows<double>({.mc = 48, .nc = 100, .kc = 37}, true);
    ASSERT_TRUE(says(of.explain(6), sharing) && says(of.explain(16), sharing));
    const std::vector<double> serial = of.by(1);
    const on_other_threads backward([](void*, int pieces, int threads,
                                       core::detail::piece_function function, const void* work) {
        for (int piece = pieces - 1; piece >= 0; --piece) function(work, piece, piece % threads);
    });
    EXPECT_TRUE(same(of.by(16), serial));
}

// A thread of each group comes when the others have left.
TEST(shared_panels, are_finished_without_a_thread_that_comes_late) {
    const auto of = of_many_rows<double>({.mc = 48, .nc = 100, .kc = 37}, true);
    ASSERT_TRUE(says(of.explain(6), sharing) && says(of.explain(16), sharing));
    const std::vector<double> serial = of.by(1);
    const on_other_threads late(
        [](void*, int pieces, int, core::detail::piece_function function, const void* work) {
            std::vector<std::thread> in_time;
            for (int piece = 1; piece < pieces; piece += 2)
                in_time.emplace_back([=] { function(work, piece, piece); });
            for (std::thread& one : in_time) one.join();
            for (int piece = 0; piece < pieces; piece += 2) function(work, piece, piece);
        });
    EXPECT_TRUE(same(of.by(6), serial));
}

// Threads sleep when they wait long, and many rounds leave no count behind.
TEST(shared_panels, have_the_same_bits_again_and_again) {
    const auto of = of_many_rows<float>({.mc = 48, .nc = 48, .kc = 16}, true);
    ASSERT_TRUE(says(of.explain(16), sharing));
    const std::vector<float> serial = of.by(1);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(same(of.by(16), serial)) << i;
}

}  // namespace
