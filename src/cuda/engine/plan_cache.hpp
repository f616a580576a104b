// Products made ready, kept by the thread that made them: choosing a kernel and asking the driver
// about it takes longer than a small product.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/problem.hpp"
#include "cuda/common/gemm.hpp"

namespace carat::cuda_call {

/// Everything a plan depends on: all but addresses and values.
struct plan_key {
    std::array<std::int64_t, 14> of{};

    bool operator==(const plan_key&) const = default;
};

/// `flags` tells apart what else may differ.
[[nodiscard]] plan_key key_of(int device, const core::problem& p, std::int64_t batch,
                              std::uint32_t flags);

struct plan {
    std::unique_ptr<const cuda::gemm_product>
        product;  // null: a GLU takes a kernel of its own, a batch many
    std::unique_ptr<cuda::launch_cache> kept;  // of this thread's runs
};

/// The most recently used plans.
class plan_cache {
  public:
    static constexpr std::size_t most = 64;

    /// Null where there is none for this.
    [[nodiscard]] const plan* find(const plan_key& key);
    const plan& keep(const plan_key& key, plan made);

  private:
    struct entry {
        std::uint64_t hash = 0;
        std::uint64_t last_used = 0;  // 0: empty
        plan_key key;
        plan made;
    };

    std::array<entry, most> entries_;
    std::uint64_t now_ = 0;
};

}  // namespace carat::cuda_call
