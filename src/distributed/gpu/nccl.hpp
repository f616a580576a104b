// The functions of NCCL that are used, opened at run time. Names and values are NCCL's (nccl.h).
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "distributed/gpu/driver.hpp"

namespace carat::distributed::gpu {

struct nccl {
    struct unique_id {
        std::array<char, 128> internal;
    };
    // ncclConfig_t as of NCCL 2.17; newer ones take it, too, and undefined values are their own
    // choice.
    struct config {
        static constexpr int undefined = std::numeric_limits<int>::min();
        std::size_t size = sizeof(config);
        unsigned magic = 0xcafebeef;
        unsigned version = 21700;
        int blocking = undefined;
        int cluster_size = undefined;
        int least_ctas = undefined;
        int most_ctas = undefined;
        const char* net_name = nullptr;
    };
    using handle = void*;            // ncclComm_t
    static constexpr int bytes = 0;  // ncclInt8

    int (*version)(int*);
    int (*get_unique_id)(unique_id*);
    int (*init_rank)(handle*, int, unique_id, int, config*);
    int (*destroy)(handle);
    int (*abort)(handle);
    int (*async_error)(handle, int*);
    int (*count)(handle, int*);
    int (*rank)(handle, int*);
    int (*group_start)();
    int (*group_end)();
    int (*send)(const void*, std::size_t, int, int, handle, stream);
    int (*receive)(void*, std::size_t, int, int, handle, stream);
    int (*all_gather)(const void*, void*, std::size_t, int, handle, stream);
    const char* (*error_text)(int);
    const char* (*last_error)(handle);
};

// Searched as libnccl.so.2 where the loader looks, or at CARAT_NCCL. Throws
// carat::error(unsupported) with what was tried.
[[nodiscard]] const nccl& nccl_library();
// "NCCL 2.28.9 (/path)"
[[nodiscard]] std::string nccl_version();

// Throws carat::error(device_failed) naming the call.
void check_nccl(int result, const char* call);

}  // namespace carat::distributed::gpu
