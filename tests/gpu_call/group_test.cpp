// Products at pointers and of different sizes on a GPU: exact on whole numbers, with the bits of
// single calls where promised, in one launch, which a capture counts.
#include <cstdlib>
#include <functional>
#include <optional>

#include "tests/gpu_call/one_product.hpp"

namespace {

using namespace carat;
using test::mirrored;

class gpu_group : public test::gpu_test {};

template <class Work>
int kernels_of(const Work& work) {
    const test::graph all(work);
    std::size_t count = 0;
    test::must(cudaGraphGetNodes(all.get(), nullptr, &count), "nodes");
    std::vector<cudaGraphNode_t> nodes(count);
    test::must(cudaGraphGetNodes(all.get(), nodes.data(), &count), "nodes");
    return static_cast<int>(std::ranges::count_if(nodes, [](cudaGraphNode_t node) {
        cudaGraphNodeType type{};
        test::must(cudaGraphNodeGetType(node, &type), "node");
        return type == cudaGraphNodeTypeKernel;
    }));
}
constexpr int one_launch_and_its_table = 2;
// Kernels of mma take a launch for each.
const bool is_one_launch = std::getenv("CARAT_FORCE_FAMILY") == nullptr;

using shapes_of_group = std::vector<test::shape>;

// Ragged sizes: less than a tile, exactly tiles, rows of nothing, sums of nothing, deep and flat.
const shapes_of_group ragged = {{64, 64, 64},   {1, 128, 256},   {200, 96, 40}, {0, 64, 64},
                                {17, 32, 1000}, {128, 256, 512}, {33, 48, 0},   {300, 64, 64},
                                {5, 8, 16},     {64, 0, 64},     {128, 128, 96}};

// Products with operands of their own, each padded to lines that kernels can read.
template <class I, class O, class J = I>
struct products {
    shapes_of_group sizes;
    std::vector<mirrored<I>> a;
    std::vector<mirrored<J>> b;
    std::vector<mirrored<O>> c, e;

    // Columns of B are contiguous if `turned`, as all kernels read it.
    products(const shapes_of_group& of, bool turned, bool c_by_columns = false) : sizes(of) {
        const auto padded = [](std::size_t x) {
            return static_cast<std::ptrdiff_t>((x + 15) / 16 * 16 + 16);
        };
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto [m, n, k] = sizes[i];
            a.emplace_back(m, k, test::strides{padded(k), 1});
            b.emplace_back(k, n,
                           turned ? test::strides{1, padded(k)} : test::strides{padded(n), 1});
            const auto of_c =
                c_by_columns ? test::strides{1, padded(m)} : test::strides{padded(n), 1};
            c.emplace_back(m, n, of_c);
            e.emplace_back(m, n, of_c);
        }
    }

    products& fill_whole() {
        for (unsigned i = 0; i < sizes.size(); ++i) {
            a[i].fill_whole(100 + i), b[i].fill_whole(200 + i), e[i].fill_whole(300 + i);
            c[i].upload();
        }
        return *this;
    }
    products& fill_random() {
        for (unsigned i = 0; i < sizes.size(); ++i) {
            a[i].fill_random(100 + i), b[i].fill_random(200 + i), e[i].fill_random(300 + i);
            c[i].upload();
        }
        return *this;
    }

    template <class T>
    static std::vector<matrix_view<T>> views(const std::vector<mirrored<T>>& of) {
        std::vector<matrix_view<T>> all;
        for (const mirrored<T>& m : of) all.push_back(m.view());
        return all;
    }

    // C = A B of all.
    void start(const cuda& where = {}) const {
        matrix_products(where, listed(views(a)), listed(views(b)), listed(views(c)));
    }

    // C(i, j) of a product must be epilogue(alpha A B) + beta E.
    std::string check(double alpha, double beta,
                      const std::function<double(double, std::size_t)>& epilogue = {}) {
        for (unsigned x = 0; x < sizes.size(); ++x) {
            c[x].download();
            if (!c[x].is_whole_around()) return "memory around a C was written";
            const test::sums product(a[x].host(), b[x].host());
            const std::string wrong =
                test::wrong_in(c[x].host(), [&](std::size_t i, std::size_t j) {
                    double sum = alpha * product(i, j);
                    if (epilogue) sum = epilogue(sum, j);
                    if (beta != 0) sum += beta * test::whole(300 + x, i, j);
                    return test::rounded<O>(sum);
                });
            if (!wrong.empty()) return "product " + std::to_string(x) + ": " + wrong;
        }
        return {};
    }
};

