// fp8 with block scales: exact on whole numbers and powers of 2, and within the bound on random
// numbers.
#include <optional>
#include <random>

#include "tests/gpu_call/one_product.hpp"

namespace {

using namespace carat;
using test::layout;
using test::mirrored;
using test::shape;

class gpu_blocks : public test::gpu_test {};

constexpr std::size_t block = 128;
constexpr std::size_t blocks(std::size_t extent) {
    return (extent + block - 1) / block;
}

// Ragged in every direction, in one part of K and several, in narrow tiles and wide ones.
constexpr shape shapes[] = {{1, 1, 1},        {1, 300, 640},   {16, 1024, 1024}, {33, 31, 65},
                            {64, 128, 128},   {130, 257, 129}, {127, 129, 700},  {300, 520, 400},
                            {64, 4096, 1000}, {640, 768, 384}, {1100, 1300, 300}};

template <class T>
struct scaled_product {
    shape s;
    mirrored<e4m3> a, b;
    mirrored<float> a_scales, b_scales;
    mirrored<T> c;
    std::optional<test::sums> sums_;

    scaled_product(const shape& of, unsigned kind)
        : s(of),
          a(s.m, s.k, layout(s.m, s.k, kind), kind % 5 == 1 ? 1 : 0),
          b(s.k, s.n, layout(s.k, s.n, kind / 2 + 1)),
          a_scales(s.m, blocks(s.k), layout(s.m, blocks(s.k), kind / 3)),
          b_scales(blocks(s.k), blocks(s.n), layout(blocks(s.k), blocks(s.n), kind + 1)),
          c(s.m, s.n, test::layout_of_c(s.m, s.n, kind / 2)) {
        c.upload();
    }

    template <class... More>
    void start(const cuda& where, const More&... more) {
        matrix_product(where, scaled_by_blocks(a.view(), a_scales.view()),
                       scaled_by_blocks(b.view(), b_scales.view()), more..., c.view());
    }
    template <class F>
    void start_with_epilogue(const cuda& where, const F& last) {
        matrix_product(where, scaled_by_blocks(a.view(), a_scales.view()),
                       scaled_by_blocks(b.view(), b_scales.view()), c.view(), last);
    }

    // The sums of the operands times their scales, which doubles hold.
    [[nodiscard]] const test::sums& sums() {
        if (!sums_) {
            matrix<double> of_a(s.m, s.k), of_b(s.k, s.n);
            for (std::size_t i = 0; i < s.m; ++i)
                for (std::size_t t = 0; t < s.k; ++t)
                    of_a(i, t) = static_cast<double>(a_scales.here(i, t / block)) *
                                 static_cast<double>(a.here(i, t));
            for (std::size_t t = 0; t < s.k; ++t)
                for (std::size_t j = 0; j < s.n; ++j)
                    of_b(t, j) = static_cast<double>(b_scales.here(t / block, j / block)) *
                                 static_cast<double>(b.here(t, j));
            sums_.emplace(of_a, of_b);
        }
        return *sums_;
    }

    template <class F>
    std::string check(const F& epilogue) {
        c.download();
        if (!c.is_whole_around()) return "memory around C was written";
        return test::wrong_in(
            c.host(), [&](std::size_t i, std::size_t j) { return T(epilogue(sums()(i, j))); });
    }

