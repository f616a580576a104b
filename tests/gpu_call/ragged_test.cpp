// Products whose sizes lie in GPU memory: exact on whole numbers, rows behind the last end
// untouched, whatever the ends say, and again with other ends when a graph is replayed.
#include <functional>
#include <numeric>

#include "tests/gpu_call/one_product.hpp"

namespace {

using namespace carat;
using test::mirrored;

class gpu_ragged : public test::gpu_test {};

using ends_of_products = std::vector<std::int32_t>;

ends_of_products ends_of(const std::vector<int>& rows) {
    ends_of_products ends(rows.size());
    std::partial_sum(rows.begin(), rows.end(), ends.begin());
    return ends;
}

struct on_gpu {
    test::device_memory memory;
    std::size_t count;

    explicit on_gpu(const ends_of_products& ends)
        : memory(test::on_device(ends.data(), ends.size() * sizeof(std::int32_t))),
          count(ends.size()) {}
    [[nodiscard]] const std::int32_t* get() const {
        return static_cast<const std::int32_t*>(memory.get());
    }
    void become(const ends_of_products& ends) const {
        test::copy_there(memory.get(), ends.data(), ends.size() * sizeof(std::int32_t));
    }
};

// From and to which line of `total` each product goes, as the header says it of any ends.
std::vector<std::pair<std::size_t, std::size_t>> parts_of(const ends_of_products& ends,
                                                          std::size_t total) {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    std::int64_t first = 0;
    for (const std::int64_t given : ends) {
        const std::int64_t end = std::max(first, std::min(given, static_cast<std::int64_t>(total)));
        parts.emplace_back(first, end);
        first = end;
    }
    return parts;
}

// Rows of whole numbers, as a table: asked for one by one they take longer than the products.
struct whole_numbers {
    std::size_t cols;
    std::vector<double> of;

    whole_numbers(std::size_t rows, std::size_t columns, unsigned operand) : cols(columns) {
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j) of.push_back(test::whole(operand, i, j));
    }
    [[nodiscard]] const double* row(std::size_t i) const { return of.data() + i * cols; }
};

// How operands lie: lines that kernels read, or such that they have to be packed.
struct lying {
    bool a_turned = false;
    bool b_turned = false;
    bool c_by_columns = false;
    std::ptrdiff_t pad = 16;  // elements to the next line
};

test::strides lines_of(std::size_t rows, std::size_t cols, bool turned, std::ptrdiff_t pad) {
    const auto next = static_cast<std::ptrdiff_t>((turned ? rows : cols) + 15) / 16 * 16 + pad;
    return turned ? test::strides{1, next} : test::strides{next, 1};
}

std::string wrong(std::size_t product, std::size_t i, std::size_t j, double got, double expected) {
    return "product " + std::to_string(product) + ": C(" + std::to_string(i) + ", " +
           std::to_string(j) + ") is " + std::to_string(got) + " instead of " +
           std::to_string(expected);
}

// y's rows = alpha x's rows times w of their product + beta e.
template <class I, class O, class J = I>
struct experts {
    std::size_t total, n, k, count;
    mirrored<I> x;
    mirrored<J> w;
    mirrored<O> y, e;
    lying as;

    experts(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t products,
            const lying& how = {})
        : total(rows),
          n(columns),
          k(depth),
          count(products),
          x(rows, depth, lines_of(rows, depth, how.a_turned, how.pad)),
          w(how.b_turned ? depth : products * depth, how.b_turned ? products * columns : columns,
            lines_of(how.b_turned ? depth : products * depth,
                     how.b_turned ? products * columns : columns, how.b_turned, how.pad)),
          y(rows, columns, lines_of(rows, columns, how.c_by_columns, how.pad)),
          e(rows, columns, lines_of(rows, columns, how.c_by_columns, how.pad)),
          as(how) {
        x.fill_whole('x'), w.fill_whole('w'), e.fill_whole('e');
        y.fill_poison();
    }

    [[nodiscard]] auto weights() {
        const auto first = w.view().block(0, 0, k, n);
        const auto next = as.b_turned ? static_cast<std::ptrdiff_t>(n) * first.col_stride()
                                      : static_cast<std::ptrdiff_t>(k) * first.row_stride();
        return strided(first, count, next);
    }
    [[nodiscard]] double w_at(std::size_t product, std::size_t t, std::size_t j) const {
        return as.b_turned ? test::whole('w', t, product * n + j)
                           : test::whole('w', product * k + t, j);
    }

