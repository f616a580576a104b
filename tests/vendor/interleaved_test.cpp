// Several libraries at work in one process, as an interleaved bench has them: none may lose its own
// number of threads to another, nor change the one that the process has for its own OpenMP code.
#include <gtest/gtest.h>
#include <memory>
#include <omp.h>
#include <vector>

#include "lab/vendor/table.hpp"
#include "product_case.hpp"

namespace carat::vendor::test {

namespace {

constexpr std::int64_t size = 100;

struct contender {
    const rows::implementation* row;
    int threads;
    std::unique_ptr<rows::runnable> product;
};

std::vector<contender> contenders() {
    const core::problem p = core::row_major_problem(dtype::f32, size, size, size);
    std::vector<contender> found;
    for (const int threads : {1, 2})
        for (const rows::implementation* row : vendor_table())
            if (rows::reason_against(*row, p, {threads, {}}).empty())
                found.push_back({row, threads, row->prepare(p, {threads, {}})});
    return found;
}

TEST(interleaved, libraries_leave_each_other_and_the_process_alone) {
    omp_set_num_threads(5);
    const std::vector<contender> all = contenders();
    if (all.empty())
        GTEST_SKIP() << "NOT TESTED: no vendor library here; ./dev peers installs some";
    const std::vector<float> ones(size * size, 1), twos(size * size, 2);
    int products = 0;
    for (int round = 0; round < 3; ++round)
        for (const contender& each : all) {
            std::vector<float> c(size * size, -1);
            each.product->run({ones.data(), twos.data(), c.data()});
            EXPECT_EQ(c, std::vector<float>(size * size, 2 * size)) << each.row->name;
            EXPECT_EQ(each.product->threads(), each.row->threaded ? each.threads : 1);
            EXPECT_EQ(omp_get_max_threads(), 5) << each.row->name;
            ++products;
        }
    EXPECT_EQ(products, 3 * static_cast<int>(all.size()));
}

}  // namespace

}  // namespace carat::vendor::test
