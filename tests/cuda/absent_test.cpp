// What the module says about unusable GPUs: one line with the remedy, the same from every entry
// point. Runs with and without CUDA in the build, a driver or a GPU.
#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace {

using namespace carat;

// A number that no machine reaches, so that every machine refuses it.
constexpr int no_such_device = 99;

template <class Function>
std::string refusal(Function&& ask) {
    try {
        ask();
    } catch (const error& e) {
        EXPECT_EQ(e.code(), error_code::unsupported);
        return e.what();
    }
    return "granted";
}

TEST(absent, the_reason_is_one_line_with_a_remedy) {
    const std::string why = cuda::unavailable(no_such_device);
    EXPECT_EQ(why.find('\n'), std::string::npos);
    EXPECT_NE(why.find(':'), std::string::npos) << why;
    EXPECT_GT(why.size(), 20u);
}

TEST(absent, every_door_gives_the_same_reason) {
    const std::string why = cuda::unavailable(no_such_device);
    EXPECT_EQ(refusal([] { (void)space::cuda::device_space(no_such_device); }), why);
    EXPECT_EQ(refusal([] { (void)cuda::describe(no_such_device); }), why);
    const int before = cuda::device_in_use();
    EXPECT_EQ(refusal([] { cuda::select_device(no_such_device); }), why);
    EXPECT_EQ(cuda::device_in_use(), before);
}

TEST(absent, a_wrong_index_names_itself_and_how_many_there_are) {
    const int count = cuda::device_count();
    if (count == 0) {
        EXPECT_FALSE(cuda::unavailable(0).empty());
        EXPECT_EQ(cuda::unavailable(0), cuda::unavailable(-1));
        return;
    }
    for (const int device : {-1, count, no_such_device}) {
        const std::string why = cuda::unavailable(device);
        EXPECT_NE(why.find("no GPU " + std::to_string(device)), std::string::npos) << why;
        EXPECT_NE(why.find("has " + std::to_string(count) + " GPU"), std::string::npos) << why;
    }
}

}  // namespace