    std::string check(const ends_of_products& ends, double alpha, double beta,
                      const std::function<double(double, std::size_t)>& epilogue = {}) {
        y.download();
        if (!y.is_whole_around()) return "memory around C was written";
        std::vector<bool> written(total, false);
        const whole_numbers xs(total, k, 'x');
        const whole_numbers es(total, n, 'e');
        const auto parts = parts_of(ends, total);
        std::vector<double> ws(k * n), sums(n);
        for (std::size_t g = 0; g < parts.size(); ++g) {
            for (std::size_t t = 0; t < k; ++t)
                for (std::size_t j = 0; j < n; ++j) ws[t * n + j] = w_at(g, t, j);
            for (std::size_t i = parts[g].first; i < parts[g].second; ++i) {
                written[i] = true;
                std::ranges::fill(sums, 0.0);
                for (std::size_t t = 0; t < k; ++t)
                    for (std::size_t j = 0; j < n; ++j) sums[j] += xs.row(i)[t] * ws[t * n + j];
                for (std::size_t j = 0; j < n; ++j) {
                    double sum = sums[j] * alpha;
                    if (epilogue) sum = epilogue(sum, j);
                    if (beta != 0) sum += beta * es.row(i)[j];
                    const auto expected = static_cast<double>(test::rounded<O>(sum));
                    const auto got = static_cast<double>(y.here(i, j));
                    if (got != expected) return wrong(g, i, j, got, expected);
                }
            }
        }
        for (std::size_t i = 0; i < total; ++i)
            for (std::size_t j = 0; !written[i] && j < n; ++j)
                if (!is_untouched(i, j))
                    return "row " + std::to_string(i) + " is no product's and was written";
        return {};
    }

    // What E is as well.
    experts& begin_as_e() {
        y.fill_whole('e');
        begins_as_e = true;
        return *this;
    }

  private:
    [[nodiscard]] bool is_untouched(std::size_t i, std::size_t j) {
        static mirrored<O> poisoned(1, 1, {1, 1});
        const O before = begins_as_e ? O(test::whole('e', i, j)) : poisoned.here(0, 0);
        return std::memcmp(&y.here(i, j), &before, sizeof(O)) == 0;
    }

    bool begins_as_e = false;
};

template <class Types>
class gpu_ragged_of : public gpu_ragged {};
template <class I, class O, class J = I>
struct kind {
    using in = I;
    using out = O;
    using in_b = J;
};
using all_types =
    testing::Types<kind<bf16, float>, kind<bf16, bf16>, kind<f16, f16>, kind<f16, float>,
                   kind<e4m3, float>, kind<e4m3, bf16>, kind<e5m2, float, e4m3>,
                   kind<std::int8_t, std::int32_t>, kind<float, float>, kind<double, double>,
                   kind<bf16, e4m3>, kind<float, bf16>>;
TYPED_TEST_SUITE(gpu_ragged_of, all_types);

// Rows of nothing, one row, whole tiles, many, and fewer in all than there are.
const std::vector<int> uneven = {5, 0, 130, 64, 1, 0, 17, 300, 2, 0};
constexpr std::size_t uneven_total = 560;

TYPED_TEST(gpu_ragged_of, rows_are_exact_and_others_untouched) {
    using in = typename TypeParam::in;
    using in_b = typename TypeParam::in_b;
    using out = typename TypeParam::out;
    const ends_of_products ends = ends_of(uneven);
    const on_gpu there(ends);
    for (unsigned how = 0; how < 8; ++how)
        for (const std::ptrdiff_t pad : {16, 3})
            for (const double beta : {0.0, 1.0, -2.0})
                for (const f32_as as : {f32_as::f32, f32_as::tf32, f32_as::three_tf32}) {
                    if (as != f32_as::f32 && !std::is_same_v<in, float>) continue;
                    const lying lies{(how & 1) != 0, (how & 2) != 0, (how & 4) != 0, pad};
                    const cuda where{.f32 = as};
                    experts<in, out, in_b> p(uneven_total, 72, 136, uneven.size(), lies);
                    const auto x = scaled(2, ragged(p.x.view(), there.get(), there.count));
                    const auto y = ragged(p.y.view(), there.get(), there.count);
                    if (beta == 0)
                        matrix_products(where, x, p.weights(), y);
                    else  // E is C
                        matrix_products(where, x, p.begin_as_e().weights(), scaled(beta, y), y);
                    EXPECT_EQ(p.check(ends, 2, beta), "")
                        << how << " pad " << pad << " beta " << beta;
                }
}

// The gradients of weights: dw = x^T dy of each product's rows, 0 where it has none.
template <class I, class O, class J>
struct gradients {
    std::size_t total, m, n, count;
    mirrored<I> x;
    mirrored<J> dy;
    mirrored<O> dw;

