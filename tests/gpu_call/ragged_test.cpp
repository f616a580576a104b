// Products whose sizes are in GPU memory: exact on whole numbers, rows after the last end untouched
// whatever the ends are, and again with other ends in a replayed graph.
#include "tests/gpu_call/shared_out.hpp"

namespace {

using namespace carat;
using test::ends_of;
using test::ends_of_products;
using test::experts;
using test::gradients;
using test::lying;
using test::on_gpu;
using test::parts_of;

class gpu_ragged : public test::gpu_test {};

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

// No rows, one row, whole tiles, many, and fewer in all than exist.
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
                    test::skip_without(as);
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
                    test::skip_without(as);
                    gradients<in, out, in_b> p(uneven_total, 72, 136, uneven.size(), (how & 1) != 0,
                                               (how & 2) != 0, pad);
                    p.dw.fill_poison();
                    if (beta != 0) p.dw.fill_whole('e');
                    // An epilogue kernel stores it, since TMA cannot begin anywhere in a line.
                    if (sizeof(in) == 1 || std::is_same_v<out, e4m3> ||
                        (std::is_same_v<in, float> && std::is_same_v<out, bf16>)) {
                        EXPECT_THROW(p.start(there, cuda{.f32 = as}, beta), error);
                        continue;
                    }
                    p.start(there, cuda{.f32 = as}, beta);
                    EXPECT_EQ(p.check(ends, beta), "") << how << " pad " << pad << " beta " << beta;
                }
}

// Row-major and column-major operands with K = 1 have lines that may be K-major or MN-major.
TEST_F(gpu_ragged, rows_of_one_k_are_exact) {
    const ends_of_products ends = ends_of(uneven);
    const on_gpu there(ends);
    for (unsigned how = 0; how < 8; ++how)
        for (const std::ptrdiff_t pad : {16, 3}) {
            const lying lies{(how & 1) != 0, (how & 2) != 0, (how & 4) != 0, pad};
            experts<bf16, bf16> p(uneven_total, 136, 1, uneven.size(), lies);
            p.start(there);
            EXPECT_EQ(p.check(ends, 1, 0), "") << how << " pad " << pad;
        }
}

// A stride without meaning, so that products without any K would begin anywhere; and k = 0.
TEST_F(gpu_ragged, one_k_or_none_is_shared_out_wherever_it_lies) {
    for (const std::size_t total : {1U, 0U})
        for (unsigned how = 0; how < 4; ++how)
            for (const std::ptrdiff_t pad : {16, 3}) {
                const auto all = static_cast<std::int32_t>(total);
                const ends_of_products ends = {0, all, all, all};
                const on_gpu there(ends);
                gradients<bf16, float, bf16> p(total, 75, 136, ends.size(), (how & 1) != 0,
                                               (how & 2) != 0, pad);
                p.dw.fill_poison();
                p.start(there);
                EXPECT_EQ(p.check(ends, 0), "") << total << " k, " << how << " pad " << pad;
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

// What no host can check beforehand must not write or read outside.
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
            p.start(there);
            EXPECT_EQ(p.check(ends, 1, 0), "") << ends[0] << " " << ends[1];
            gradients<typename of::in, float, typename of::in> g(100, 72, 136, ends.size(), false,
                                                                 false, 16);
            if constexpr (!std::is_same_v<typename of::in, double>) {
                g.dw.fill_poison();
                g.start(there);
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
        test::graph ready([&](const cuda& where) { p.start(there, where); });
        for (const ends_of_products& ends : all) {
            there.become(ends);
            p.y.fill_poison();
            ready.launch(s.get());
            test::must(cudaStreamSynchronize(s.get()), "replay");
            EXPECT_EQ(p.check(ends, 1, 0), "") << ends[0] << " " << ends[1];
        }
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
    p.start(there);
    EXPECT_EQ(p.check(ends, 1, 0), "");
    experts<float, float> q(total, 16, 32, rows.size());
    q.start(there);
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

// Enough products for persistent tiles, by ends in GPU memory, ends on the host and a list,
// compared with single products of the same whole numbers.
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
    p.start(there);
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
    if (reads_host_memory()) GTEST_SKIP() << "this GPU reads all of the host's memory";
    const std::vector<std::int32_t> here = {10, 20};
    experts<bf16, bf16> p(20, 16, 32, 2);
    test::expect_refusal(
        [&] {
            matrix_products(cuda{}, ragged(p.x.view(), here.data(), 2), p.weights(),
                            ragged(p.y.view(), here.data(), 2));
        },
        error_code::invalid_argument, {"the array of ends lies in host memory"});
}

}  // namespace
