// The call on a GPU compared with the definition, exactly, on whole numbers: every type, layout,
// factor, E and form of epilogue.
#include <chrono>
#include <sys/mman.h>
#include <thread>

#include "tests/gpu_call/one_product.hpp"

namespace {

using namespace carat;
using test::e_is;
using test::gelu_of;
using test::line;
using test::mirrored;
using test::one_product;
using test::shape;
using test::shapes;

template <class Types>
class gpu_product : public test::gpu_test {};

using all_types =
    testing::Types<test::types<f16, float>, test::types<f16, f16>, test::types<bf16, float>,
                   test::types<bf16, bf16>, test::types<e4m3, float>, test::types<e4m3, bf16>,
                   test::types<float, float>, test::types<double, double>,
                   test::types<std::int8_t, std::int32_t>>;
TYPED_TEST_SUITE(gpu_product, all_types);

double plain(double x, std::size_t, std::size_t) {
    return x;
}

TYPED_TEST(gpu_product, is_exact_on_whole_numbers) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    const test::stream stream = test::make_stream();
    unsigned count = 0;
    for (const shape& s : shapes)
        for (int i = 0; i < 12; ++i, ++count)
            for (const bool invariant : {false, true}) {
                one_product<in, out> p(s, count);
                p.start(cuda{.stream = stream.get(), .batch_invariant = invariant});
                ASSERT_EQ(p.check(plain), "") << p.text() << " number " << count;
            }
    EXPECT_EQ(count, 12 * std::size(shapes));
}

TYPED_TEST(gpu_product, epilogues_are_exact_on_whole_numbers) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    if constexpr (sizeof(in) <= 2 && !std::is_integral_v<in>) {
        unsigned count = 0;
        for (const shape& s : shapes)
            for (int i = 0; i < 6; ++i, ++count) {
                one_product<in, out> p(s, count);
                const by of = count % 3 == 0 ? by::row : by::column;
                const std::size_t lines = of == by::row ? s.m : s.n;
                const line<float> factors(lines, 0);
                const line<float> added(lines, 1);
                const auto place = [&](std::size_t r, std::size_t c) {
                    return of == by::row ? r : c;
                };
                p.start(cuda{},
                        scale(factors.there(), of) | scale(2.0) | bias(added.there(), of) | relu);
                ASSERT_EQ(p.check([&](double x, std::size_t r, std::size_t c) {
                    const std::size_t at = place(r, c);
                    return std::fmax(0, x * 2 * static_cast<double>(factors.values[at]) +
                                            static_cast<double>(added.values[at]));
                }),
                          "")
                    << p.text() << " number " << count;
                one_product<in, out> q(s, count + 1);
                q.start(cuda{}, bias(added.there(), of));
                ASSERT_EQ(q.check([&](double x, std::size_t r, std::size_t c) {
                    return x + static_cast<double>(added.values[place(r, c)]);
                }),
                          "")
                    << q.text() << " number " << count;
            }
        EXPECT_EQ(count, 6 * std::size(shapes));
    }
}

TYPED_TEST(gpu_product, gelu_and_silu_are_what_they_are_defined_to_be) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    if constexpr (sizeof(in) <= 2 && !std::is_integral_v<in>) {
        const double tolerance = sizeof(out) == 4 ? 2e-6 : 0x1p-7;
        for (unsigned count = 0; count < 20; ++count) {
            one_product<in, out> p({64 + count, 130, 40}, count);
            p.start(cuda{}, scale(0.125) | gelu);
            ASSERT_EQ(p.check([](double x, std::size_t, std::size_t) { return gelu_of(x / 8); },
                              tolerance),
                      "")
                << p.text();
            one_product<in, out> q({64 + count, 130, 40}, count);
            q.start(cuda{}, scale(0.125) | silu);
            ASSERT_EQ(q.check([](double x, std::size_t,
                                 std::size_t) { return x / 8 / (1 + std::exp(-x / 8)); },
                              tolerance),
                      "")
                << q.text();
        }
    }
}

TYPED_TEST(gpu_product, c_may_run_backward) {
    using in = typename TypeParam::in;
    using out = typename TypeParam::out;
    const shape s{300, 512, 64};
    one_product<in, out> p(s, 1);
    p.c = mirrored<out>(s.m, s.n, {-512, 1});
    p.which = e_is::absent;
    p.beta = 0;
    p.c.upload();
    p.start(cuda{});
    EXPECT_EQ(p.check(plain), "");
}

