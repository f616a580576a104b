// Batches of several tiles each in the persistent kernels, with their epilogues, for every type
// that has them. Sums of whole numbers are exact. Skipped without a GPU.
#include <algorithm>
#include <cstring>

#include "core/dtype_traits.hpp"
#include "cuda/engine/select.hpp"
#include "tests/cuda/epilogue_fixture.hpp"
#include "tests/cuda/many.hpp"

namespace {

using namespace carat;
using cuda::activation;
using arithmetic = core::gpu_arithmetic;
using test::many;
using test::on_gpu;

class persistent_batch : public test::epilogue_fixture {};

constexpr std::int64_t count = 20;

struct finish {
    bool scales = false;
    bool biases = false;
    bool per_row = false;
    activation then = activation::none;
    bool adds = false;  // -2 times a D that is not C
};

// Values of a row or column.
float scale_of(std::int64_t line) {
    return line % 3 == 0 ? -0.5F : 2.0F;
}
float bias_of(std::int64_t line) {
    return static_cast<float>(line % 7 - 3);
}
space::buffer on_lines(std::int64_t lines, float (*value)(std::int64_t)) {
    std::vector<float> all(static_cast<std::size_t>(lines));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = value(static_cast<std::int64_t>(i));
    return on_gpu(all.data(), all.size() * sizeof(float));
}

template <class In, class Out>
class trial {
  public:
    trial(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t unit)
        : m_(m),
          n_(n),
          k_(k),
          a_(count, core::row_major(k), m, k, unit, 0),
          b_(count, core::column_major(k), k, n, unit, 0),
          c_(count, core::row_major(n), m, n, unit, 0),
          d_(count, core::row_major(n), m, n, unit, 0) {
        a_.fill(1, m, k), b_.fill(2, k, n), d_.fill(3, m, n);
        a_.upload(), b_.upload(), d_.upload();
        for (std::int64_t x = 0; x < count; ++x)
            sums_.emplace_back(a_.source(x, m, k), b_.source(x, k, n));
    }

    void expect_exact(arithmetic how, const finish& f) {
        core::problem p = core::row_major_problem(dtype_of_v<In>, m_, n_, k_);
        p.c_type = dtype_of_v<Out>;
        p.b_layout = b_.at;
        p.alpha = 0.5;
        p.beta = f.adds ? -2 : 0;
        const std::int64_t lines = f.per_row ? m_ : n_;
        const space::buffer scales = on_lines(lines, scale_of);
        const space::buffer biases = on_lines(lines, bias_of);
        cuda::bindings with;
        with.data = {a_.data(), b_.data(), c_.data()};
        with.apart = {a_.apart, b_.apart, c_.apart};
        if (f.scales) with.fusion.scale = {static_cast<const float*>(scales.data()), f.per_row};
        if (f.biases) with.fusion.bias = {static_cast<const float*>(biases.data()), f.per_row};
        with.fusion.activation_function = f.then;
        if (f.adds) with.fusion.residual = d_.data();
        const auto made = gpu_engine::prepare({.problem = p,
                                               .arithmetic = how,
                                               .epilogue = cuda::epilogue_of(with.fusion),
                                               .products = {core::multiplicity::strided, count}},
                                              core::settings{});
        ASSERT_NE(made, nullptr);
        persistent += made->kernels().at(0).name.find("_batched") != std::string::npos ? 1 : 0;
        c_.upload();
        ASSERT_TRUE(made->run(with));
        expect(f);
    }

    int persistent = 0;  // launches that the plan gave to such a kernel

  private:
    void expect(const finish& f) {
        std::vector<Out> wanted = c_.here;
        for (std::int64_t x = 0; x < count; ++x)
            for (std::int64_t i = 0; i < m_; ++i)
                for (std::int64_t j = 0; j < n_; ++j) {
                    const std::int64_t line = f.per_row ? i : j;
                    float sum = 0.5F * static_cast<float>(sums_[static_cast<std::size_t>(x)](i, j));
                    if (f.scales) sum *= scale_of(line);
                    if (f.biases) sum += bias_of(line);
                    if (f.then == activation::relu) sum = std::fmax(sum, 0.0F);
                    if (f.adds) sum -= 2 * static_cast<float>(d_.here[d_.place(x, i, j)]);
                    wanted[c_.place(x, i, j)] = Out(sum);
                }
        const std::vector<Out> got = c_.downloaded();
        EXPECT_TRUE(std::equal(got.begin(), got.end(), wanted.begin(), is_equal))
            << "scales " << f.scales << ", biases " << f.biases << ", per row " << f.per_row
            << ", relu " << (f.then == activation::relu) << ", adds " << f.adds;
    }

    // Bytes that nobody writes, or a zero of either sign.
    static bool is_equal(const Out& x, const Out& y) {
        return std::memcmp(&x, &y, sizeof x) == 0 || static_cast<float>(x) == static_cast<float>(y);
    }

    std::int64_t m_, n_, k_;
    many<In> a_, b_;
    many<Out> c_, d_;
    std::vector<test::sums> sums_;
};

constexpr finish every[] = {
    {},
    {.adds = true},
    {.biases = true, .then = activation::relu},
    {.scales = true, .per_row = true},
    {.scales = true, .biases = true, .adds = true},
    {.scales = true, .biases = true, .per_row = true, .then = activation::relu, .adds = true}};

TEST_F(persistent_batch, of_16_bits) {
    trial<bf16, float> wide(512, 520, 80, 8);
    trial<f16, f16> narrow(512, 520, 80, 8);
    for (const finish& f : every) {
        wide.expect_exact(arithmetic::native, f);
        narrow.expect_exact(arithmetic::native, f);
    }
    EXPECT_GT(wide.persistent, 0);
    EXPECT_GT(narrow.persistent, 0);
}

TEST_F(persistent_batch, of_fp8_promoted_and_not) {
    trial<e4m3, float> wide(512, 528, 144, 16);
    trial<e4m3, bf16> narrow(512, 528, 144, 16);
    for (const arithmetic how : {arithmetic::native, arithmetic::fast_fp8})
        for (const finish& f : every) {
            wide.expect_exact(how, f);
            narrow.expect_exact(how, f);
        }
    EXPECT_GT(wide.persistent + narrow.persistent, 0);
}

// It is as exact and has more tiles to choose from. The arithmetic's own is requested.
TEST_F(persistent_batch, one_block_of_fp8_is_summed_natively) {
    const auto promotes = [](std::int64_t k, const core::settings& asked) {
        core::problem p = core::row_major_problem(dtype::e4m3, 512, 512, k);
        p.c_type = dtype::f32;
        p.b_layout = core::column_major(k);
        const auto made = gpu_engine::prepare({.problem = p}, asked);
        return made->kernels().at(0).name.find("_promoted") != std::string::npos;
    };
    EXPECT_FALSE(promotes(128, {}));
    EXPECT_TRUE(promotes(144, {}));
    EXPECT_TRUE(promotes(128, {1, {{"block_n", 64}}}));
}

}  // namespace
