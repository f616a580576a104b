// More than 2^31 elements: lines that far apart, as many in a matrix, products that far apart.
// Matrices are zeros but for a few elements, so that sums are exact and quickly known.
#include <array>

#include "tests/gpu_call/device.hpp"

namespace {

using namespace carat;
using test::strides;

constexpr std::size_t far = std::size_t{1} << 31;

class gpu_large : public test::gpu_test {};

// Nothing but zeros, or bytes that are no number, with their memory.
template <class T>
class wide_matrix {
  public:
    wide_matrix(std::size_t rows, std::size_t cols, strides at, int byte = 0)
        : rows_(rows), cols_(cols), at_(at) {
        const std::size_t bytes =
            ((rows - 1) * std::size_t(at.row) + (cols - 1) * std::size_t(at.col) + 1) * sizeof(T);
        memory_ = test::on_device(nullptr, bytes);
        test::must(cudaMemset(memory_.get(), byte, bytes), "memset");
    }
    [[nodiscard]] matrix_view<T> view() const {
        return {static_cast<T*>(memory_.get()), rows_, cols_, at_.row, at_.col};
    }
    void put(std::size_t i, std::size_t j, int x) {
        const auto value = T(x);
        test::copy_there(place(i, j), &value, sizeof value);
    }
    [[nodiscard]] double get(std::size_t i, std::size_t j) const {
        T value{};
        test::must(cudaMemcpy(&value, place(i, j), sizeof value, cudaMemcpyDeviceToHost), "copy");
        return static_cast<double>(value);
    }

  private:
    [[nodiscard]] T* place(std::size_t i, std::size_t j) const {
        return static_cast<T*>(memory_.get()) + i * std::size_t(at_.row) + j * std::size_t(at_.col);
    }

    std::size_t rows_, cols_;
    strides at_;
    test::device_memory memory_;
};

bool has_room(std::size_t bytes) {
    std::size_t free = 0, all = 0;
    test::must(cudaMemGetInfo(&free, &all), "memory");
    return free > bytes + (std::size_t{1} << 30);
}

template <class T, class O>
struct kind {
    using in = T;
    using out = O;
};
template <class Kind>
class gpu_large_of : public gpu_large {};
using kinds = testing::Types<kind<bf16, float>, kind<f16, f16>, kind<float, float>,
                             kind<double, double>, kind<std::int8_t, std::int32_t>>;
TYPED_TEST_SUITE(gpu_large_of, kinds);

constexpr std::array ways = {f32_as::f32, f32_as::tf32, f32_as::three_tf32};

// Few elements are not zero; `at` are their places along K.
template <class T, class O>
void expect_exact(wide_matrix<T>& a, wide_matrix<T>& b, const wide_matrix<O>& c,
                  const std::vector<std::size_t>& at, const char* what) {
    const std::size_t rows = a.view().rows(), cols = b.view().cols();
    for (const std::size_t k : at) {
        for (std::size_t i = 0; i < rows; ++i) a.put(i, k, test::whole(1, i, k));
        for (std::size_t j = 0; j < cols; ++j) b.put(k, j, test::whole(2, k, j));
    }
    for (const f32_as as : ways) {
        if (as != f32_as::f32 && !std::is_same_v<T, float>) continue;
        test::skip_without(as);
        matrix_product(cuda{.f32 = as}, a.view(), b.view(), c.view());
        test::must(cudaDeviceSynchronize(), what);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j) {
                int sum = 0;
                for (const std::size_t k : at) sum += test::whole(1, i, k) * test::whole(2, k, j);
                ASSERT_EQ(c.get(i, j), sum) << what << ", C(" << i << ", " << j << ")";
            }
    }
}

TYPED_TEST(gpu_large_of, lines_may_lie_beyond_2_to_the_31_elements) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    test::skip_without(dtype_of_v<in>);
    constexpr std::size_t k = 19;
    std::vector<std::size_t> every(k);
    for (std::size_t i = 0; i < k; ++i) every[i] = i;
    if (!has_room(2 * (far + 64) * (sizeof(in) + sizeof(out)))) GTEST_SKIP() << "no memory";
    for (const std::size_t apart : {far + 64, far + 1}) {
        const auto stride = std::ptrdiff_t(apart);
        for (const bool by_columns : {false, true}) {
            const strides of_a = by_columns ? strides{1, stride / 8} : strides{stride, 1};
            wide_matrix<in> a(2, by_columns ? 9 : k, of_a);
            wide_matrix<in> b(by_columns ? 9 : k, 5, {8, 1});
            const wide_matrix<out> c(2, 5, by_columns ? strides{1, stride / 4} : strides{stride, 1},
                                     0x71);
            expect_exact(a, b, c, by_columns ? std::vector<std::size_t>{0, 3, 8} : every,
                         by_columns ? "columns far apart" : "rows far apart");
            if (this->HasFatalFailure()) return;
        }
    }
}

TYPED_TEST(gpu_large_of, a_matrix_may_have_more_than_2_to_the_31_elements) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    test::skip_without(dtype_of_v<in>);
    constexpr std::size_t rows = 67;
    for (const std::size_t k : {far / 64, far / 64 + 1}) {
        if (!has_room(2 * k * (rows + 6) * sizeof(in))) GTEST_SKIP() << "no memory";
        for (const bool by_columns : {false, true}) {
            wide_matrix<in> a(
                rows, k,
                by_columns ? strides{1, std::ptrdiff_t(rows)} : strides{std::ptrdiff_t(k), 1});
            wide_matrix<in> b(k, 5, {1, std::ptrdiff_t(k)});
            const wide_matrix<out> c(rows, 5, {5, 1}, 0x71);
            expect_exact(a, b, c, {0, 1, k / 2, k - 2, k - 1}, "much K");
            if (this->HasFatalFailure()) return;
        }
    }
}

// C has them, and only its last rows are looked at.
TYPED_TEST(gpu_large_of, c_may_have_more_than_2_to_the_31_elements) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    test::skip_without(dtype_of_v<in>);
    constexpr std::size_t m = 70003, n = 32001, k = 3;
    if (!has_room(m * n * sizeof(out))) GTEST_SKIP() << "no memory";
    wide_matrix<in> a(m, k, {k, 1}), b(k, n, {n, 1});
    const wide_matrix<out> c(m, n, {n, 1}, 0x71);
    for (std::size_t t = 0; t < k; ++t) {
        for (const std::size_t i : {std::size_t{0}, m - 70, m - 2, m - 1})
            a.put(i, t, test::whole(1, i, t));
        for (const std::size_t j : {std::size_t{0}, n - 70, n - 2, n - 1})
            b.put(t, j, test::whole(2, t, j));
    }
    matrix_product(cuda{}, a.view(), b.view(), c.view());
    test::must(cudaDeviceSynchronize(), "large C");
    for (const std::size_t i : {std::size_t{0}, m - 70, m - 2, m - 1})
        for (const std::size_t j : {std::size_t{0}, n - 70, n - 3, n - 2, n - 1}) {
            int sum = 0;
            if (j != n - 3)
                for (std::size_t t = 0; t < k; ++t)
                    sum += test::whole(1, i, t) * test::whole(2, t, j);
            EXPECT_EQ(c.get(i, j), sum) << i << ", " << j;
        }
}

}  // namespace
