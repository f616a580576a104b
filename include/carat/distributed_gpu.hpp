// Ranks with a GPU each: several GPUs of one process, or one GPU in each of several processes.
//
//   carat::distributed::with_gpus(4, [&](carat::distributed::communicator& comm) {
//       ... matrices in the memory of GPU comm.rank() ...
//       carat::distributed::matrix_product(comm, a, b, c);
//   });
//
// A carat::distributed::product starts its work and returns; matrix_product() waits for the end of
// its work if it had a workspace.
//
// NCCL and the driver are opened at run time; nothing here needs CUDA to compile.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <carat/distributed.hpp>
#include <carat/policy.hpp>

namespace carat::distributed {

enum class gpu_transport {
    nccl,
    copies,  // the driver's copies between GPUs, which take no SMs; within one process
};

// Calls work(communicator) on a thread for each of the first so many GPUs; their products run on a
// stream of each, and have ended when this returns. CARAT_NCCL_CTAS sets the SMs that NCCL takes.
// Throws the first error of a rank, and carat::error(device_failed) where NCCL fails or has not
// ended after CARAT_NCCL_TIMEOUT seconds (600).
CARAT_API void with_gpus(int gpus, const std::function<void(communicator&)>& work,
                         gpu_transport by = gpu_transport::nccl);

// One rank of a program's own ncclComm_t; products run on `where`. `ctas`: the maxCTAs with which
// the communicator was made, at most 64 and the same on all ranks; products leave so many SMs to
// its messages. 0: it has none, and products beside messages leave 32, which NCCL takes by itself
// between GPUs of one host.
[[nodiscard]] CARAT_API std::unique_ptr<communicator> over_nccl(void* nccl_comm,
                                                                const carat::cuda& where,
                                                                int ctas = 0);

// The stream of a communicator's products, and its device: a cudaStream_t.
[[nodiscard]] CARAT_API carat::cuda place_of(communicator& comm);

// "NCCL 2.28.9 (/usr/lib/libnccl.so.2)"; throws carat::error(unsupported) where there is none.
[[nodiscard]] CARAT_API std::string nccl_in_use();

}  // namespace carat::distributed
