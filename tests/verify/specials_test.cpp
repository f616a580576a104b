// NaN and Inf: where the operands put them they must be, and nowhere else; what is not to be read
// is not read.
#include <gtest/gtest.h>

#include "trial.hpp"

namespace carat::verify {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
class Specials : public testing::Test {};
using types = testing::Types<double, float>;
TYPED_TEST_SUITE(Specials, types);

// Puts each special value into A, B or C0: the right result passes; one with the special value
// removed from an entry or moved to another does not.
TYPED_TEST(Specials, PropagateExactlyWhereTheyMust) {
    using T = TypeParam;
    int checks = 0;
    for (const double special : {nan, inf, -inf})
        for (const int where : {0, 1, 2}) {
            trial<T> t(9, 8, 7, workload::normal(0, 1), 1.5, 0.5);
            auto& operand = where == 0 ? t.a : where == 1 ? t.b : t.initial;
            operand[operand.size() / 2] = static_cast<T>(special);
            const reference r = t.reference();
            const std::vector<T> honest = multiply(t);
            EXPECT_TRUE(r.check(honest.data()).passed) << special << " in operand " << where;
            int specials = 0;
            for (std::size_t e = 0; e < honest.size(); ++e) {
                std::vector<T> c = honest;
                specials += std::isfinite(c[e]) ? 0 : 1;
                c[e] = std::isfinite(c[e]) ? static_cast<T>(special) : T{1};
                EXPECT_FALSE(r.check(c.data()).passed) << special << " in " << where << " at " << e;
                ++checks;
            }
            EXPECT_EQ(specials, where == 0 ? 8 : where == 1 ? 9 : 1);
        }
    EXPECT_EQ(checks, 3 * 3 * 72);
}

TYPED_TEST(Specials, InfinityTimesZeroIsNan) {
    using T = TypeParam;
    trial<T> t(2, 2, 2, workload::zeros());
    t.a = {static_cast<T>(inf), 1, 1, 1};
    t.b = {0, 1, 1, 1};
    const T q = static_cast<T>(nan);
    const T i = static_cast<T>(inf);
    const std::vector<T> right = {q, i, 1, 2};
    EXPECT_TRUE(t.reference().check(right.data()).passed);
    for (const std::vector<T>& wrong : {std::vector<T>{i, i, 1, 2}, {q, q, 1, 2}, {q, -i, 1, 2}})
        EXPECT_FALSE(t.reference().check(wrong.data()).passed);
}

TYPED_TEST(Specials, BetaZeroAndAlphaZeroDoNotRead) {
    using T = TypeParam;
    trial<T> t(5, 6, 7, workload::normal(0, 1), 1, 0);
    std::ranges::fill(t.initial, static_cast<T>(nan));
    const std::vector<T> c = multiply(t);
    EXPECT_TRUE(t.reference().check(c.data()).passed);
    EXPECT_TRUE(reference(t.p, {t.a.data(), t.b.data(), nullptr}).check(c.data()).passed);

    trial<T> u(5, 6, 7, workload::normal(0, 1), 0, 3);
    std::vector<T> scaled = u.initial;
    for (T& x : scaled) x *= 3;
    std::ranges::fill(u.a, static_cast<T>(nan));
    std::ranges::fill(u.b, static_cast<T>(nan));
    EXPECT_TRUE(u.reference().check(scaled.data()).passed);
    EXPECT_TRUE(reference(u.p, {nullptr, nullptr, u.initial.data()}).check(scaled.data()).passed);
    scaled[29] = static_cast<T>(nan);
    EXPECT_FALSE(u.reference().check(scaled.data()).passed);
}

TYPED_TEST(Specials, FreivaldsRefusesThem) {
    trial<TypeParam> t(5, 6, 7, workload::normal(0, 1));
    t.b[3] = static_cast<TypeParam>(nan);
    options how;
    how.componentwise_madds = 0;
    EXPECT_THROW(static_cast<void>(t.reference(how)), error);
}

// A sum may overflow on the way in one order and not in another: then Inf and NaN are excused, a
// wrong finite number is not.
TYPED_TEST(Specials, OverflowOnTheWayIsExcused) {
    using T = TypeParam;
    trial<T> t(1, 1, 3, workload::zeros());
    const T large = std::numeric_limits<T>::max();
    t.a = {large, large, -large};
    t.b = {1, 1, 1};
    for (const T c : {large, static_cast<T>(inf)}) EXPECT_TRUE(t.reference().check(&c).passed) << c;
    t.a = {large / 4, large / 4, -large / 4};
    for (const T c : {large / 2, static_cast<T>(inf), static_cast<T>(nan)})
        EXPECT_FALSE(t.reference().check(&c).passed) << c;
}

TEST(SpecialsNarrow, HalfOverflowsToInfinityOnStoring) {
    trial<f16> t(1, 1, 2, workload::zeros());
    t.a = {f16{300.0}, f16{0.0}};
    t.b = {f16{300.0}, f16{0.0}};
    const f16 right{inf};
    const f16 wrong{65504.0};
    const f16 negative{-inf};
    EXPECT_TRUE(t.reference().check(&right).passed);
    EXPECT_FALSE(t.reference().check(&wrong).passed);
    EXPECT_FALSE(t.reference().check(&negative).passed);
}

}  // namespace
}  // namespace carat::verify
