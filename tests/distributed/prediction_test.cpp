// The model of `carat plan` against what was measured on two H200s (results/h200/distributed.json),
// in shares of twice one GPU. Product + reduce-scatter is missing: the model has 99 %, and 82 to 86
// % were measured.
#include "distributed/prediction.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat::distributed;

double efficiency_of(extents size, int ranks, std::optional<dimension> along = {}) {
    task what{size, ranks};
    what.along = along;
    return predict(schedule(what), {}).efficiency;
}

TEST(prediction, is_what_two_gpus_were_measured_at) {
    struct measured {
        extents size;
        std::optional<dimension> along;
        double share;
    };
    const measured all[] = {{{{8192, 8192, 8192}}, {}, 0.956},
                            {{{32768, 32768, 32768}}, {}, 0.962},
                            {{{1024, 28672, 8192}}, dimension::n, 0.857},
                            {{{2048, 28672, 8192}}, dimension::n, 0.978},
                            {{{4096, 28672, 8192}}, dimension::n, 0.997},
                            {{{8192, 28672, 8192}}, dimension::n, 0.991},
                            {{{16384, 28672, 8192}}, dimension::n, 0.972}};
    for (const measured& m : all)
        EXPECT_NEAR(efficiency_of(m.size, 2, m.along), m.share, 0.07)
            << m.size.of[0] << " x " << m.size.of[1] << " x " << m.size.of[2];
}

TEST(prediction, one_rank_is_as_fast_as_one_and_many_share_less_and_less) {
    const extents size{{8192, 8192, 8192}};
    EXPECT_DOUBLE_EQ(efficiency_of(size, 1), 1);
    double before = 1;
    for (const int ranks : {8, 64, 512, 4096}) {
        const double now = efficiency_of(size, ranks);
        EXPECT_LT(now, before) << ranks;
        EXPECT_GT(now, 0) << ranks;
        before = now;
    }
}

}  // namespace
