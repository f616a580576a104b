// What the call on a GPU refuses, with and without a GPU: wrong arguments are reported before a
// missing machine.
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <carat/carat.hpp>
#include <carat/leave_sms.hpp>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

matrix_view<bf16> at(bf16* p, std::size_t rows, std::size_t cols) {
    return {p, rows, cols};
}

class gpu_refusals : public test::refusals {};

TEST_F(gpu_refusals, arguments_are_checked_as_on_the_cpu) {
    using enum error_code;
    static const float values[8] = {};
    bf16* const null = nullptr;
    const auto refuse = [this](error_code code, const std::vector<std::string>& words,
                               const auto& call) {
        test::refusals::refuse(code, words, [&](double* p) { call(reinterpret_cast<bf16*>(p)); });
    };
    refuse(size_mismatch, {"matrix_product: A is 3 x 4", "B is 5 x 6"}, [](bf16* p) {
        matrix_product(cuda{}, at(p, 3, 4), at(p + 99, 5, 6), at(p + 200, 3, 6));
    });
    refuse(size_mismatch, {"matrix_product: E is 3 x 1"}, [](bf16* p) {
        matrix_product(cuda{}, at(p, 3, 4), at(p + 99, 4, 6), at(p + 300, 3, 1), at(p + 200, 3, 6));
    });
    refuse(invalid_argument, {"A is 3 x 4", "null"}, [=](bf16* p) {
        matrix_product(cuda{}, at(null, 3, 4), at(p, 4, 6), at(p + 200, 3, 6));
    });
    refuse(aliasing, {"C overlaps A"}, [](bf16* p) {
        matrix_product(cuda{}, at(p, 4, 4), at(p + 200, 4, 4), at(p + 3, 4, 4));
    });
    refuse(aliasing, {"C overlaps E"}, [](bf16* p) {
        const auto c = at(p + 200, 4, 4);
        matrix_product(cuda{}, at(p, 4, 4), at(p + 99, 4, 4), transposed(c), c);
    });
    refuse(invalid_argument, {"strides 0 and 1", "one place"}, [](bf16* p) {
        matrix_product(cuda{}, at(p, 4, 4), at(p + 99, 4, 4), matrix_view(p + 200, 4, 4, 0, 1));
    });
    refuse(size_mismatch, {"the bias has 8 values", "each column"}, [](bf16* p) {
        matrix_product(cuda{}, at(p, 4, 4), at(p + 99, 4, 4), at(p + 200, 4, 4),
                       bias(std::span(values, 8)));
    });
    refuse(invalid_argument, {"matrix_product: alpha is 0.5", "whole numbers"}, [](bf16* p) {
        auto* const bytes = reinterpret_cast<std::int8_t*>(p);
        auto* const sums = reinterpret_cast<std::int32_t*>(p + 200);
        matrix_product(cuda{}, scaled(0.5, matrix_view(bytes, 4, 4)), matrix_view(bytes + 99, 4, 4),
                       matrix_view(sums, 4, 4));
    });
    refuse(aliasing, {"matrix_products: C of product 1 overlaps C of product 0"}, [](bf16* p) {
        matrix_products(cuda{}, at(p, 4, 4), at(p + 99, 4, 4), strided(at(p + 200, 4, 4), 3, 15));
    });
    refuse(size_mismatch, {"matrix_products: A has 2 matrices and C has 3"}, [](bf16* p) {
        matrix_products(cuda{}, strided(at(p, 4, 4), 2, 16), at(p + 99, 4, 4),
                        strided(at(p + 200, 4, 4), 3, 16));
    });
    refuse(size_mismatch, {"matrix_products: product 1: A is 2 x 3 and B is 4 x 4"}, [](bf16* p) {
        const std::vector<matrix_view<bf16>> a = {at(p, 4, 4), at(p, 2, 3)};
        const std::vector<matrix_view<bf16>> c = {at(p + 200, 4, 4), at(p + 300, 2, 4)};
        matrix_products(cuda{}, listed(a), at(p + 99, 4, 4), listed(c));
    });
    EXPECT_EQ(refused_, 11);
}

