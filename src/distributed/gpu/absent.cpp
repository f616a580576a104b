#include "distributed/gpu/sums.hpp"

#ifndef CARAT_DISTRIBUTED_ON_GPU

#include <carat/error.hpp>

namespace carat::distributed::gpu {

namespace {

[[noreturn]] void refuse() {
    throw error(error_code::unsupported,
                "distributed product: this build has no kernels for GPUs: build carat with CUDA");
}

}  // namespace

void add(const block&, const block&, stream) {
    refuse();
}

void finish(const block&, const block&, std::span<const block>, double, double, const block&,
            stream) {
    refuse();
}

}  // namespace carat::distributed::gpu

#endif