    gradients(std::size_t rows, std::size_t inputs, std::size_t outputs, std::size_t products,
              bool x_turned, bool dy_turned, std::ptrdiff_t pad)
        : total(rows),
          m(inputs),
          n(outputs),
          count(products),
          x(rows, inputs, lines_of(rows, inputs, x_turned, pad)),
          dy(rows, outputs, lines_of(rows, outputs, dy_turned, pad)),
          dw(products * inputs, outputs, lines_of(products * inputs, outputs, false, 16)) {
        x.fill_whole('x'), dy.fill_whole('y');
    }

    std::string check(const ends_of_products& ends, double beta) {
        dw.download();
        if (!dw.is_whole_around()) return "memory around C was written";
        const whole_numbers xs(total, m, 'x');
        const whole_numbers ys(total, n, 'y');
        const auto parts = parts_of(ends, total);
        std::vector<double> sums(n);
        for (std::size_t g = 0; g < count; ++g)
            for (std::size_t i = 0; i < m; ++i) {
                std::ranges::fill(sums, 0.0);
                for (std::size_t t = parts[g].first; t < parts[g].second; ++t)
                    for (std::size_t j = 0; j < n; ++j) sums[j] += xs.row(t)[i] * ys.row(t)[j];
                for (std::size_t j = 0; j < n; ++j) {
                    if (beta != 0) sums[j] += beta * test::whole('e', g * m + i, j);
                    const auto expected = static_cast<double>(test::rounded<O>(sums[j]));
                    const auto got = static_cast<double>(dw.here(g * m + i, j));
                    if (got != expected) return wrong(g, i, j, got, expected);
                }
            }
        return {};
    }
};

TYPED_TEST(gpu_ragged_of, depths_are_exact) {
    using in = typename TypeParam::in;
    using in_b = typename TypeParam::in_b;
    using out = typename TypeParam::out;
    const ends_of_products ends = ends_of(uneven);
    const on_gpu there(ends);
    for (unsigned how = 0; how < 4; ++how)
        for (const std::ptrdiff_t pad : {16, 3})
            for (const double beta : {0.0, 1.0})
                for (const f32_as as : {f32_as::f32, f32_as::tf32, f32_as::three_tf32}) {
                    if (as != f32_as::f32 && !std::is_same_v<in, float>) continue;
                    gradients<in, out, in_b> p(uneven_total, 72, 136, uneven.size(), (how & 1) != 0,
                                               (how & 2) != 0, pad);
                    p.dw.fill_poison();
                    if (beta != 0) p.dw.fill_whole('e');
                    const auto first = p.dw.view().block(0, 0, p.m, p.n);
                    const auto dw = strided(first, p.count,
                                            static_cast<std::ptrdiff_t>(p.m) * first.row_stride());
                    const auto x = transposed(ragged(p.x.view(), there.get(), there.count));
                    const auto dy = ragged(p.dy.view(), there.get(), there.count);
                    const auto multiply = [&] {
                        if (beta == 0)
                            matrix_products(cuda{.f32 = as}, x, dy, dw);
                        else
                            matrix_products(cuda{.f32 = as}, x, dy, dw, dw);
                    };
                    if (std::is_same_v<out, e4m3> ||
                        (std::is_same_v<in, float> && std::is_same_v<out, bf16>)) {
                        EXPECT_THROW(multiply(), error);  // by a pass of its own
                        continue;
                    }
                    multiply();
                    EXPECT_EQ(p.check(ends, beta), "") << how << " pad " << pad << " beta " << beta;
                }
}

TEST_F(gpu_ragged, columns_are_rows_of_the_transposed) {
    const ends_of_products ends = ends_of(uneven);
    const on_gpu there(ends);
    experts<bf16, bf16> p(uneven_total, 72, 136, uneven.size());
    test::line<float> add(72, 1);
    matrix_products(cuda{}, transposed(p.weights()),
                    transposed(ragged(p.x.view(), there.get(), there.count)),
                    transposed(ragged(p.y.view(), there.get(), there.count)),
                    bias(add.there(), by::row) | relu);
    EXPECT_EQ(p.check(ends, 1, 0,
                      [&](double sum, std::size_t j) {
                          return std::max(0.0, sum + static_cast<double>(add.values[j]));
                      }),
              "");
}