    [[nodiscard]] std::string text() const {
        return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
    }
};

// 1/2, 1 or 2, and never the same for neighbours.
double power(std::size_t i, std::size_t j) {
    return std::array{0.5, 1.0, 2.0}[(i + 2 * j + i / 3) % 3];
}

template <class T>
int check_whole_numbers() {
    unsigned kind = 0;
    for (const shape& s : shapes)
        for (int i = 0; i < 4; ++i, ++kind) {
            scaled_product<T> p(s, kind);
            p.a.fill_whole('a');
            p.b.fill_whole('b');
            p.a_scales.fill(power);
            p.b_scales.fill([](std::size_t r, std::size_t c) { return power(c + 1, r); });
            p.start(cuda{.batch_invariant = kind % 2 == 1});
            EXPECT_EQ(p.check([](double x) { return x; }), "") << p.text() << " kind " << kind;
            p.start_with_epilogue(cuda{}, scale(2.0) | relu);
            EXPECT_EQ(p.check([](double x) { return std::fmax(0, 2 * x); }), "") << p.text();
            p.start_with_epilogue(cuda{}, relu | scale(-0.5));
            EXPECT_EQ(p.check([](double x) { return -0.5 * std::fmax(0, x); }), "") << p.text();
        }
    return static_cast<int>(kind);
}

TEST_F(gpu_blocks, are_exact_on_whole_numbers_and_powers_of_two) {
    EXPECT_EQ(check_whole_numbers<float>(), 4 * static_cast<int>(std::size(shapes)));
    EXPECT_EQ(check_whole_numbers<bf16>(), 4 * static_cast<int>(std::size(shapes)));
}

// Each of z <= 128 terms of a block loses less than 2^-13 of the largest of their partial sums (ADR
// 0068); the two scales are multiplied, and their product by the block's sum as it is added.
double bound_of(std::size_t k) {
    const double terms = static_cast<double>(std::min(k, block)) * 0x1p-13;
    return std::expm1(terms + (static_cast<double>(blocks(k)) + 4) * 0x1p-24);
}

TEST_F(gpu_blocks, random_numbers_are_within_the_bound) {
    for (const shape& s : {shape{65, 300, 700}, {200, 128, 4096}, {520, 640, 1000}}) {
        scaled_product<float> p(s, 0);
        // Made as in practice: each block fills the range of the type, and the scale restores it.
        std::mt19937 random(7);
        std::uniform_real_distribution<double> exponent(-12, 3);
        p.a.fill([](std::size_t i, std::size_t j) { return 448 * test::random(1, i, j); });
        p.b.fill([](std::size_t i, std::size_t j) { return 448 * test::random(2, i, j); });
        const auto any = [&](std::size_t, std::size_t) { return std::exp2(exponent(random)); };
        p.a_scales.fill(any);
        p.b_scales.fill(any);
        p.start(cuda{});
        p.c.download();
        for (std::size_t i = 0; i < s.m; ++i)
            for (std::size_t j = 0; j < s.n; ++j)
                ASSERT_LE(std::fabs(static_cast<double>(p.c.here(i, j)) - p.sums()(i, j)),
                          bound_of(s.k) * p.sums().magnitude(i, j))
                    << p.text() << " at " << i << ", " << j;
    }
}

TEST_F(gpu_blocks, transposed_and_scaled_by_a_number_are_the_same_product) {
    scaled_product<float> p({100, 200, 300}, 0);
    p.a.fill_whole('a');
    p.b.fill_whole('b');
    p.a_scales.fill(power);
    p.b_scales.fill(power);
    const auto a = scaled_by_blocks(p.a.view(), p.a_scales.view());
    const auto bt = scaled_by_blocks(transposed(p.b.view()), transposed(p.b_scales.view()));
    matrix_product(cuda{}, scaled(2.0, a), transposed(bt), p.c.view());
    EXPECT_EQ(p.check([](double x) { return 2 * x; }), "");
}

TEST_F(gpu_blocks, without_anything_to_add_up_c_is_zero) {
    scaled_product<float> p({20, 30, 0}, 0);
    p.start(cuda{});
    EXPECT_EQ(p.check([](double) { return 0.0; }), "");
}

TEST_F(gpu_blocks, what_is_not_a_number_in_a_scale_stays_in_its_row) {
    scaled_product<float> p({70, 300, 300}, 0);
    p.a.fill_whole('a');
    p.b.fill_whole('b');
    p.a_scales.fill(power).here(9, 1) = std::numeric_limits<float>::quiet_NaN();
    p.a_scales.upload();
    p.b_scales.fill(power);
    p.start(cuda{});
    p.c.download();
    for (std::size_t i = 0; i < p.s.m; ++i)
        for (std::size_t j = 0; j < p.s.n; ++j) EXPECT_EQ(std::isnan(p.c.here(i, j)), i == 9) << i;
}

}  // namespace
