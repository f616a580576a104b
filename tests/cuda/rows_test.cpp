// What the rows report about themselves; needs no GPU.
#include <gtest/gtest.h>
#include <set>

#include "cuda/common/device.hpp"
#include "ladder/cuda/table.hpp"

namespace {

using namespace carat;

TEST(rows, are_complete_and_told_apart) {
    std::set<std::string_view> names;
    for (const rows::implementation* entry : ladder::cuda::table()) {
        EXPECT_TRUE(entry->name.starts_with("cuda.ladder.")) << entry->name;
        EXPECT_EQ(entry->where, rows::device::cuda) << entry->name;
        EXPECT_FALSE(entry->signatures.empty()) << entry->name;
        EXPECT_FALSE(entry->summary.empty()) << entry->name;
        EXPECT_NE(entry->prepare, nullptr) << entry->name;
        EXPECT_NE(entry->unsupported, nullptr) << entry->name;
        ASSERT_NE(entry->unavailable, nullptr) << entry->name;
        EXPECT_EQ(entry->unavailable(), cuda::unavailable_in_use());
        names.insert(entry->name);
    }
    EXPECT_EQ(names.size(), ladder::cuda::table().size());
    EXPECT_TRUE(names.empty() || names.size() == 22);
}

TEST(rows, without_a_gpu_give_the_machine_as_the_reason) {
    const std::string why = cuda::unavailable_in_use();
    if (why.empty()) GTEST_SKIP() << "this machine has a GPU";
    for (const rows::implementation* entry : ladder::cuda::table()) {
        const auto& types = entry->signatures[0];
        core::problem p = core::row_major_problem(types.c, 2, 2, 2);
        p.a_type = types.a;
        p.b_type = types.b;
        EXPECT_EQ(reason_against(*entry, p, {}), why);
    }
}

TEST(rows, the_tensor_cores_name_the_precision_they_compute_in) {
    for (const rows::implementation* entry : ladder::cuda::table())
        for (const core::signature& s : entry->signatures) {
            if (entry->name == "cuda.ladder.wmma_converted") {
                EXPECT_EQ(s.computes_in, "f16");
            } else if (entry->name.find("wmma") != std::string_view::npos && s.a == dtype::f32) {
                EXPECT_EQ(s.computes_in, "tf32");
            }
        }
}

}  // namespace