TEST_F(gpu_ragged, epilogues_are_for_every_product_and_no_other_row) {
    const ends_of_products ends = ends_of(uneven);
    const on_gpu there(ends);
    const auto check = [&](auto types, bool c_by_columns) {
        using of = decltype(types);
        experts<typename of::in, typename of::out> p(uneven_total, 72, 136, uneven.size(),
                                                     {.c_by_columns = c_by_columns});
        test::line<float> add(72, 1);
        matrix_products(cuda{}, ragged(p.x.view(), there.get(), there.count), p.weights(),
                        scaled(2, ragged(p.e.view(), there.get(), there.count)),
                        ragged(p.y.view(), there.get(), there.count), bias(add.there()) | relu);
        EXPECT_EQ(p.check(ends, 1, 2,
                          [&](double sum, std::size_t j) {
                              return std::max(0.0, sum + static_cast<double>(add.values[j]));
                          }),
                  "");
    };
    for (const bool c_by_columns : {false, true}) {
        check(kind<bf16, bf16>{}, c_by_columns);
        check(kind<float, float>{}, c_by_columns);  // by a pass
        check(kind<f16, float>{}, c_by_columns);
    }
}

// What no host can see beforehand must not write or read outside.
TEST_F(gpu_ragged, any_ends_stay_within_the_matrix) {
    const std::vector<ends_of_products> all = {
        {0, 0, 0, 0},           {100, 100, 100, 100}, {10, 5, 60, 20},       {-7, 30, 1000000, 40},
        {200, 100, 50, 0},      {-1, -2, -3, -4},     {2147483647, 1, 2, 3}, {0, 0, 0, 100},
        {1, 2, 3, -2147483647}, {64, 128, 4, 100}};
    for (const ends_of_products& ends : all) {
        const on_gpu there(ends);
        const auto check = [&](auto types) {
            using of = decltype(types);
            experts<typename of::in, typename of::out> p(100, 72, 136, ends.size());
            matrix_products(cuda{}, ragged(p.x.view(), there.get(), there.count), p.weights(),
                            ragged(p.y.view(), there.get(), there.count));
            EXPECT_EQ(p.check(ends, 1, 0), "") << ends[0] << " " << ends[1];
            gradients<typename of::in, float, typename of::in> g(100, 72, 136, ends.size(), false,
                                                                 false, 16);
            if constexpr (!std::is_same_v<typename of::in, double>) {
                g.dw.fill_poison();
                const auto first = g.dw.view().block(0, 0, g.m, g.n);
                matrix_products(
                    cuda{}, transposed(ragged(g.x.view(), there.get(), there.count)),
                    ragged(g.dy.view(), there.get(), there.count),
                    strided(first, g.count, static_cast<std::ptrdiff_t>(g.m) * first.row_stride()));
                EXPECT_EQ(g.check(ends, 0), "") << ends[0] << " " << ends[1];
            }
        };
        check(kind<bf16, bf16>{});
        check(kind<float, float>{});
        check(kind<double, double>{});
    }
}

TEST_F(gpu_ragged, a_graph_is_replayed_with_other_ends) {
    const std::vector<ends_of_products> all = {
        ends_of({20, 0, 40, 4}), ends_of({0, 0, 0, 100}), ends_of({64, 1, 1, 1}), {0, 0, 0, 0}};
    const auto check = [&](auto types) {
        using of = decltype(types);
        const on_gpu there(all[0]);
        experts<typename of::in, typename of::out> p(100, 72, 136, 4);
        const test::stream s = test::make_stream();
        test::must(cudaStreamBeginCapture(s.get(), cudaStreamCaptureModeGlobal), "capture");
        matrix_products(cuda{.stream = s.get()}, ragged(p.x.view(), there.get(), there.count),
                        p.weights(), ragged(p.y.view(), there.get(), there.count));
        cudaGraph_t graph = nullptr;
        test::must(cudaStreamEndCapture(s.get(), &graph), "capture");
        cudaGraphExec_t ready = nullptr;
        test::must(cudaGraphInstantiate(&ready, graph, 0), "instantiate");
        for (const ends_of_products& ends : all) {
            there.become(ends);
            p.y.fill_poison();
            test::must(cudaGraphLaunch(ready, s.get()), "replay");
            test::must(cudaStreamSynchronize(s.get()), "replay");
            EXPECT_EQ(p.check(ends, 1, 0), "") << ends[0] << " " << ends[1];
        }
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
    };
    check(kind<bf16, bf16>{});
    check(kind<double, double>{});
    check(kind<bf16, e4m3>{});
}