template <class Types>
class gpu_group_of : public gpu_group {};
template <class I, class O, class J = I>
struct kind {
    using in = I;
    using out = O;
    using in_b = J;
};
using all_types = testing::Types<kind<bf16, float>, kind<bf16, bf16>, kind<f16, f16>,
                                 kind<f16, float>, kind<e4m3, float>, kind<e4m3, bf16>,
                                 kind<e5m2, float, e4m3>, kind<std::int8_t, std::int32_t>,
                                 kind<float, float>, kind<double, double>, kind<bf16, e4m3>>;
TYPED_TEST_SUITE(gpu_group_of, all_types);

TYPED_TEST(gpu_group_of, ragged_groups_are_exact) {
    using in = typename TypeParam::in;
    using in_b = typename TypeParam::in_b;
    using out = typename TypeParam::out;
    int executed = 0;
    for (const bool turned : {false, true})
        for (const bool c_by_columns : {false, true})
            for (const double beta : {0.0, 1.0, -2.0})
                for (const f32_as as : {f32_as::f32, f32_as::tf32}) {
                    if (as != f32_as::f32 && !std::is_same_v<in, float>) continue;
                    test::skip_without(as);
                    const cuda where{.f32 = as};
                    products<in, out, in_b> p(ragged, turned, c_by_columns);
                    p.fill_whole();
                    const auto a = p.views(p.a);
                    const auto b = p.views(p.b);
                    const auto c = p.views(p.c);
                    const auto e = p.views(p.e);
                    if (beta == 0)
                        matrix_products(where, scaled(2, listed(a)), listed(b), listed(c));
                    else
                        matrix_products(where, scaled(2, listed(a)), listed(b),
                                        scaled(beta, listed(e)), listed(c));
                    EXPECT_EQ(p.check(2, beta), "") << turned << c_by_columns << " beta " << beta;
                    ++executed;
                }
    EXPECT_EQ(executed, (std::is_same_v<in, float> ? 24 : 12));
}

TEST_F(gpu_group, products_that_lie_alike_are_one_launch) {
    if (!is_one_launch) GTEST_SKIP() << "kernels of mma take a launch for each";
    shapes_of_group sizes;
    for (const test::shape& s : ragged)
        if (s.m * s.n * s.k > 0) sizes.push_back(s);
    const auto kernels = [&](auto types, bool turned) {
        using of = decltype(types);
        products<typename of::in, typename of::out, typename of::in_b> p(sizes, turned);
        p.fill_whole();
        const auto a = p.views(p.a);
        const auto b = p.views(p.b);
        const auto c = p.views(p.c);
        return kernels_of([&](const cuda& where) {
            matrix_products(where, listed(a), listed(b), scaled(2, listed(c)), listed(c));
        });
    };
    EXPECT_EQ(kernels(kind<bf16, bf16>{}, false), one_launch_and_its_table);
    EXPECT_EQ(kernels(kind<bf16, float>{}, true), one_launch_and_its_table);
    EXPECT_EQ(kernels(kind<f16, f16>{}, false), one_launch_and_its_table);
    EXPECT_EQ(kernels(kind<e4m3, float>{}, true), one_launch_and_its_table);
    EXPECT_EQ(kernels(kind<std::int8_t, std::int32_t>{}, true), one_launch_and_its_table);
    EXPECT_GT(kernels(kind<double, double>{}, false), one_launch_and_its_table);
}

TEST_F(gpu_group, every_tile_and_number_of_parts_finds_its_product) {
    // Many and few CTAs, small and large k: the model chooses different tiles.
    const std::vector<shapes_of_group> groups = {
        {{8, 64, 4096}, {8, 128, 2048}, {16, 64, 4096}},
        {{64, 512, 2048}, {128, 512, 2048}, {1, 512, 2048}, {100, 512, 2048}},
        {{128, 128, 128}, {256, 128, 128}, {384, 128, 128}},
        {{1000, 500, 72}, {24, 40, 8}, {56, 40, 8}, {400, 300, 264}},
        {{40, 16, 520}, {2000, 16, 64}, {24, 16, 64}},
    };
    for (const shapes_of_group& sizes : groups)
        for (const bool turned : {false, true}) {
            products<bf16, float> p(sizes, turned);
            p.fill_whole();
            p.start();
            EXPECT_EQ(p.check(1, 0), "") << sizes.front().m << " turned " << turned;
        }
}

