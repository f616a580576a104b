// Every kernel that reads operands where they lie (src/cuda/sm80) in every layout, alignment, type of C
// and E, edges and what is around C included. Sums of whole numbers are exact. On a GPU; skipped
// without one.
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "core/dtype_traits.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/error.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/sm80/kernel_table.hpp"
#include "cuda/sm80/product.hpp"

namespace {

using namespace carat;
using cuda::sm80::arithmetic;

// From -2 to 2, another one for each operand and place.
int whole(unsigned operand, std::size_t at) {
    std::uint64_t x = at * 0x9e3779b97f4a7c15u + operand * 0x165667b1u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return static_cast<int>((x >> 33) % 5) - 2;
}

struct one_case {
    std::size_t row;  // of the table
    std::int64_t m, n, k;
    int layouts;           // bits: A, B, C by columns
    std::int64_t padding;  // of a line
    std::size_t offset;    // of A and B from what is aligned
    bool adds;             // -1 times E
    arithmetic how = arithmetic::own;

    [[nodiscard]] core::layout layout(int bit, std::int64_t rows, std::int64_t cols) const {
        return (layouts & bit) == 0 ? core::row_major(cols + padding)
                                    : core::column_major(rows + padding);
    }
};

std::string text(const one_case& c) {
    return "row " + std::to_string(c.row) + ", " + std::to_string(c.m) + "x" + std::to_string(c.n) +
           "x" + std::to_string(c.k) + ", layouts " + std::to_string(c.layouts) + ", padding " +
           std::to_string(c.padding) + ", offset " + std::to_string(c.offset) +
           (c.adds ? ", E" : "");
}

constexpr std::int64_t count = 3;

constexpr std::size_t margin = 128;

// Matrices behind each other, so far apart that they are aligned as their lines are.
template <class T>
class many {
  public:
    core::layout at;
    std::int64_t apart;
    std::vector<T> here;

    many(const core::layout& layout, std::int64_t rows, std::int64_t cols, std::int64_t unit,
         std::size_t offset)
        : at(layout),
          apart(((rows - 1) * layout.row_stride + (cols - 1) * layout.col_stride + 8) / unit *
                    unit +
                unit),
          here(2 * margin + offset + static_cast<std::size_t>(count * apart),
               T(std::numeric_limits<float>::quiet_NaN())),
          first_(margin + offset),
          there_(cuda::allocate(here.size() * sizeof(T))) {}

    [[nodiscard]] std::size_t place(std::int64_t x, std::int64_t i, std::int64_t j) const {
        return first_ + static_cast<std::size_t>(x * apart + i * at.row_stride + j * at.col_stride);
    }
    void fill(unsigned operand, std::int64_t rows, std::int64_t cols) {
        for (std::int64_t x = 0; x < count; ++x)
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < cols; ++j) {
                    const std::size_t to = place(x, i, j);
                    here[to] = T(static_cast<float>(whole(operand, to)));
                }
    }
    void upload() const {
        CARAT_CUDA_CHECK(
            cudaMemcpy(there_.get(), here.data(), here.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    [[nodiscard]] std::vector<T> downloaded() const {
        std::vector<T> all(here.size());
        CARAT_CUDA_CHECK(
            cudaMemcpy(all.data(), there_.get(), all.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return all;
    }
    [[nodiscard]] T* data() const { return static_cast<T*>(there_.get()) + first_; }

  private:
    std::size_t first_;
    cuda::device_memory there_;
};

template <class In, class Out>
void expect_exact(const one_case& c) {
    const std::int64_t unit = c.padding == 0 ? 8 : c.padding;
    many<In> a(c.layout(1, c.m, c.k), c.m, c.k, unit, c.offset);
    many<In> b(c.layout(2, c.k, c.n), c.k, c.n, unit, c.offset);
    many<Out> to(c.layout(4, c.m, c.n), c.m, c.n, unit, 0);
    many<Out> e(to.at, c.m, c.n, unit, 0);
    a.fill(1, c.m, c.k), b.fill(2, c.k, c.n), e.fill(3, c.m, c.n);
    a.upload(), b.upload(), to.upload(), e.upload();
    core::problem p = core::row_major_problem(dtype_of_v<In>, c.m, c.n, c.k);
    p.c_type = dtype_of_v<Out>;
    p.a_layout = a.at, p.b_layout = b.at, p.c_layout = to.at;
    p.alpha = 2;
    p.beta = c.adds ? -1 : 0;
    const cuda::gemm_task task{p, core::accumulation::native, {}, {}, {.count = count}};
    ASSERT_TRUE(cuda::sm80::takes(task, c.how)) << text(c);
    cuda::launch_arguments with;
    with.data = {a.data(), b.data(), to.data()};
    if (c.adds) with.fusion.residual = e.data();
    ASSERT_TRUE(
        cuda::sm80::prepare(task, c.how, c.row)->run_batch(with, {a.apart, b.apart, to.apart}));
    for (std::int64_t x = 0; x < count; ++x)
        for (std::int64_t i = 0; i < c.m; ++i)
            for (std::int64_t j = 0; j < c.n; ++j) {
                int sum = 0;
                for (std::int64_t l = 0; l < c.k; ++l)
                    sum += whole(1, a.place(x, i, l)) * whole(2, b.place(x, l, j));
                const int added = c.adds ? whole(3, e.place(x, i, j)) : 0;
                to.here[to.place(x, i, j)] = Out(static_cast<float>(2 * sum - added));
            }
    const std::vector<Out> got = to.downloaded();
    EXPECT_EQ(std::memcmp(got.data(), to.here.data(), got.size() * sizeof(Out)), 0) << text(c);
}

class batch_tiles : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
    }
};

// A single row, column or depth, at any stride, and all layouts.
template <class In, class Out>
void expect_all_exact(std::size_t rows, arithmetic how = arithmetic::own) {
    for (std::size_t row = 0; row < rows; ++row) {
        for (const int layouts : {0, 1, 2, 3, 4, 5, 6, 7})
            for (const std::int64_t padding : {0, 1, 2, 4, 8})
                for (const bool adds : {false, true}) {
                    expect_exact<In, Out>({row, 72, 136, 40, layouts, padding, 0, adds, how});
                    expect_exact<In, Out>({row, 133, 37, 131, layouts, padding,
                                           static_cast<std::size_t>(padding), adds, how});
                }
        for (const int layouts : {0, 7}) {
            expect_exact<In, Out>({row, 1, 70, 50, layouts, 3, 0, false, how});
            expect_exact<In, Out>({row, 70, 1, 50, layouts, 3, 1, true, how});
            expect_exact<In, Out>({row, 70, 50, 1, layouts, 3, 0, true, how});
        }
    }
}

TEST_F(batch_tiles, bf16) {
    expect_all_exact<bf16, bf16>(cuda::sm80::half_kernels.size());
}
TEST_F(batch_tiles, bf16_with_an_f32_c) {
    expect_all_exact<bf16, float>(cuda::sm80::half_kernels.size());
}
TEST_F(batch_tiles, f16_with_an_f32_c) {
    expect_all_exact<f16, float>(cuda::sm80::half_kernels.size());
}
TEST_F(batch_tiles, f64) {
    expect_all_exact<double, double>(cuda::sm80::f64_kernels.size());
}
TEST_F(batch_tiles, f32) {
    expect_all_exact<float, float>(cuda::sm80::f32_kernels.size());
}
TEST_F(batch_tiles, tf32) {
    expect_all_exact<float, float>(cuda::sm80::tf32_kernels.size(), arithmetic::tf32);
}

}  // namespace
