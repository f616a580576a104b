// How a failure of the CUDA runtime is reported. Needs no GPU.
#include "cuda/common/error.hpp"

#include <gtest/gtest.h>
#include <string>

#include <carat/error.hpp>

namespace {

using namespace carat;

error_code code_of(cudaError_t status) {
    try {
        cuda::check(status, "cudaLaunchKernelExC(&how, kernel)", "launch.hpp:35");
    } catch (const error& why) {
        const std::string text = why.what();
        EXPECT_EQ(text.rfind("CUDA: cudaLaunchKernelExC failed: ", 0), 0U) << text;
        return why.code();
    }
    ADD_FAILURE() << "taken for a success";
    return error_code::invalid_argument;
}

TEST(cuda_errors, are_unsupported_only_where_something_is_lacking) {
    EXPECT_NO_THROW(cuda::check(cudaSuccess, "cudaFree(x)", "here"));
    for (const cudaError_t status :
         {cudaErrorUnknown, cudaErrorLaunchFailure, cudaErrorInvalidValue, cudaErrorIllegalAddress,
          cudaErrorLaunchOutOfResources})
        EXPECT_EQ(code_of(status), error_code::device_failed) << cudaGetErrorName(status);
    for (const cudaError_t status : {cudaErrorNoKernelImageForDevice, cudaErrorNotSupported,
                                     cudaErrorInsufficientDriver, cudaErrorNoDevice})
        EXPECT_EQ(code_of(status), error_code::unsupported) << cudaGetErrorName(status);
    EXPECT_EQ(code_of(cudaErrorMemoryAllocation), error_code::out_of_memory);
}

}  // namespace
