// Where numbers get large: grids beyond 65535 blocks in one direction, elements beyond 2^31, more
// memory than there is. On a GPU; skipped without one.
#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "lab/rows/catalogue.hpp"
#include "lab/space/cuda/device_space.hpp"
#include "ladder/cuda/table.hpp"
#include "tests/cuda/sweep.hpp"

namespace {

using namespace carat;

class limits : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
    }
    static space::execution_space& gpu() {
        return space::cuda::device_space(cuda::device_in_use());
    }
};

core::problem problem_for(const rows::implementation& entry, std::int64_t m, std::int64_t n,
                          std::int64_t k) {
    const core::signature& types = entry.signatures[0];
    core::problem p = core::row_major_problem(types.c, m, n, k);
    p.a_type = types.a;
    p.b_type = types.b;
    // Some steps want lines at multiples of 16 bytes.
    const auto padded = [](std::int64_t length) { return core::row_major((length + 7) / 8 * 8); };
    p.a_layout = padded(k);
    p.b_layout = p.c_layout = padded(n);
    return p;
}

TEST_F(limits, more_than_65535_tiles_down_or_across) {
    int ran = 0;
    for (const rows::implementation* entry : ladder::cuda::table())
        for (const bool tall : {true, false}) {
            // 65,600 tiles of 128.
            const std::int64_t length = std::int64_t{65600} * 128 + 1;
            const core::problem p = problem_for(*entry, tall ? length : 1, tall ? 1 : length, 2);
            if (!rows::reason_against(*entry, p, {}).empty()) continue;  // C ends between 16 bytes
            test::trial t{p, 0};
            ASSERT_EQ(test::check(*entry, {}, t), "") << entry->name;
            ++ran;
        }
    EXPECT_EQ(ran, 40);
}

// Rows so far apart that the second one begins beyond 2^31 elements.
TEST_F(limits, elements_beyond_2_to_the_31) {
    int ran = 0;
    for (const rows::implementation* entry : ladder::cuda::table()) {
        const std::int64_t stride = (std::int64_t{1} << 31) + 64;
        core::problem p = problem_for(*entry, 2, 2, 2);
        p.a_layout = p.b_layout = p.c_layout = core::row_major(stride);
        if (!rows::reason_against(*entry, p, {}).empty()) continue;  // C ends between 16 bytes
        const auto bytes = static_cast<std::size_t>(stride + 2) * size_bytes(p.c_type);
        const auto in_bytes = static_cast<std::size_t>(stride + 2) * size_bytes(p.a_type);
        if (gpu().available_bytes() < bytes + 2 * in_bytes + (std::size_t{1} << 28))
            GTEST_SKIP() << "needs " << bytes + 2 * in_bytes << " bytes of a GPU's memory";
        const space::buffer a(gpu(), in_bytes);
        const space::buffer b(gpu(), in_bytes);
        const space::buffer c(gpu(), bytes);
        const auto each = [&](const space::buffer& m, dtype type, char operand, auto&& visit) {
            for (std::int64_t i = 0; i < 2; ++i)
                for (std::int64_t j = 0; j < 2; ++j)
                    visit(static_cast<std::byte*>(m.data()) +
                              static_cast<std::size_t>(i * stride + j) * size_bytes(type),
                          test::whole(static_cast<unsigned>(operand), i, j), i, j);
        };
        const auto put = [&](const space::buffer& m, dtype type, char operand) {
            each(m, type, operand, [&](std::byte* at, int value, std::int64_t, std::int64_t) {
                std::byte element[8];
                test::write(type, element, value);
                gpu().upload(at, element, size_bytes(type));
            });
        };
        put(a, p.a_type, 'a');
        put(b, p.b_type, 'b');
        entry->prepare(p, {})->run({a.data(), b.data(), c.data()});
        const test::sums& product = test::whole_sums(2, 2, 2);
        each(c, p.c_type, 'c', [&](std::byte* at, int, std::int64_t i, std::int64_t j) {
            std::byte element[8];
            gpu().download(element, at, size_bytes(p.c_type));
            EXPECT_EQ(test::read(p.c_type, element), product(i, j))
                << entry->name << " C(" << i << ", " << j << ")";
        });
        ++ran;
    }
    EXPECT_EQ(ran, 20);
}

TEST_F(limits, out_of_memory_says_how_much_was_asked_and_is_free) {
    try {
        (void)gpu().allocate(std::size_t{1} << 50);
        FAIL() << "a pebibyte was granted";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), error_code::out_of_memory);
        const std::string text = e.what();
        EXPECT_NE(text.find("1125899906842624"), std::string::npos) << text;
        EXPECT_NE(text.find("free"), std::string::npos) << text;
    }
    EXPECT_NO_THROW(space::buffer(gpu(), 1 << 20)) << "the failure must not stay behind";
}

TEST_F(limits, the_clock_takes_the_work_and_not_its_launch) {
    const rows::implementation& entry = *ladder::cuda::table()[0];
    const core::problem p = problem_for(entry, 1024, 1024, 1024);
    const space::buffer memory(gpu(), 3 * 1024 * 1024 * 8);
    auto* const at = static_cast<std::byte*>(memory.data());
    const auto ready = entry.prepare(p, {});
    const auto run = [&] { ready->run({at, at + (8 << 20), at + (16 << 20)}); };
    (void)gpu().time_s(run);
    const double one = gpu().time_s(run);
    const double ten = gpu().time_s([&] {
        for (int i = 0; i < 10; ++i) run();
    });
    EXPECT_GT(one, 1e-6);
    EXPECT_GT(ten, 3 * one);
}

}  // namespace