// More than one stretch of the table, and several levels of the search in it.
TEST_F(gpu_group, hundreds_of_products_are_exact) {
    shapes_of_group sizes;
    for (std::size_t i = 0; i < 700; ++i) sizes.push_back({1 + i * 7 % 90, 16, 16 + i % 3 * 16});
    products<bf16, float> p(sizes, false);
    p.fill_whole();
    if (is_one_launch) {
        EXPECT_EQ(kernels_of([&](const cuda& where) { p.start(where); }), 4);  // of 320 each
    }
    p.start();
    EXPECT_EQ(p.check(1, 0), "");
}

// An expert without rows, whose matrices may begin where there is no memory.
TEST_F(gpu_group, a_product_without_entries_may_lie_anywhere) {
    products<bf16, float> p({{0, 24, 40}, {16, 24, 40}}, false);
    p.fill_whole();
    static float nowhere[1];
    auto a = p.views(p.a);
    auto c = p.views(p.c);
    a[0] = {reinterpret_cast<bf16*>(nowhere), 0, 40};
    c[0] = {nowhere, 0, 24};
    const auto b = p.views(p.b);
    matrix_products(cuda{}, listed(a), listed(b), listed(c));
    EXPECT_EQ(p.check(1, 0), "");
}

TEST_F(gpu_group, products_without_entries_are_nothing) {
    const std::vector<matrix_view<bf16>> a(3, {nullptr, 0, 64});
    const std::vector<matrix_view<bf16>> b(3, {nullptr, 64, 0});
    const std::vector<matrix_view<float>> c(3, {nullptr, 0, 0});
    EXPECT_NO_THROW(matrix_products(cuda{}, listed(a), listed(b), listed(c)));
}

// Rows that continue from product to product, and values that begin anew with each.
TEST_F(gpu_group, values_of_rows_are_those_of_each_product) {
    constexpr std::size_t m = 384, n = 1024, k = 256;
    test::mirrored<bf16> x(3 * m, k, {k, 1});
    test::mirrored<bf16> w(4 * k, n, {n, 1});
    test::mirrored<bf16> y(3 * m, n, {n, 1});
    test::mirrored<bf16> one_by_one(3 * m, n, {n, 1});
    x.fill_whole('x'), w.fill_whole('w'), y.upload(), one_by_one.upload();
    const test::line<float> add(m, 1);
    std::vector<matrix_view<bf16>> a, b, c;
    for (std::size_t i = 0; i < 3; ++i) {
        a.push_back(x.view().block(i * m, 0, m, k));
        b.push_back(w.view().block((i == 2 ? 3 : i) * k, 0, k, n));  // not at one distance
        c.push_back(y.view().block(i * m, 0, m, n));
        matrix_product(cuda{}, a[i], b[i], one_by_one.view().block(i * m, 0, m, n),
                       bias(add.there(), by::row));
    }
    matrix_products(cuda{}, listed(a), listed(b), listed(c), bias(add.there(), by::row));
    EXPECT_TRUE(test::same_bits(y.download().elements(), one_by_one.download().elements()));
}

// Each needs memory: unaligned operands, and sums that do not fit in C.
TEST_F(gpu_group, any_number_of_products_may_need_memory) {
    const shapes_of_group sizes(20, {40, 24, 33});
    products<bf16, float> p(sizes, false);
    products<bf16, e4m3> q(sizes, false);
    p.fill_whole(), q.fill_whole();
    for (unsigned i = 0; i < sizes.size(); ++i) {
        p.a[i] = mirrored<bf16>(40, 33, {33, 1}, 1);
        p.a[i].fill_whole(100 + i);
    }
    p.start();
    EXPECT_EQ(p.check(1, 0), "");
    q.start();
    EXPECT_EQ(q.check(1, 0), "");
}