// Whether this build has kernels, else it has nothing to say about epilogues.
bool knows_kernels() {
    try {
        matrix<bf16> a(1, 1), b(1, 1), c(1, 1);
        matrix_product(cuda{}, a, b, c);
    } catch (const error& why) {
        return std::string(why.what()).find("this build has no CUDA") == std::string::npos;
    }
    return true;
}

TEST_F(gpu_refusals, epilogues_that_no_kernel_has_name_the_step) {
    if (!knows_kernels()) GTEST_SKIP() << "this build has no CUDA";
    matrix<bf16> a(4, 4), b(4, 4), c(4, 4), half(4, 2);
    float x = 0;
    float y = 0;
    const auto refuse = [&](auto& into, const auto& last, const char* words) {
        test::expect_refusal([&] { matrix_product(cuda{}, a, b, into, last); },
                             error_code::unsupported, {"on a GPU", words});
    };
    refuse(c, each([](auto s) { return s; }), "each is a function of the host");
    refuse(half, swiglu | reglu, "one gate");
    refuse(half, amax(&x) | geglu, "amax can't come before a gate");
    refuse(c, amax(&x) | amax(&y), "one amax");
}

TEST_F(gpu_refusals, e5m2_shares_out_no_columns) {
    matrix<e5m2> a(4, 4);
    matrix<e4m3> b(4, 4);
    matrix<float> c(4, 4);
    const std::int32_t ends[] = {2, 4};
    test::expect_refusal(
        [&] {
            matrix_products(cuda{}, strided(a.view(), 2, 0), transposed(ragged(b.view(), ends, 2)),
                            transposed(ragged(c.view(), ends, 2)));
        },
        error_code::unsupported, {"e5m2 by e4m3 divide rows, not columns"});
}

TEST_F(gpu_refusals, gates_and_amax_are_checked_as_other_steps) {
    matrix<bf16> a(4, 4), b(4, 4), c(4, 4), half(4, 2);
    matrix<float> wide(4, 4);
    const std::vector<float> v(2);
    test::expect_refusal([&] { matrix_product(cuda{}, a, b, c, swiglu); },
                         error_code::size_mismatch, {"C is 4 x 4", "half the columns"});
    test::expect_refusal([&] { matrix_product(cuda{}, a, b, half, bias(v) | swiglu); },
                         error_code::size_mismatch, {"the bias has 2 values", "of A B"});
    float* const null = nullptr;
    test::expect_refusal([&] { matrix_product(cuda{}, a, b, c, amax(null)); },
                         error_code::invalid_argument, {"the amax", "null"});
    test::expect_refusal([&] { matrix_product(cuda{}, a, b, wide, amax(wide.data() + 3)); },
                         error_code::aliasing, {"C overlaps the amax"});
}

// The amax is written before E is read, and before the product has read A if it runs in parts.
TEST_F(gpu_refusals, an_amax_into_what_is_read_is_refused) {
    matrix<float> a(4, 4), b(4, 4), e(4, 4), c(4, 4);
    std::vector<float> v(4);
    const auto refuse = [&](const char* words, const auto& last) {
        test::expect_refusal([&] { matrix_product(cuda{}, a, b, e, c, last); },
                             error_code::aliasing, {"matrix_product: ", words});
        test::expect_refusal(
            [&] { matrix_products(cuda{}, strided(a, 1, 16), b, e, strided(c, 1, 16), last); },
            error_code::aliasing, {"product 0: ", words});
    };
    refuse("the amax overlaps A", amax(a.data() + 7));
    refuse("the amax overlaps B", amax(b.data()));
    refuse("the amax overlaps E", amax(e.data() + 15));
    refuse("the amax overlaps the bias", bias(v) | amax(v.data() + 1));
    refuse("the amax overlaps the scale", amax(v.data() + 3) | scale(v));
    matrix<e4m3> x(3, 128), y(128, 128);
    matrix<float> z(3, 128), of_x(3, 1), of_y(1, 1);
    for (float* const at : {of_x.data() + 2, of_y.data()})
        test::expect_refusal(
            [&] {
                matrix_product(cuda{}, scaled_by_blocks(x, of_x), scaled_by_blocks(y, of_y), z,
                               amax(at));
            },
            error_code::aliasing, {"the amax overlaps the scales of"});
}

