// Waiting for work of a GPU that depends on other ranks, so that no failure makes a rank wait
// forever: not that of another rank, nor one that NCCL reports, nor one that nobody reports.
#pragma once

#include <exception>

#include "distributed/exchange.hpp"
#include "distributed/gpu/nccl.hpp"

namespace carat::distributed::gpu {

class watch {
  public:
    // `shared`: the threads of this process, if all ranks are; `comm`: what carries the messages,
    // if that is NCCL; `is_own`: it may be aborted. Either may be null.
    explicit watch(exchange* shared, nccl::handle comm = nullptr, bool is_own = false);

    // Until a stream has nothing to do. Throws carat::error(device_failed) where another rank or
    // NCCL has failed, or at NCCL's time limit, and from then on; NCCL's work is aborted first if
    // it may be.
    void wait(stream on);
    // Whether the stream has nothing to do, after an error at last.
    [[nodiscard]] bool ends(stream on) noexcept;
    void abort() noexcept;

  private:
    void check_others(double waited_s) const;

    exchange* shared_;
    nccl::handle comm_;
    bool is_own_;
    int limit_s_;
    std::exception_ptr failure_;
};

// What NCCL takes by itself, at most, for messages between GPUs that NVLink connects. On four H200s
// all-gather + product was slower with 8, 16 and 24 (docs/distributed.md).
inline constexpr int usual_nccl_ctas = 32, most_nccl_ctas = 64;
// NCCL's SMs: CARAT_NCCL_CTAS, or these. 0: its own choice. Throws carat::error(invalid_argument).
[[nodiscard]] int nccl_ctas();

}  // namespace carat::distributed::gpu