TEST_F(gpu_group, epilogues_are_for_every_product) {
    const shapes_of_group sizes = {{64, 96, 64}, {3, 96, 128}, {100, 96, 32}, {7, 96, 0}};
    products<bf16, bf16> p(sizes, false);
    p.fill_whole();
    test::line<float> add(96, 1);
    const auto a = p.views(p.a);
    const auto b = p.views(p.b);
    const auto c = p.views(p.c);
    const auto e = p.views(p.e);
    matrix_products(cuda{}, listed(a), listed(b), listed(e), listed(c), bias(add.there()) | relu);
    EXPECT_EQ(p.check(1, 1,
                      [&](double x, std::size_t j) {
                          return std::fmax(0.0, x + static_cast<double>(add.values[j]));
                      }),
              "");
    // An epilogue kernel follows each product.
    products<bf16, e4m3> q(sizes, false);
    q.fill_whole();
    const auto qa = q.views(q.a);
    const auto qb = q.views(q.b);
    const auto qc = q.views(q.c);
    matrix_products(cuda{}, listed(qa), listed(qb), listed(qc), relu | scale(0.5));
    EXPECT_EQ(q.check(1, 0, [](double x, std::size_t) { return 0.5 * std::fmax(0.0, x); }), "");
}

// Rows of one matrix, weights at a stride, and one A for all.
TEST_F(gpu_group, experts_take_their_rows) {
    constexpr std::size_t experts = 8, n = 64, k = 128;
    const std::size_t counts[experts] = {5, 0, 130, 64, 1, 17, 300, 2};
    std::size_t rows = 0;
    for (const std::size_t count : counts) rows += count;
    mirrored<bf16> x(rows, k, {k, 1});
    mirrored<bf16> w(experts * k, n, {n, 1});
    mirrored<float> y(rows, n, {n, 1});
    x.fill_whole('x'), w.fill_whole('w'), y.upload();
    std::vector<matrix_view<bf16>> from;
    std::vector<matrix_view<float>> to;
    std::size_t first = 0;
    for (const std::size_t count : counts) {
        from.push_back(x.view().block(first, 0, count, k));
        to.push_back(y.view().block(first, 0, count, n));
        first += count;
    }
    const auto weights = strided(w.view().block(0, 0, k, n), experts, k * n);
    if (is_one_launch) {
        EXPECT_EQ(kernels_of([&](const cuda& where) {
                      matrix_products(where, listed(from), weights, listed(to));
                  }),
                  one_launch_and_its_table);
    }
    matrix_products(cuda{}, listed(from), weights, listed(to));
    y.download();
    ASSERT_TRUE(y.is_whole_around());
    first = 0;
    for (std::size_t g = 0; g < experts; first += counts[g++])
        ASSERT_EQ(test::wrong_in(y.host().block(first, 0, counts[g], n),
                                 test::sums(x.host().block(first, 0, counts[g], k),
                                            w.host().block(g * k, 0, k, n))),
                  "")
            << g;
}

template <class I, class O>
void compare_with_single_calls(const shapes_of_group& sizes) {
    products<I, O> at_once(sizes, true);
    products<I, O> loop(sizes, true);
    at_once.fill_random(), loop.fill_random();
    const cuda where{.batch_invariant = true};
    at_once.start(where);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        matrix_product(where, loop.a[i].view(), loop.b[i].view(), loop.c[i].view());
        EXPECT_TRUE(
            test::same_bits(loop.c[i].download().elements(), at_once.c[i].download().elements()))
            << i;
    }
}

TEST_F(gpu_group, batch_invariant_groups_have_the_bits_of_single_calls) {
    const shapes_of_group sizes = {{64, 64, 4096}, {3, 1000, 520},  {256, 128, 72},
                                   {1, 256, 2048}, {500, 200, 640}, {16, 512, 1024}};
    compare_with_single_calls<bf16, float>(sizes);
    compare_with_single_calls<f16, f16>(sizes);
    compare_with_single_calls<e4m3, float>(sizes);
}

