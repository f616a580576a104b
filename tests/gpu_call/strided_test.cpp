// Batches of every type in one launch: every layout, distance, E and count has the values of a loop
// of single calls. Sums of whole numbers are exact however K is divided, so the bits must be the
// same; for other numbers only where K is not divided.
#include <tuple>

#include "tests/gpu_call/device.hpp"

namespace {

using namespace carat;
using test::mirrored;

struct shape {
    std::size_t m, n, k;
};

// Where the elements of a matrix are, and how far the next one of a batch is.
struct place {
    bool by_rows = true;
    std::size_t padding = 0;  // of a line
    std::size_t gap = 0;      // behind a matrix
};

template <class T>
class many {
  public:
    many(std::size_t rows, std::size_t cols, std::size_t count, const place& at)
        : rows_(rows),
          cols_(cols),
          count_(count),
          line_((at.by_rows ? cols : rows) + at.padding),
          by_rows_(at.by_rows),
          stride_(line_ * (at.by_rows ? rows : cols) + at.gap),
          memory_(count, stride_, {static_cast<std::ptrdiff_t>(stride_), 1}) {}

    [[nodiscard]] mirrored<T>& memory() { return memory_; }
    [[nodiscard]] matrix_view<T> view(std::size_t i) const {
        const auto line = static_cast<std::ptrdiff_t>(line_);
        return {memory_.view().data() + i * stride_, rows_, cols_, by_rows_ ? line : 1,
                by_rows_ ? 1 : line};
    }
    [[nodiscard]] auto batch() const {
        return strided(view(0), count_, static_cast<std::ptrdiff_t>(stride_));
    }
    [[nodiscard]] auto one_for_all() const { return strided(view(0), count_, 0); }
    [[nodiscard]] std::vector<T*> addresses() const {
        std::vector<T*> all;
        for (std::size_t i = 0; i < count_; ++i) all.push_back(view(i).data());
        return all;
    }

  private:
    std::size_t rows_, cols_, count_, line_;
    bool by_rows_;
    std::size_t stride_;
    mirrored<T> memory_;
};

enum class added { nothing, c, beside, other_layout, one_for_all };
constexpr added every_e[] = {added::nothing, added::c, added::beside, added::other_layout,
                             added::one_for_all};

struct given {
    shape of;
    std::size_t count;
    place a, b, c;
    added e = added::nothing;
    bool one_a = false;
    bool one_b = false;
};

std::string text(const given& g) {
    const auto at = [](const place& p) {
        return std::string(p.by_rows ? " rows+" : " cols+") + std::to_string(p.padding) + "+" +
               std::to_string(p.gap);
    };
    return std::to_string(g.count) + " of " + std::to_string(g.of.m) + "x" +
           std::to_string(g.of.n) + "x" + std::to_string(g.of.k) + at(g.a) + at(g.b) + at(g.c) +
           ", E " + std::to_string(static_cast<int>(g.e)) + (g.one_a ? ", one A" : "") +
           (g.one_b ? ", one B" : "");
}

// A batch and a loop, from the same initial memory.
template <class In, class Out>
class trial {
  public:
    trial(const given& g, bool of_whole_numbers)
        : g_(g),
          a_(g.of.m, g.of.k, g.count, g.a),
          b_(g.of.k, g.of.n, g.count, g.b),
          e_(g.of.m, g.of.n, g.count, place_of_e(g)),
          loop_(g.of.m, g.of.n, g.count, g.c),
          batch_(g.of.m, g.of.n, g.count, g.c) {
        unsigned operand = 1;
        const auto fill = [&](auto& x) {
            of_whole_numbers ? x.memory().fill_whole(operand++) : x.memory().fill_random(operand++);
        };
        fill(a_), fill(b_), fill(e_);
        operand = 9;
        fill(loop_);
        operand = 9;
        fill(batch_);
    }

    [[nodiscard]] bool agree(const cuda& where) {
        for (std::size_t i = 0; i < g_.count; ++i) one(where, i);
        all(where);
        return test::same_bits(loop_.memory().download().elements(),
                               batch_.memory().download().elements());
    }
    // The same at the addresses of A, B and C, after agree(), where nothing is added.
    [[nodiscard]] bool agree_at_pointers(const cuda& where) {
        batch_.memory().fill_poison();
        matrix_products(where, pointers(a_.addresses(), g_.of.m, g_.of.k),
                        pointers(b_.addresses(), g_.of.k, g_.of.n),
                        pointers(batch_.addresses(), g_.of.m, g_.of.n));
        return test::same_bits(loop_.memory().download().elements(),
                               batch_.memory().download().elements());
    }

