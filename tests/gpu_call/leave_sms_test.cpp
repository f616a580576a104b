// Products that leave SMs to other streams: the same results, in the time that fewer SMs take.
#include <algorithm>
#include <cstdlib>

#include <carat/leave_sms.hpp>

#include "tests/gpu_call/one_product.hpp"

namespace {

using namespace carat;
using test::mirrored;

// Kernels of wgmma, and of fma for f64 and f32.
template <class T>
class gpu_leave_sms : public test::gpu_test {};
using types = testing::Types<bf16, double, float>;
TYPED_TEST_SUITE(gpu_leave_sms, types, );

TYPED_TEST(gpu_leave_sms, products_are_exact) {
    for (const int count : {1, 8, 31, 131, 1000})
        for (const test::shape& s : {test::shape{700, 900, 64}, {1500, 1300, 40}}) {
            test::one_product<TypeParam, TypeParam> one(s, 0);
            const leave_sms others(count);
            one.start(cuda{});
            EXPECT_EQ(one.check([](double x, std::size_t, std::size_t) { return x; }), "")
                << count << " SMs left";
        }
}

// Plans of both kinds are kept, and a nested value ends with its scope.
TYPED_TEST(gpu_leave_sms, a_product_on_a_quarter_of_the_sms_takes_over_twice_as_long) {
    if (std::getenv("CARAT_FORCE_FAMILY") != nullptr)
        GTEST_SKIP() << "no GPU test can run: grids of mma are not limited";
    constexpr std::size_t size = 4096;
    mirrored<TypeParam> a(size, size, {size, 1}), b(size, size, {size, 1}),
        c(size, size, {size, 1});
    a.fill([](std::size_t i, std::size_t j) { return double(i % 3) - double(j % 2); });
    b.fill([](std::size_t i, std::size_t j) { return double(j % 3) - double(i % 2); });
    c.upload();
    cudaEvent_t begun = nullptr, ended = nullptr;
    test::must(cudaEventCreate(&begun), "cudaEventCreate");
    test::must(cudaEventCreate(&ended), "cudaEventCreate");
    const auto milliseconds = [&] {
        float least = 1e9F;
        for (int i = 0; i < 5; ++i) {
            cudaEventRecord(begun, nullptr);
            matrix_product(cuda{}, a.view(), b.view(), c.view());
            cudaEventRecord(ended, nullptr);
            test::must(cudaEventSynchronize(ended), "a product");
            float ms = 0;
            cudaEventElapsedTime(&ms, begun, ended);
            least = std::min(least, ms);
        }
        return least;
    };
    const float all = milliseconds();
    float few = 0;
    {
        const leave_sms others(8);
        const leave_sms most(100);
        few = milliseconds();
    }
    EXPECT_GT(few, 2 * all);
    EXPECT_LT(milliseconds(), 1.5F * all);
    cudaEventDestroy(begun);
    cudaEventDestroy(ended);
}

}  // namespace