// Several stretches of 32 products, one B for all, and sums of nothing.
TEST_F(gpu_ragged, hundreds_of_products_and_a_single_b) {
    std::vector<int> rows;
    for (int i = 0; i < 700; ++i) rows.push_back(i * 7 % 11);
    const ends_of_products ends = ends_of(rows);
    const on_gpu there(ends);
    const auto total = static_cast<std::size_t>(ends.back()) + 9;
    experts<bf16, float> p(total, 16, 32, rows.size());
    matrix_products(cuda{}, ragged(p.x.view(), there.get(), there.count), p.weights(),
                    ragged(p.y.view(), there.get(), there.count));
    EXPECT_EQ(p.check(ends, 1, 0), "");
    experts<float, float> q(total, 16, 32, rows.size());
    matrix_products(cuda{}, ragged(q.x.view(), there.get(), there.count), q.weights(),
                    ragged(q.y.view(), there.get(), there.count));
    EXPECT_EQ(q.check(ends, 1, 0), "");
    const on_gpu one(ends_of_products{50});
    experts<bf16, float> single(60, 16, 32, 1);
    matrix_products(cuda{}, ragged(single.x.view(), one.get(), 1), single.w.view(),
                    ragged(single.y.view(), one.get(), 1));
    EXPECT_EQ(single.check({50}, 1, 0), "");
    experts<bf16, bf16> nothing(60, 16, 32, 1);
    nothing.x.fill_poison();
    matrix_products(cuda{}, scaled(0, ragged(nothing.x.view(), one.get(), 1)), nothing.w.view(),
                    ragged(nothing.y.view(), one.get(), 1));
    EXPECT_EQ(nothing.check({50}, 0, 0), "");
}

// Of so many that persistent tiles take them, by ends here and there and in a list: what single
// products of the same whole numbers are.
template <class I, class O, class J>
void compare_large(const std::vector<int>& rows, std::size_t n, std::size_t k) {
    const ends_of_products ends = ends_of(rows);
    const on_gpu there(ends);
    const auto total = static_cast<std::size_t>(ends.back()) + 77;
    experts<I, O, J> p(total, n, k, rows.size()), loop(total, n, k, rows.size());
    std::vector<matrix_view<I>> xs;
    std::vector<matrix_view<J>> ws;
    std::vector<matrix_view<O>> ys;
    const auto parts = parts_of(ends, total);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto [first, end] = parts[i];
        const auto w = loop.w.view().block(i * k, 0, k, n);
        xs.push_back(p.x.view().block(first, 0, end - first, k));
        ws.push_back(p.w.view().block(i * k, 0, k, n));
        ys.push_back(p.y.view().block(first, 0, end - first, n));
        matrix_product(cuda{}, loop.x.view().block(first, 0, end - first, k), w,
                       loop.y.view().block(first, 0, end - first, n));
    }
    const std::vector<O> expected = loop.y.download().elements();
    matrix_products(cuda{}, ragged(p.x.view(), there.get(), there.count), p.weights(),
                    ragged(p.y.view(), there.get(), there.count));
    EXPECT_TRUE(test::same_bits(expected, p.y.download().elements())) << "by ends on the GPU";
    p.y.fill_poison();
    std::swap(xs[0], xs[2]), std::swap(ws[0], ws[2]), std::swap(ys[0], ys[2]);
    matrix_products(cuda{}, listed(xs), listed(ws), listed(ys));
    EXPECT_TRUE(test::same_bits(expected, p.y.download().elements())) << "in a list";
}

TEST_F(gpu_ragged, many_rows_are_what_single_products_are) {
    const std::vector<int> rows = {1500, 0, 129, 2000, 1, 511, 16, 900};
    compare_large<bf16, bf16, bf16>(rows, 2048, 256);
    compare_large<bf16, float, bf16>(rows, 1040, 512);
    compare_large<f16, f16, f16>(rows, 2048, 264);
    compare_large<e4m3, bf16, e4m3>(rows, 2048, 512);
    compare_large<e4m3, float, e4m3>(rows, 1024, 512);
    compare_large<std::int8_t, std::int32_t, std::int8_t>(rows, 1024, 512);
    compare_large<bf16, bf16, bf16>({700, 700, 700, 700}, 2048, 256);
}

TEST_F(gpu_ragged, ends_in_host_memory_are_refused) {
    int reads_all = 0;
    cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, 0);
    if (reads_all != 0) GTEST_SKIP() << "this GPU reads all of the host's memory";
    const std::vector<std::int32_t> here = {10, 20};
    experts<bf16, bf16> p(20, 16, 32, 2);
    try {
        matrix_products(cuda{}, ragged(p.x.view(), here.data(), 2), p.weights(),
                        ragged(p.y.view(), here.data(), 2));
        ADD_FAILURE() << "accepted";
    } catch (const error& why) {
        EXPECT_EQ(why.code(), error_code::invalid_argument);
        EXPECT_NE(std::string(why.what()).find("the array of ends lies in host memory"),
                  std::string::npos)
            << why.what();
    }
}

}  // namespace
