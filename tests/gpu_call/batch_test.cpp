// Batches on a GPU have the bits of single calls if neither divides K.
#include "tests/gpu_call/device.hpp"

namespace {

using namespace carat;
using test::mirrored;

class gpu_batch : public test::gpu_test {};

constexpr std::size_t count = 12;
const cuda invariant{.batch_invariant = true};

struct shape {
    std::size_t m, n, k;
};
constexpr shape shapes[] = {{8, 8, 8},      {64, 64, 64},    {128, 128, 64},
                            {16, 512, 700}, {33, 31, 65},    {200, 300, 48},
                            {1, 256, 256},  {512, 512, 128}, {128, 64, 1024}};

// `count` matrices below each other.
template <class T>
mirrored<T> stack(std::size_t rows, std::size_t cols, std::size_t matrices = count) {
    return {rows * matrices, cols, {static_cast<std::ptrdiff_t>(cols), 1}};
}

template <class T>
matrix_view<T> item(const mirrored<T>& of, std::size_t i, std::size_t rows) {
    return of.view().block(i * rows, 0, rows, of.cols());
}

template <class T>
auto batch(const mirrored<T>& of, std::size_t rows) {
    return strided(item(of, 0, rows), count, static_cast<std::ptrdiff_t>(rows * of.cols()));
}

template <class T>
std::vector<T*> addresses(const mirrored<T>& of, std::size_t rows) {
    std::vector<T*> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(item(of, i, rows).data());
    return all;
}

template <class Types>
class gpu_batch_of : public gpu_batch {};
using all_types = testing::Types<test::types<bf16, float>, test::types<f16, f16>,
                                 test::types<std::int8_t, std::int32_t>>;
TYPED_TEST_SUITE(gpu_batch_of, all_types);

TYPED_TEST(gpu_batch_of, batches_have_the_bits_of_a_loop) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    int executed = 0;
    for (const auto& [m, n, k] : shapes) {
        auto a = stack<in>(m, k);
        auto b = stack<in>(k, n);
        auto one_b = stack<in>(k, n, 1);
        auto loop = stack<out>(m, n);
        auto at_once = stack<out>(m, n);
        auto e = stack<out>(m, n);
        a.fill_random(1), b.fill_random(2), one_b.fill_random(3), e.fill_random(4);
        const auto compare = [&](const char* what) {
            EXPECT_TRUE(test::same_bits(loop.download().elements(), at_once.download().elements()))
                << what << " " << m << "x" << n << "x" << k;
            ++executed;
        };
        loop.upload(), at_once.upload();
        for (std::size_t i = 0; i < count; ++i)
            matrix_product(invariant, item(a, i, m), item(b, i, k), item(loop, i, m));
        matrix_products(invariant, batch(a, m), batch(b, k), batch(at_once, m));
        compare("strided");
        at_once.upload();
        matrix_products(invariant, pointers(addresses(a, m), m, k), pointers(addresses(b, k), k, n),
                        pointers(addresses(at_once, m), m, n));
        compare("pointers");
        loop.upload(), at_once.upload();
        for (std::size_t i = 0; i < count; ++i)
            matrix_product(invariant, item(a, i, m), one_b.view(), scaled(-1, item(e, i, m)),
                           item(loop, i, m));
        matrix_products(invariant, batch(a, m), one_b.view(), scaled(-1, batch(e, m)),
                        batch(at_once, m));
        compare("one B, with E");
    }
    EXPECT_EQ(executed, 3 * static_cast<int>(std::size(shapes)));
}

// The plan of a single such product uses multicast, which that of several cannot.
TEST_F(gpu_batch, products_whose_blocks_would_share_what_they_load_have_the_bits_of_a_loop) {
    constexpr std::size_t size = 1000;
    constexpr std::size_t several = 4;
    auto a = stack<bf16>(size, size, several);
    auto b = stack<bf16>(size, size, several);
    auto loop = stack<float>(size, size, several);
    auto at_once = stack<float>(size, size, several);
    a.fill_random(1), b.fill_random(2), loop.upload(), at_once.upload();
    const auto some = [&](const auto& of) {  // not at one distance
        return std::vector{item(of, 0, size).data(), item(of, 3, size).data(),
                           item(of, 1, size).data()};
    };
    for (const std::size_t i : {0u, 1u, 3u})
        matrix_product(invariant, item(a, i, size), item(b, i, size), item(loop, i, size));
    matrix_products(invariant, pointers(some(a), size, size), pointers(some(b), size, size),
                    pointers(some(at_once), size, size));
    EXPECT_TRUE(test::same_bits(loop.download().elements(), at_once.download().elements()));
}

TEST_F(gpu_batch, epilogues_are_those_of_a_loop) {
    const std::size_t m = 100;
    const std::size_t n = 96;
    const std::size_t k = 72;
    auto a = stack<bf16>(m, k);
    auto b = stack<bf16>(k, n);
    auto loop = stack<bf16>(m, n);
    auto at_once = stack<bf16>(m, n);
    a.fill_random(1), b.fill_random(2), loop.upload(), at_once.upload();
    const std::vector<float> values(n, 0.5F);
    const auto there = test::on_device(values.data(), n * sizeof(float));
    const std::span<const float> added(static_cast<const float*>(there.get()), n);
    for (std::size_t i = 0; i < count; ++i)
        matrix_product(invariant, item(a, i, m), item(b, i, k), item(loop, i, m),
                       bias(added) | silu);
    matrix_products(invariant, batch(a, m), batch(b, k), batch(at_once, m), bias(added) | silu);
    EXPECT_TRUE(test::same_bits(loop.download().elements(), at_once.download().elements()));
}

}  // namespace