// The stride of a single row or column is never used.
TEST_F(gpu_refusals, scales_of_one_column_may_have_any_stride) {
    matrix<e4m3> a(3, 128), b(128, 128);
    matrix<float> c(3, 128), scales(3, 1), of_b(1, 1);
    constexpr std::ptrdiff_t far = std::ptrdiff_t{1} << 40;
    const matrix_view<const float> of_a(scales.data(), 3, 1, 1, far);
    const matrix_view<const float> of_one(of_b.data(), 1, 1, far, -far);
    try {
        matrix_product(cuda{.device = 99}, scaled_by_blocks(a, of_a), scaled_by_blocks(b, of_one),
                       c);
        ADD_FAILURE() << "there is a GPU 99";
    } catch (const error& why) {
        EXPECT_EQ(std::string(why.what()).find("2^31"), std::string::npos) << why.what();
    }
}

TEST_F(gpu_refusals, scales_of_blocks_must_be_as_many_as_blocks) {
    matrix<e4m3> a(3, 130), b(130, 200);
    matrix<float> c(3, 200), of_a(3, 2), of_b(2, 2), too_few(3, 1);
    const auto refuse = [&](auto& x, auto& y, error_code code, std::vector<std::string> words) {
        test::expect_refusal(
            [&] { matrix_product(cuda{}, scaled_by_blocks(a, x), scaled_by_blocks(b, y), c); },
            code, words);
    };
    refuse(too_few, of_b, error_code::size_mismatch,
           {"matrix_product: the scales of A are 3 x 1", "A is 3 x 130", "must be 3 x 2"});
    refuse(of_a, of_a, error_code::size_mismatch,
           {"the scales of B are 3 x 2", "B is 130 x 200", "must be 2 x 2"});
    matrix_view<float> in_c(c.data() + 1, 3, 2);
    refuse(in_c, of_b, error_code::aliasing, {"C overlaps the scales of A"});
    matrix_view<float> null(nullptr, 2, 2);
    refuse(of_a, null, error_code::invalid_argument, {"the scales of B", "null"});
}

TEST_F(gpu_refusals, what_only_a_gpu_takes_is_refused_on_the_cpu) {
    matrix<float> a(4, 4), b(4, 4), c(4, 4), half(4, 2);
    float x = 0;
    test::expect_refusal([&] { matrix_product(a, b, half, swiglu); }, error_code::unsupported,
                         {"matrix_product: gates are for carat::cuda"});
    test::expect_refusal([&] { matrix_products(a, b, strided(c, 1, 16), amax(&x)); },
                         error_code::unsupported, {"matrix_products: amax is for carat::cuda"});
}

TEST_F(gpu_refusals, without_a_gpu_the_reason_is_one_line) {
    matrix<bf16> a(4, 4), b(4, 4), c(4, 4);
    test::expect_refusal([&] { matrix_product(cuda{.device = 99}, a, b, c); },
                         error_code::unsupported, {"matrix_product: ", ": "});
    test::expect_refusal([&] { matrix_products(cuda{.device = 99}, a, b, strided(c, 1, 16)); },
                         error_code::unsupported, {"matrix_products: ", ": "});
    const std::vector<matrix_view<bf16>> cs = {c.view()};
    test::expect_refusal([&] { matrix_products(cuda{.device = 99}, a, b, listed(cs)); },
                         error_code::unsupported, {"matrix_products: ", ": "});
}

TEST_F(gpu_refusals, fewer_than_no_sms_can_not_be_left) {
    test::expect_refusal([] { const leave_sms others(-1); }, error_code::invalid_argument,
                         {"leave_sms: the number of SMs is -1: it must be at least 0"});
}

}  // namespace