  private:
    static place place_of_e(const given& g) {
        if (g.e == added::other_layout) return {!g.c.by_rows, 3, 5};
        return g.c;
    }

    void one(const cuda& where, std::size_t i) {
        const auto a = a_.view(g_.one_a ? 0 : i);
        const auto b = b_.view(g_.one_b ? 0 : i);
        const auto c = loop_.view(i);
        if (g_.e == added::nothing)
            matrix_product(where, a, b, c);
        else
            matrix_product(
                where, a, b,
                scaled(-1, g_.e == added::c ? c : e_.view(g_.e == added::one_for_all ? 0 : i)), c);
    }
    void all(const cuda& where) {
        const auto a = g_.one_a ? a_.one_for_all() : a_.batch();
        const auto b = g_.one_b ? b_.one_for_all() : b_.batch();
        const auto c = batch_.batch();
        if (g_.e == added::nothing)
            matrix_products(where, a, b, c);
        else
            matrix_products(where, a, b,
                            scaled(-1, g_.e == added::c             ? c
                                       : g_.e == added::one_for_all ? e_.one_for_all()
                                                                    : e_.batch()),
                            c);
    }

    given g_;
    many<In> a_;
    many<In> b_;
    many<Out> e_;
    many<Out> loop_;
    many<Out> batch_;
};

template <class I, class O, f32_as F32 = f32_as::f32>
struct kind {
    using in = I;
    using out = O;
    static constexpr f32_as f32 = F32;
};

template <class Kind>
class gpu_strided : public test::gpu_test {
  protected:
    void SetUp() override {
        gpu_test::SetUp();
        if (!IsSkipped()) test::skip_without(Kind::f32);
    }
    static void expect_loop(const given& g, bool batch_invariant = false) {
        const cuda where{.batch_invariant = batch_invariant, .f32 = Kind::f32};
        trial<typename Kind::in, typename Kind::out> both(g, !batch_invariant);
        EXPECT_TRUE(both.agree(where)) << text(g);
        ++tried;
    }
    static inline int tried = 0;
};

using kinds =
    testing::Types<kind<float, float>, kind<double, double>, kind<float, float, f32_as::tf32>,
                   kind<float, float, f32_as::three_tf32>, kind<bf16, bf16>, kind<f16, float>,
                   kind<e4m3, float>, kind<std::int8_t, std::int32_t>>;
TYPED_TEST_SUITE(gpu_strided, kinds);

constexpr shape shapes[] = {{8, 8, 8},     {32, 32, 32},   {64, 64, 64},  {100, 100, 100},
                            {33, 31, 65},  {130, 200, 48}, {1, 120, 130}, {120, 1, 130},
                            {64, 48, 700}, {130, 200, 900}};

TYPED_TEST(gpu_strided, sizes) {
    for (const shape& of : shapes)
        for (const std::size_t count : {1UL, 2UL, 7UL, 300UL})
            this->expect_loop({of, count, {}, {}, {}});
}

TYPED_TEST(gpu_strided, layouts_and_distances) {
    for (const shape& of : {shape{64, 64, 64}, {33, 31, 65}, {96, 160, 32}, {70, 100, 650}})
        for (const int layouts : {0, 1, 2, 3, 4, 5, 6, 7})
            for (const std::size_t odd : {0UL, 1UL, 16UL}) {
                const auto at = [&](int bit) { return place{(layouts & bit) == 0, odd, 2 * odd}; };
                this->expect_loop({of, 6, at(1), at(2), at(4)});
            }
}

TYPED_TEST(gpu_strided, what_is_added) {
    for (const shape& of : {shape{64, 64, 64}, {33, 31, 65}, {1, 90, 50}, {200, 1, 40}})
        for (const added e : every_e)
            for (const bool by_rows : {true, false})
                for (const std::size_t gap : {0UL, 7UL})
                    this->expect_loop({of, 5, {}, {}, {by_rows, 0, gap}, e});
}

// Persistent kernels of 8 and 16 bits take the tiles of all these products in turn.
TYPED_TEST(gpu_strided, products_of_several_tiles) {
    for (const shape& of : {shape{512, 520, 272}, {517, 523, 271}}) {
        for (const int layouts : {0, 1, 2, 3, 4})
            for (const std::size_t odd : {0UL, 1UL, 16UL}) {
                const auto at = [&](int bit) { return place{(layouts & bit) == 0, odd, 2 * odd}; };
                this->expect_loop({of, 20, at(1), at(2), at(4)});
            }
        for (const added e : every_e)
            for (const std::size_t gap : {0UL, 7UL})
                this->expect_loop({of, 20, {}, {}, {true, 0, gap}, e});
        for (const auto& [one_a, one_b] : {std::pair{true, false}, {false, true}})
            this->expect_loop({of, 20, {}, {}, {}, added::beside, one_a, one_b});
    }
}

// Products with one B whose rows continue from one to the next are a single product.
TYPED_TEST(gpu_strided, one_matrix_for_all) {
    for (const shape& of : {shape{64, 64, 64}, {33, 31, 65}, {1, 90, 50}})
        for (const std::size_t odd : {0UL, 1UL})
            for (const auto& [one_a, one_b] : {std::pair{true, false}, {false, true}, {true, true}})
                for (const added e : every_e)
                    this->expect_loop(
                        {of, 9, {true, odd, odd}, {false, odd, odd}, {}, e, one_a, one_b});
}

TYPED_TEST(gpu_strided, thousands_of_small_ones) {
    for (const shape& of : {shape{8, 8, 8}, {16, 16, 16}, {31, 17, 9}, {32, 32, 32}})
        this->expect_loop({of, 4096, {}, {}, {}, added::beside});
}

TYPED_TEST(gpu_strided, has_the_bits_of_a_loop_where_nothing_cuts_k) {
    for (const shape& of : shapes)
        for (const std::size_t count : {2UL, 40UL})
            this->expect_loop({of, count, {}, {}, {}}, true);
    this->expect_loop({{64, 64, 3000}, 3, {}, {}, {}, added::beside}, true);
    this->expect_loop({{512, 512, 128}, 5, {}, {}, {}, added::c}, true);
    for (const shape& of : shapes)
        this->expect_loop({of, 40, {}, {}, {}, added::beside, false, true}, true);
}

// A C of the operands' type and one of another, where the kinds above have the other.
TEST(gpu_strided_bits, are_those_of_a_loop_for_every_c) {
    if (const std::string why = test::reason_to_skip(); !why.empty()) GTEST_SKIP() << why;
    const cuda invariant{.batch_invariant = true};
    const auto expect_loop = [&](auto both, const given& g) {
        EXPECT_TRUE(both.agree(invariant)) << text(g);
        EXPECT_TRUE(g.one_b || both.agree_at_pointers(invariant)) << text(g);
    };
    for (const shape& of : {shape{8, 8, 8},
                            {64, 64, 64},
                            {128, 128, 64},
                            {16, 512, 700},
                            {33, 31, 65},
                            {200, 300, 48},
                            {1, 256, 256},
                            {512, 512, 128},
                            {128, 64, 1024}})
        for (const bool one_b : {false, true}) {
            const given g{of, 12, {}, {}, {}, one_b ? added::beside : added::nothing, false, one_b};
            expect_loop(trial<bf16, float>(g, false), g);
            expect_loop(trial<f16, f16>(g, false), g);
            expect_loop(trial<std::int8_t, std::int32_t>(g, false), g);
        }
}

// The plan of a single such product uses multicast, which that of several cannot; and epilogues.
TEST(gpu_strided_bits, are_those_of_a_loop_at_pointers_and_with_an_epilogue) {
    if (const std::string why = test::reason_to_skip(); !why.empty()) GTEST_SKIP() << why;
    const cuda invariant{.batch_invariant = true};
    const std::vector<float> values(96, 0.5F);
    const auto there = test::on_device(values.data(), values.size() * sizeof(float));
    const std::span<const float> shifts(static_cast<const float*>(there.get()), values.size());
    many<bf16> a(1000, 1000, 4, {}), b(1000, 1000, 4, {});
    many<float> loop(1000, 1000, 4, {}), at_once(1000, 1000, 4, {});
    many<bf16> x(100, 72, 12, {}), y(72, 96, 12, {}), z_loop(100, 96, 12, {}), z(100, 96, 12, {});
    a.memory().fill_random(1), b.memory().fill_random(2);
    x.memory().fill_random(1), y.memory().fill_random(2);
    loop.memory().upload(), at_once.memory().upload(), z_loop.memory().upload(),
        z.memory().upload();
    const auto some = [](const auto& of) {  // not at one distance
        return std::vector{of.view(0).data(), of.view(3).data(), of.view(1).data()};
    };
    for (const std::size_t i : {0u, 1u, 3u})
        matrix_product(invariant, a.view(i), b.view(i), loop.view(i));
    matrix_products(invariant, pointers(some(a), 1000, 1000), pointers(some(b), 1000, 1000),
                    pointers(some(at_once), 1000, 1000));
    for (std::size_t i = 0; i < 12; ++i)
        matrix_product(invariant, x.view(i), y.view(i), z_loop.view(i), bias(shifts) | silu);
    matrix_products(invariant, x.batch(), y.batch(), z.batch(), bias(shifts) | silu);
    EXPECT_TRUE(test::same_bits(loop.memory().download().elements(),
                                at_once.memory().download().elements()));
    EXPECT_TRUE(
        test::same_bits(z_loop.memory().download().elements(), z.memory().download().elements()));
}

TYPED_TEST(gpu_strided, backwards) {
    const given g{{40, 48, 64}, 6, {}, {}, {}};
    const cuda where{.f32 = TypeParam::f32};
    many<typename TypeParam::in> a(g.of.m, g.of.k, g.count, g.a);
    many<typename TypeParam::in> b(g.of.k, g.of.n, g.count, g.b);
    many<typename TypeParam::out> loop(g.of.m, g.of.n, g.count, g.c);
    many<typename TypeParam::out> batch(g.of.m, g.of.n, g.count, g.c);
    a.memory().fill_whole(1), b.memory().fill_whole(2);
    loop.memory().fill_whole(3), batch.memory().fill_whole(3);
    const auto last = g.count - 1;
    for (std::size_t i = 0; i < g.count; ++i)
        matrix_product(where, a.view(last - i), b.view(i), loop.view(last - i));
    matrix_products(
        where, strided(a.view(last), g.count, -static_cast<std::ptrdiff_t>(g.of.m * g.of.k)),
        b.batch(),
        strided(batch.view(last), g.count, -static_cast<std::ptrdiff_t>(g.of.m * g.of.n)));
    EXPECT_TRUE(
        test::same_bits(loop.memory().download().elements(), batch.memory().download().elements()));
}

TYPED_TEST(gpu_strided, none_is_nothing) {
    many<typename TypeParam::in> a(8, 8, 1, {});
    many<typename TypeParam::out> c(8, 8, 1, {});
    const auto before = c.memory().fill_whole(1).elements();
    matrix_products(cuda{.f32 = TypeParam::f32}, strided(a.view(0), 0, 64),
                    strided(a.view(0), 0, 64), strided(c.view(0), 0, 64));
    EXPECT_TRUE(test::same_bits(before, c.memory().download().elements()));
}

// The addresses have no common distance.
TYPED_TEST(gpu_strided, at_pointers) {
    for (const shape& of : {shape{64, 64, 64}, {100, 96, 80}, {1000, 1000, 64}}) {
        const std::size_t count = 6;
        many<typename TypeParam::in> a(of.m, of.k, count, {});
        many<typename TypeParam::in> b(of.k, of.n, count, {});
        many<typename TypeParam::out> loop(of.m, of.n, count, {});
        many<typename TypeParam::out> batch(of.m, of.n, count, {});
        a.memory().fill_whole(1), b.memory().fill_whole(2);
        loop.memory().fill_whole(3), batch.memory().fill_whole(3);
        const cuda where{.f32 = TypeParam::f32};
        const auto shuffled = [](auto all) {
            std::swap(all[1], all[4]);
            return all;
        };
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t from = i == 1 ? 4 : i == 4 ? 1 : i;
            matrix_product(where, a.view(from), b.view(i), loop.view(i));
        }
        matrix_products(where, pointers(shuffled(a.addresses()), of.m, of.k),
                        pointers(b.addresses(), of.k, of.n),
                        pointers(batch.addresses(), of.m, of.n));
        EXPECT_TRUE(test::same_bits(loop.memory().download().elements(),
                                    batch.memory().download().elements()))
            << of.m;
    }
}

}  // namespace
