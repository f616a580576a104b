// Every step of the ladder multiplies small integers exactly: all ragged shapes, layouts and block
// sizes, with nothing touched outside C.
#include <algorithm>

#include "ladder/cpu/anatomy/dispatch.hpp"
#include "ladder/cpu/table.hpp"
#include "ladder/cpu/tiles.hpp"
#include "tests/ladder/multiplication.hpp"

namespace {

using namespace carat;
using test::multiplication;
using test::shape;

template <class T>
class exact : public testing::Test {};
using types = testing::Types<double, float, std::int32_t>;
TYPED_TEST_SUITE(exact, types);

template <class T>
int entries_taking() {
    return static_cast<int>(std::ranges::count_if(
        ladder::cpu::table(), [](const auto* entry) { return test::takes<T>(*entry); }));
}

template <class T, class Body>
int for_each_entry(const Body& body) {
    int run = 0;
    for (const rows::implementation* entry : ladder::cpu::table())
        if (test::takes<T>(*entry)) run += body(*entry);
    return run;
}

TEST(exact, fifteen_steps_take_reals_and_seven_of_them_integers) {
    EXPECT_EQ(entries_taking<double>(), 15);
    EXPECT_EQ(entries_taking<float>(), 15);
    EXPECT_EQ(entries_taking<std::int32_t>(), 7);
}

TYPED_TEST(exact, small_sizes_in_all_combinations) {
    constexpr std::int64_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 17};
    const int run = for_each_entry<TypeParam>([&](const rows::implementation& entry) {
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const auto k : sizes)
                    multiplication<TypeParam>(m, n, k).check(entry, test::with_blocks(entry, 4));
        return 8 * 8 * 8;
    });
    EXPECT_EQ(run, 512 * entries_taking<TypeParam>());
}

// One less, the same and one more than a vector, a micro-tile and a tile of the default size.
TYPED_TEST(exact, sizes_around_vectors_micro_tiles_and_tiles) {
    using real = std::conditional_t<std::is_same_v<TypeParam, float>, float, double>;
    const auto& level = ladder::cpu::level_in_use<real>();
    const std::int64_t tile = ladder::cpu::tile_size.initial;
    const std::int64_t edges[][3] = {{level.mr, level.nr, 5},
                                     {level.nr, level.mr, level.lanes},
                                     {2 * level.mr, 2 * level.nr, level.lanes},
                                     {tile, level.nr, level.mr},
                                     {level.mr, tile, level.nr},
                                     {level.mr, level.nr, tile},
                                     {tile, tile, 2}};
    const int run = for_each_entry<TypeParam>([&](const rows::implementation& entry) {
        for (const auto& [m, n, k] : edges)
            for (int d = 0; d < 27; ++d)
                multiplication<TypeParam>(m + d % 3 - 1, n + d / 3 % 3 - 1, k + d / 9 - 1)
                    .check(entry);
        return 7 * 27;
    });
    EXPECT_EQ(run, 7 * 27 * entries_taking<TypeParam>());
}

TYPED_TEST(exact, all_layouts_with_padding_untouched) {
    constexpr shape inputs[] = {shape::row_major,    shape::column_major, shape::padded_rows,
                                shape::both_strides, shape::one_row,      shape::one_element};
    constexpr shape outputs[] = {shape::row_major, shape::column_major, shape::padded_rows,
                                 shape::both_strides};
    constexpr std::int64_t sizes[][3] = {{9, 25, 7}, {33, 19, 40}, {1, 50, 3}, {50, 1, 3}};
    const int run = for_each_entry<TypeParam>([&](const rows::implementation& entry) {
        int done = 0;
        for (const auto& [m, n, k] : sizes)
            for (const shape a : inputs)
                for (const shape b : inputs)
                    for (const shape c : outputs) {
                        multiplication<TypeParam> x(m, n, k, a, b, c);
                        x.problem.beta = done % 2;
                        x.check(entry,
                                done % 3 == 0 ? core::settings() : test::with_blocks(entry, 16));
                        ++done;
                    }
        return done;
    });
    EXPECT_EQ(run, 4 * 6 * 6 * 4 * entries_taking<TypeParam>());
}

// Block sizes that divide nothing, from one element to more than the matrix.
TYPED_TEST(exact, any_block_size) {
    const int run = for_each_entry<TypeParam>([&](const rows::implementation& entry) {
        for (const std::int64_t size : {1, 2, 3, 5, 7, 13, 24, 31, 64, 1000})
            multiplication<TypeParam>(45, 61, 37).check(entry, test::with_blocks(entry, size));
        return 10;
    });
    EXPECT_EQ(run, 10 * entries_taking<TypeParam>());
}

// int32 wraps modulo 2^32 instead of overflowing.
TEST(exact, integers_wrap) {
    const int run = for_each_entry<std::int32_t>([](const rows::implementation& entry) {
        multiplication<std::int32_t> x(2, 2, 3);
        std::ranges::fill(x.a, std::numeric_limits<std::int32_t>::min() + 1);
        std::ranges::fill(x.b, 3);
        std::ranges::fill(x.c, 7);
        x.problem.alpha = -1;
        x.problem.beta = -2;
        entry.prepare(x.problem, {})->run(x.data());
        // -(3 x 3 x (1 - 2^31)) - 2 x 7 = -9 - 14 + 9 x 2^31 = -23 + 2^31 modulo 2^32
        EXPECT_EQ(*x.c_at(1, 1), 2147483648LL - 23) << entry.name;
        return 1;
    });
    EXPECT_EQ(run, 7);
}

}  // namespace
