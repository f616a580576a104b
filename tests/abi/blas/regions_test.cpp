// A call wakes threads only once: each time it does, it may wait for one that does not run.
#include <gtest/gtest.h>
#include <omp.h>
#include <vector>

#include "abi/blas/level3/triangle.hpp"
#include "core/pool.hpp"

namespace carat::blas {

namespace {

template <class T>
class regions : public ::testing::Test {
  protected:
    static constexpr std::size_t n = 800;

    void SetUp() override { omp_set_num_threads(4); }

    template <class Call>
    void expect_one(const char* what, const Call& call) {
        call();  // starts the threads
        const std::uint32_t before = core::calls_shared();
        call();
        EXPECT_EQ(core::calls_shared() - before, 1U) << what;
    }
    view<T> square() {
        matrices_.emplace_back(n * n, T{0});
        for (std::size_t i = 0; i < n; ++i) matrices_.back()[i * (n + 1)] = T{1};
        return {matrices_.back().data(), n, n, 1, n};
    }

  private:
    std::vector<std::vector<T>> matrices_;
};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(regions, types);

TYPED_TEST(regions, of_each_routine) {
    using T = TypeParam;
    const view<const T> a = this->square();
    const view<const T> b = this->square();
    const view<T> c = this->square();
    for (const bool lower : {false, true}) {
        const triangle<T> of_a{a, lower};
        this->expect_one(
            "syrk", [&] { multiply_into_triangle<T>(lower, 1, a, carat::transposed(a), 1, c); });
        this->expect_one("syr2k", [&] { rank_2k_into_triangle<T>(lower, 1, a, b, 1, c); });
        this->expect_one("symm", [&] { multiply_symmetric<T>(1, of_a, b, 1, c); });
        this->expect_one("trmm", [&] { multiply_triangle<T>(1, of_a, c); });
        this->expect_one("trsm", [&] { solve_triangle<T>(1, of_a, c); });
    }
}

}  // namespace

}  // namespace carat::blas
