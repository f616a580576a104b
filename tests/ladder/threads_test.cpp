// The threaded steps: the threads asked for, the same bits as the serial step, call after call.
#include <algorithm>
#include <gtest/gtest.h>
#include <string_view>

#include "ladder/cpu/table.hpp"
#include "tests/ladder/multiplication.hpp"

namespace {

using namespace carat;
using test::multiplication;

const rows::implementation& entry_named(std::string_view name) {
    return **std::ranges::find(ladder::cpu::table(), name, &rows::implementation::name);
}

template <class T>
constexpr int threaded_steps = std::is_integral_v<T> ? 2 : 4;

template <class T>
class threaded : public testing::Test {};
using types = testing::Types<double, float, std::int32_t>;
TYPED_TEST_SUITE(threaded, types);

TYPED_TEST(threaded, equals_the_serial_step_on_every_call) {
    multiplication<TypeParam> serial(70, 95, 40);
    entry_named("cpu.ladder.tiled_reordered")
        .prepare(serial.problem, {1, {{"tile-size", 16}}})
        ->run(serial.data());
    int run = 0;
    for (const rows::implementation* entry : ladder::cpu::table()) {
        if (!entry->threaded || !test::takes<TypeParam>(*entry)) continue;
        for (const int threads : {1, 2, 3}) {
            multiplication<TypeParam> x(70, 95, 40);
            const auto prepared = entry->prepare(x.problem, {threads, {{"tile-size", 16}}});
            EXPECT_EQ(prepared->threads(), threads) << entry->name;
            for (int call = 0; call < 20; ++call, ++run) {
                std::ranges::fill(x.c, TypeParam{9});
                prepared->run(x.data());
                EXPECT_TRUE(x.c == serial.c) << entry->name << ", " << threads << " threads";
            }
        }
    }
    EXPECT_EQ(run, threaded_steps<TypeParam> * 3 * 20);
}

// A product that is prepared but never run also ends its threads.
TEST(threaded_lifetime, ends_without_a_run) {
    multiplication<double> x(4, 4, 4);
    for (int round = 0; round < 50; ++round)
        EXPECT_EQ(
            entry_named("cpu.ladder.threads").prepare(x.problem, test::on_threads(3))->threads(),
            3);
}

TEST(serial_steps, report_one_thread_whatever_is_asked_for) {
    int asked = 0;
    multiplication<double> x(4, 4, 4);
    for (const rows::implementation* entry : ladder::cpu::table())
        if (!entry->threaded) {
            EXPECT_EQ(entry->prepare(x.problem, test::on_threads(3))->threads(), 1) << entry->name;
            ++asked;
        }
    EXPECT_EQ(asked, 11);
}

}  // namespace
