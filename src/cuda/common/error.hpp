// Every call into the CUDA runtime goes through CARAT_CUDA_CHECK: a failure becomes a carat::error
// whose one line names the call, the file and what the runtime says.
#pragma once

#include <cuda_runtime_api.h>

namespace carat::cuda {

/// Does nothing on success. @throws carat::error: out_of_memory; unsupported where the GPU or its
/// driver lacks something; else device_failed. `where` is "file:line".
void check(cudaError_t status, const char* call, const char* where);

}  // namespace carat::cuda

#define CARAT_CUDA_TEXT_OF(x) #x
#define CARAT_CUDA_TEXT(x) CARAT_CUDA_TEXT_OF(x)
#define CARAT_CUDA_CHECK(call) \
    ::carat::cuda::check((call), #call, __FILE_NAME__ ":" CARAT_CUDA_TEXT(__LINE__))
