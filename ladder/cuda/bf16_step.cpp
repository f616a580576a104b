#include "ladder/cuda/bf16_step.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/scale.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/common/tensor_map.hpp"
#include "ladder/cuda/host_product.hpp"
#include "ladder/cuda/lines.hpp"
#include "ladder/cuda/step.hpp"

namespace carat::ladder::cuda {

namespace {

#if defined(CARAT_HAS_HOPPER_CODE)
constexpr bool has_hopper_code = true;
#else
constexpr bool has_hopper_code = false;
#endif

std::int64_t ceil_div(std::int64_t size, std::int64_t by) {
    return (size + by - 1) / by;
}

template <class T>
CUtensorMap describe(const matrix<T>& m, int box_lines) {
    return carat::cuda::describe({m.data, dtype::bf16, m.cols, m.rows, m.row_stride, box_lines});
}

class bf16_runnable final : public rows::runnable {
  public:
    bf16_runnable(const char* name, const core::problem& p, const bf16_plan& plan)
        : problem_(p),
          plan_(plan),
          facts_(carat::cuda::load_kernel(name, function(), plan.threads, plan.shared_bytes)) {
        const bool turned = is_turned(p);
        const std::int64_t tiles = ceil_div(turned ? p.n : p.m, block_m * plan.cluster) *
                                   ceil_div(turned ? p.m : p.n, block_n);
        const std::int64_t parts = plan.passes_sums ? tiles * shares_of_a_tile(p.k) : tiles;
        const std::int64_t most = plan.is_persistent ? resident_clusters() : parts;
        clusters_ = static_cast<unsigned>(std::min(parts, most));
        if (!plan.passes_sums) return;
        const std::size_t ctas = std::size_t{clusters_} * static_cast<unsigned>(plan.cluster);
        sums_ = carat::cuda::scratch(ctas * block_m * block_n * sizeof(float));
        flags_ = carat::cuda::zeros(ctas * 2 * sizeof(std::uint32_t));
    }

    void run(const core::operands& data) override {
        if (problem_.m == 0 || problem_.n == 0) return;
        if (problem_.k == 0 || problem_.alpha == 0) return carat::cuda::scale_c(problem_, data.c);
        require_alignment(data);
        bf16_arguments with{};
        with.product = make_product<element, element, float>(problem_, data);
        if (plan_.uses_tma) {
            with.a = describe(with.product.a, block_m);
            with.b = describe(with.product.b, block_k);
            with.c = describe(with.product.c, 16);
        }
        with.band = plan_.band;
        if (plan_.passes_sums) {
            with.partial_sums = static_cast<float4*>(sums_.get());
            with.is_passed = static_cast<std::uint32_t*>(flags_.get());
        }
        std::array<cudaLaunchAttribute, 1> extras{};
        const cudaLaunchConfig_t how = configuration(extras);
        void* arguments[] = {&with};
        CARAT_CUDA_CHECK(cudaLaunchKernelExC(&how, function(), arguments));
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }

  private:
    [[nodiscard]] const void* function() const {
        return reinterpret_cast<const void*>(plan_.kernel);
    }

    // Where there are few tiles, as many clusters share one as get eight steps of K each.
    static std::int64_t shares_of_a_tile(std::int64_t k) {
        return std::clamp<std::int64_t>(k / (8 * block_k), 1, 64);
    }

    [[nodiscard]] cudaLaunchConfig_t configuration(
        std::array<cudaLaunchAttribute, 1>& extras) const {
        cudaLaunchConfig_t how{};
        how.gridDim = dim3(clusters_ * static_cast<unsigned>(plan_.cluster));
        how.blockDim = dim3(static_cast<unsigned>(plan_.threads));
        how.dynamicSmemBytes = static_cast<std::size_t>(plan_.shared_bytes);
        how.stream = carat::cuda::stream_in_use();
        if (plan_.cluster == 1) return how;
        extras[0].id = cudaLaunchAttributeClusterDimension;
        extras[0].val.clusterDim = {static_cast<unsigned>(plan_.cluster), 1, 1};
        how.attrs = extras.data();
        how.numAttrs = 1;
        return how;
    }

    // The clusters that the GPU can hold at a time: not every SM has a partner next to it.
    [[nodiscard]] std::int64_t resident_clusters() const {
        std::array<cudaLaunchAttribute, 1> extras{};
        const cudaLaunchConfig_t how = configuration(extras);
        int clusters = 0;
        CARAT_CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, function(), &how));
        return std::max(clusters, 1);
    }

    core::problem problem_;
    bf16_plan plan_;
    core::kernel_facts facts_;
    unsigned clusters_ = 1;
    carat::cuda::scratch sums_;
    carat::cuda::zeros flags_;
};

}  // namespace

std::string unsupported_bf16(const core::problem& p, gpu_needs needs) {
    const int own = carat::cuda::describe(carat::cuda::device_in_use()).compute_capability;
    if (needs == gpu_needs::hopper && own != 90)
        return "it needs compute capability 9.0 and this GPU has " + std::to_string(own) +
               ": take cuda.ladder.staged";
    if (needs == gpu_needs::hopper && !has_hopper_code)
        return "it needs code for 90a, which this build has not: configure with CARAT_GPUS=90a, or "
               "take cuda.ladder.staged";
    if (std::string why = unsupported_lines(p, 16 / int{sizeof(element)}); !why.empty()) return why;
    for (const std::int64_t size : {p.m, p.n, p.k})
        if (size > std::numeric_limits<std::int32_t>::max() - block_n)
            return "a size of " + std::to_string(size) +
                   " is more than this step counts: take cuda.ladder.wmma_shared";
    return unsupported_problem(p, blocks_for(p, block_m, block_n), 80);
}

std::string unsupported_tma_store(const core::problem& p) {
    constexpr std::int64_t in_16_bytes = 16 / std::int64_t{sizeof(element)};
    const std::int64_t length = is_turned(p) ? p.m : p.n;
    if (length % in_16_bytes == 0) return {};
    return "C has lines of " + std::to_string(length) + " elements and TMA stores " +
           std::to_string(in_16_bytes) + " at a time: take cuda.ladder.persistent";
}

std::unique_ptr<rows::runnable> prepare_bf16(const char* name, const core::problem& p,
                                             const bf16_plan& plan) {
    return std::make_unique<bf16_runnable>(name, p, plan);
}

}  // namespace carat::ladder::cuda
