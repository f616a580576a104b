// Each family plans for the SMs that its products may take; skipped without a Hopper GPU. That the
// results stay exact and that few SMs take longer is tested through the public call
// (tests/gpu_call/leave_sms_test.cpp).
#include "cuda/common/sms.hpp"

#include <gtest/gtest.h>
#include <string_view>

#include "core/left_sms.hpp"
#include "cuda/engine/families.hpp"

namespace {

using namespace carat;
using core::gpu_call;

class leaving {
  public:
    explicit leaving(int count) : before_(core::leave_sms(count)) {}
    leaving(const leaving&) = delete;
    leaving& operator=(const leaving&) = delete;
    ~leaving() { core::leave_sms(before_); }

  private:
    int before_;
};

class sms : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        all_ = cuda::describe(cuda::device_in_use()).multiprocessors;
        if (cuda::describe(cuda::device_in_use()).compute_capability != 90)
            GTEST_SKIP() << "no GPU test can run: the families are those of 9.0";
    }
    // The plan of one family as if it answered for the call.
    static plan::gpu_plan planned(std::string_view family, const gpu_call& call) {
        for (const cuda::family* const one : gpu_engine::families())
            if (one->name == family) return one->choose(call, {}).value();
        throw std::runtime_error("no such family");
    }
    static gpu_call aligned(core::problem p) {
        return {.problem = p, .aligned = {true, true, true}};
    }
    int all_ = 0;
};

TEST_F(sms, are_all_but_those_left_and_at_least_one) {
    EXPECT_EQ(cuda::sms_for_products(), all_);
    const leaving some(8);
    EXPECT_EQ(cuda::sms_for_products(), all_ - 8);
    {
        const leaving too_many(100000);
        EXPECT_EQ(cuda::sms_for_products(), 1);
    }
    EXPECT_EQ(cuda::sms_for_products(), all_ - 8);
}

TEST_F(sms, a_large_product_is_predicted_to_take_longer_on_fewer) {
    for (const auto& [family, type] : {std::pair{"wgmma", dtype::bf16},
                                       {"fma", dtype::f64},
                                       {"fma", dtype::f32},
                                       {"mma", dtype::bf16},
                                       {"mma", dtype::f64}}) {
        const gpu_call call = aligned(core::row_major_problem(type, 4096, 4096, 4096));
        const double on_all = planned(family, call).seconds;
        const leaving most(all_ * 3 / 4);
        EXPECT_GT(planned(family, call).seconds, 2 * on_all) << family << " " << name(type);
    }
}

TEST_F(sms, mma_cuts_k_only_while_some_are_idle) {
    core::problem p = core::row_major_problem(dtype::i8, 128, 256, 16384);
    p.b_layout = core::column_major(p.k);
    EXPECT_GT(planned("mma", aligned(p)).split_k, 1);
    const leaving all_but_one(all_ - 1);
    EXPECT_EQ(planned("mma", aligned(p)).split_k, 1);
}

TEST_F(sms, gemv_cuts_k_into_fewer_parts_for_fewer) {
    core::problem p = core::row_major_problem(dtype::f32, 256, 1, 65536);
    p.a_layout = core::column_major(p.m);
    const auto ctas = [&] {
        for (const cuda::family* const one : gpu_engine::families())
            if (one->name == "gemv") {
                const auto made = one->prepare(aligned(p), {});
                return made->predicted({.memory_gb_per_s = 4000}).value().tiles;
            }
        return std::int64_t{0};
    };
    const std::int64_t on_all = ctas();
    const leaving all_but_one(all_ - 1);
    EXPECT_LT(ctas(), on_all);
}

}  // namespace
