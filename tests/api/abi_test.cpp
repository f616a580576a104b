// Layouts that the compiled library depends on. If one of these fails, programs built with older
// headers would be misread: increment CARAT_ABI in include/carat/export.hpp and the version in
// cmake/exports.map before the number here.
#include <gtest/gtest.h>

#include <carat/carat.hpp>

namespace {

using namespace carat;

#define CARAT_TEXT_OF(name) #name
#define CARAT_TEXT(name) CARAT_TEXT_OF(name)

TEST(abi, layouts_are_those_of_its_version) {
    EXPECT_STREQ(CARAT_TEXT(CARAT_ABI), "abi_2");
    EXPECT_EQ(sizeof(cpu), 8U);
    EXPECT_EQ(offsetof(cpu, f16), 4U);
    EXPECT_EQ(sizeof(cuda), 16U);
    EXPECT_EQ(offsetof(cuda, device), 8U);
    EXPECT_EQ(offsetof(cuda, batch_invariant), 12U);
    EXPECT_EQ(offsetof(cuda, f32), 13U);
    EXPECT_EQ(sizeof(detail::erased_scales), 48U);
    EXPECT_EQ(sizeof(detail::erased_matrix), 112U);
    EXPECT_EQ(offsetof(detail::erased_matrix, scales), 64U);
    EXPECT_EQ(sizeof(detail::erased_batch), 168U);
    EXPECT_EQ(offsetof(detail::erased_batch, at), 136U);
    EXPECT_EQ(sizeof(detail::epilogue_step), 80U);
    EXPECT_EQ(offsetof(detail::epilogue_step, functor), 48U);
    EXPECT_EQ(sizeof(detail::epilogue_steps), 656U);
    EXPECT_EQ(sizeof(prepared_matrix), 160U);
}

// Checks the names of the functions that take them.
TEST(abi, what_crosses_carries_the_version) {
    EXPECT_TRUE((std::same_as<cpu, CARAT_ABI::cpu>));
    EXPECT_TRUE((std::same_as<cuda, CARAT_ABI::cuda>));
    EXPECT_TRUE((std::same_as<prepared_matrix, CARAT_ABI::prepared_matrix>));
    EXPECT_TRUE((std::same_as<detail::erased_matrix, detail::CARAT_ABI::erased_matrix>));
    EXPECT_TRUE((std::same_as<detail::erased_batch, detail::CARAT_ABI::erased_batch>));
    EXPECT_TRUE((std::same_as<detail::epilogue_steps, detail::CARAT_ABI::epilogue_steps>));
}

}  // namespace