class gpu_call : public test::gpu_test {};

TEST_F(gpu_call, what_is_not_a_number_stays_in_its_row) {
    mirrored<bf16> a(70, 40, {40, 1});
    mirrored<bf16> b(40, 90, {90, 1});
    mirrored<float> c(70, 90, {90, 1});
    a.fill_whole('a').here(7, 3) = bf16(std::numeric_limits<double>::quiet_NaN());
    a.upload();
    b.fill_whole('b');
    c.upload();
    matrix_product(cuda{}, a.view(), b.view(), c.view(), relu);
    c.download();
    for (std::size_t i = 0; i < 70; ++i)
        for (std::size_t j = 0; j < 90; ++j) EXPECT_EQ(std::isnan(c.here(i, j)), i == 7) << i;
}

TEST_F(gpu_call, an_empty_c_needs_nothing) {
    const matrix_view<f16> none(nullptr, 0, 0);
    matrix_product(cuda{}, none, matrix_view<f16>(nullptr, 0, 4), matrix_view<f16>(nullptr, 0, 4));
}

TEST_F(gpu_call, host_memory_is_refused_before_anything_runs) {
    if (reads_host_memory()) GTEST_SKIP() << "this GPU reads the host's memory";
    matrix<f16> here(24, 24);
    mirrored<f16> there(24, 24, {24, 1});
    there.fill_whole('a');
    mirrored<f16> c(24, 24, {24, 1});
    c.upload();
    test::expect_refusal([&] { matrix_product(cuda{}, there.view(), here, c.view()); },
                         error_code::invalid_argument, {"B lies in host memory"});
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// Also at an address where GPU memory was freed: the driver returns such addresses to the system.
TEST_F(gpu_call, host_memory_is_refused_where_a_gpus_was) {
    if (reads_host_memory()) GTEST_SKIP() << "this GPU reads the host's memory";
    constexpr std::size_t bytes = std::size_t{1} << 30;
    void* there = nullptr;
    test::must(cudaMalloc(&there, bytes), "cudaMalloc");
    mirrored<f16> c(24, 24, {24, 1});
    c.upload();
    const matrix_view<f16> a(static_cast<f16*>(there), 24, 24);
    matrix_product(cuda{}, a, a, c.view());
    test::must(cudaFree(there), "cudaFree");
    void* const here = mmap(there, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (here != there) GTEST_SKIP() << "the system gave other addresses";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_THROW(matrix_product(cuda{}, a, a, c.view()), error);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    munmap(here, bytes);
}

// Also if the shape already has a plan, and far down a list.
TEST_F(gpu_call, host_memory_is_refused_of_a_shape_met_before) {
    if (reads_host_memory()) GTEST_SKIP() << "this GPU reads the host's memory";
    matrix<f16> here(24, 24);
    mirrored<f16> a(24, 24, {24, 1});
    mirrored<f16> c(24 * 8, 24, {24, 1});
    a.fill_whole('a');
    c.upload();
    const auto refuse = [&](const char* name, const auto& call) {
        test::expect_refusal(call, error_code::invalid_argument,
                             {std::string(name) + " lies in host memory"});
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    };
    const auto first = c.view().block(0, 0, 24, 24);
    matrix_product(cuda{}, a.view(), a.view(), first);
    refuse("A", [&] { matrix_product(cuda{}, here, a.view(), first); });
    refuse("B", [&] { matrix_product(cuda{}, a.view(), here, first); });
    refuse("C", [&] { matrix_product(cuda{}, a.view(), a.view(), here); });
    std::vector<const f16*> as(8, a.view().data());
    std::vector<f16*> cs;
    for (std::size_t i = 0; i < 8; ++i) cs.push_back(c.view().data() + i * 24 * 24);
    const auto multiply = [&] {
        matrix_products(cuda{}, pointers(as, 24, 24), a.view(), pointers(cs, 24, 24));
    };
    multiply();
    as[6] = here.data();
    refuse("A", multiply);
}

TEST_F(gpu_call, types_without_a_kernel_are_refused_with_those_there_are) {
    mirrored<std::uint8_t> a(8, 8, {8, 1});
    mirrored<std::int32_t> c(8, 8, {8, 1});
    test::expect_refusal([&] { matrix_product(cuda{}, a.view(), a.view(), c.view()); },
                         error_code::unsupported, {"it takes f16"});
}

TEST_F(gpu_call, the_current_device_is_left_as_it_was) {
    int before = -1;
    int after = -1;
    test::must(cudaGetDevice(&before), "device");
    mirrored<f16> a(8, 8, {8, 1});
    mirrored<f16> c(8, 8, {8, 1});
    a.fill_whole('a');
    c.upload();
    matrix_product(cuda{.device = 0}, a.view(), a.view(), c.view());
    test::must(cudaGetDevice(&after), "device");
    EXPECT_EQ(before, after);
    EXPECT_THROW(matrix_product(cuda{.device = 99}, a.view(), a.view(), c.view()), error);
    test::must(cudaGetDevice(&after), "device");
    EXPECT_EQ(before, after);
}

// One operand at a time changes its address while the shape stays, in narrow and wide tiles, packed
// and unpacked.
TEST_F(gpu_call, what_lies_elsewhere_is_read_and_written_there) {
    struct extent {
        std::size_t m, n, k;
    };
    for (const auto& [m, n, k] : {extent{64, 128, 16}, {2048, 4096, 16}, {2048, 4097, 16}}) {
        const auto alike = [](std::size_t rows, std::size_t cols, double value) {
            mirrored<bf16> made(rows, cols, {static_cast<std::ptrdiff_t>(cols), 1});
            made.fill([&](std::size_t, std::size_t) { return value; });
            return made;
        };
        mirrored<bf16> a[] = {alike(m, k, 1), alike(m, k, 2)};
        mirrored<bf16> b[] = {alike(k, n, 1), alike(k, n, 3)};
        mirrored<bf16> e[] = {alike(m, n, 5), alike(m, n, 7)};
        mirrored<bf16> c[] = {alike(m, n, 0), alike(m, n, 0)};
        for (const unsigned which : {0U, 1U, 3U, 7U, 15U, 14U, 12U, 8U, 0U, 0U}) {
            mirrored<bf16>& to = c[which >> 3];
            to.fill_poison();
            matrix_product(cuda{}, a[which & 1].view(), b[which >> 1 & 1].view(),
                           scaled(1.0, e[which >> 2 & 1].view()), to.view());
            to.download();
            const double expected = static_cast<double>(k) * ((which & 1) != 0 ? 2 : 1) *
                                        ((which >> 1 & 1) != 0 ? 3 : 1) +
                                    ((which >> 2 & 1) != 0 ? 7 : 5);
            EXPECT_EQ(test::wrong_in(to.host(), [&](auto, auto) { return expected; }), "")
                << m << " x " << n << " x " << k << ", number " << which;
        }
    }
}

// E is not aligned to 16 bytes when the plan is made, and is later; it then comes by a path on
// which an operand packed meanwhile must not be.
TEST_F(gpu_call, what_is_added_may_move_onto_16_bytes) {
    constexpr std::size_t m = 2048;
    constexpr std::size_t n = 4096;
    constexpr std::size_t k = 1025;
    const auto filled = [](std::size_t rows, std::size_t cols, double value) {
        mirrored<bf16> made(rows, cols, {static_cast<std::ptrdiff_t>(cols), 1});
        made.fill([&](std::size_t, std::size_t) { return value; });
        return made;
    };
    mirrored<bf16> a = filled(m, k, 1);
    mirrored<bf16> b = filled(k, n, 1);
    mirrored<bf16> e = filled(m + 1, n, -1);
    mirrored<bf16> c = filled(m, n, 0);
    for (const std::ptrdiff_t offset : {1, 0, 1, 0}) {
        const matrix_view<const bf16> added{e.view().data() + offset, m, n,
                                            static_cast<std::ptrdiff_t>(n), 1};
        c.fill_poison();
        matrix_product(cuda{}, a.view(), b.view(), scaled(1.0, added), c.view());
        c.download();
        EXPECT_EQ(test::wrong_in(c.host(), [](auto, auto) { return 1024; }), "")
            << "offset " << offset;
    }
}

}  // namespace