// Matrices of one size in an order without a stride.
template <class I, class O>
void compare_pointers(std::size_t m, std::size_t n, std::size_t k, std::size_t count) {
    const shapes_of_group sizes(count, {m, n, k});
    products<I, O> at_once(sizes, true);
    products<I, O> loop(sizes, true);
    at_once.fill_random(), loop.fill_random();
    // One after the other in memory they may be at a stride.
    const auto place = [](std::size_t i) { return i < 2 ? 1 - i : i; };
    const auto where_of = [&](auto& all) {
        std::vector<decltype(all.front().view().data())> where;
        for (std::size_t i = 0; i < count; ++i) where.push_back(all[place(i)].view().data());
        return where;
    };
    const auto a = where_of(at_once.a);
    const auto b = where_of(at_once.b);
    const auto c = where_of(at_once.c);
    const auto e = where_of(at_once.e);
    const auto pointed = [](const auto& where, const auto& like) {
        return pointers(std::span(where), like.rows(), like.cols(), like.row_stride(),
                        like.col_stride());
    };
    const auto start = [&](const cuda& where) {
        matrix_products(where, pointed(a, at_once.a[0].view()), pointed(b, at_once.b[0].view()),
                        pointed(e, at_once.e[0].view()), pointed(c, at_once.c[0].view()));
    };
    if (is_one_launch && !std::is_same_v<I, std::int8_t>) {  // whose E is copied first
        EXPECT_EQ(kernels_of(start), one_launch_and_its_table);
    }
    const cuda invariant{.batch_invariant = true};
    start(invariant);
    for (std::size_t i = 0; i < count; ++i) {
        matrix_product(invariant, loop.a[i].view(), loop.b[i].view(), loop.e[i].view(),
                       loop.c[i].view());
        ASSERT_TRUE(
            test::same_bits(loop.c[i].download().elements(), at_once.c[i].download().elements()))
            << i << " of " << m << "x" << n << "x" << k;
    }
}

TEST_F(gpu_group, pointers_have_the_bits_of_a_loop_in_one_launch) {
    for (const std::size_t count : {3u, 40u})
        for (const auto& [m, n, k] :
             shapes_of_group{{64, 64, 64}, {33, 48, 72}, {16, 512, 704}, {200, 304, 48}}) {
            compare_pointers<bf16, float>(m, n, k, count);
            compare_pointers<f16, f16>(m, n, k, count);
            compare_pointers<e4m3, bf16>(m, n, k, count);
            compare_pointers<std::int8_t, std::int32_t>(m, n, k, count);
        }
}

TEST_F(gpu_group, equal_pointers_may_be_read_by_all) {
    mirrored<bf16> a(64, 64, {64, 1});
    a.fill_whole('a');
    std::vector<mirrored<float>> c;
    for (int i = 0; i < 5; ++i) c.emplace_back(64, 64, test::strides{64, 1});
    for (auto& m : c) m.upload();
    std::vector<bf16*> as(5, a.view().data());
    std::vector<float*> cs;
    for (const std::size_t i : {0u, 2u, 1u, 4u, 3u}) cs.push_back(c[i].view().data());
    matrix_products(cuda{}, pointers(as, 64, 64), a.view(), pointers(cs, 64, 64));
    for (auto& m : c) {
        m.download();
        ASSERT_TRUE(m.is_whole_around());
        ASSERT_EQ(test::wrong_in(m.host(), test::sums(a.host(), a.host())), "");
    }
}

// The host's arrays are gone when the graph runs, and the operands have changed.
TEST_F(gpu_group, graphs_own_what_they_captured) {
    products<bf16, float> p(ragged, false);
    p.fill_random();
    std::optional<test::graph> all;
    {
        auto a = p.views(p.a);
        auto b = p.views(p.b);
        auto c = p.views(p.c);
        all.emplace(
            [&](const cuda& where) { matrix_products(where, listed(a), listed(b), listed(c)); });
        std::ranges::fill(a, matrix_view<bf16>{});
        std::ranges::fill(b, matrix_view<bf16>{});
        std::ranges::fill(c, matrix_view<float>{});
    }
    p.fill_whole();
    const test::stream s = test::make_stream();
    for (int i = 0; i < 3; ++i) all->launch(s.get());
    EXPECT_EQ(p.check(1, 0), "");
}

// Tables follow each other in one memory, and lie beside each other on other streams.
TEST_F(gpu_group, many_groups_in_flight_keep_to_their_tables) {
    std::vector<products<bf16, float>> all;
    std::vector<test::stream> streams;
    for (std::size_t i = 0; i < 12; ++i) {
        shapes_of_group sizes;
        for (std::size_t j = 0; j < 4 + i; ++j) sizes.push_back({16 + 24 * j, 8 + 8 * i, 64});
        all.emplace_back(sizes, false).fill_whole();
    }
    for (int i = 0; i < 3; ++i) streams.push_back(test::make_stream());
    for (int round = 0; round < 5; ++round)
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto& p = all[i];
            p.start(cuda{.stream = streams[i % 3].get()});
        }
    for (auto& p : all) EXPECT_EQ(p.check(1, 0), "");
}

}  // namespace
