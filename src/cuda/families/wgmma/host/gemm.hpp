// A product on tensor cores, made ready: its kernel, how that is launched, and the memory it needs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cuda/common/gemm.hpp"
#include "cuda/families/wgmma/group.hpp"
#include "cuda/families/wgmma/host/operand.hpp"
#include "cuda/families/wgmma/host/output.hpp"
#include "cuda/families/wgmma/host/packing.hpp"
#include "cuda/families/wgmma/ragged.hpp"
#include "plan/gemm_plan.hpp"
#include "plan/gpu_plan.hpp"

namespace carat::cuda::wgmma {

class gemm final : public gemm_product {
  public:
    /// @throws carat::error(out_of_memory).
    gemm(const core::gpu_call& call, const plan::gpu_plan& with);

    [[nodiscard]] std::unique_ptr<launch_cache> make_cache() const override;
    [[nodiscard]] bool run(const bindings& given) const override;

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }
    [[nodiscard]] core::plan_facts planned() const override;
    [[nodiscard]] std::optional<core::gpu_prediction> predicted(
        const core::roofline_rates& here) const override;

  private:
    // These take operands as the kernel sees them, with A and B swapped where the plan says so.
    void run_one(const bindings& with) const;
    [[nodiscard]] bool run_strided(const bindings& with) const;
    [[nodiscard]] bool run_listed(const bindings& with) const;
    [[nodiscard]] bool run_ragged(const bindings& with) const;

    [[nodiscard]] const kernel_desc& desc() const { return *kernel_->desc; }
    [[nodiscard]] int cluster() const { return plan_.split_k * multicast_ctas(); }
    [[nodiscard]] int multicast_ctas() const { return plan_.cluster_m * plan_.cluster_n; }
    [[nodiscard]] int columns_of_c() const;  // in a tile
    [[nodiscard]] std::int64_t clusters_m() const;
    [[nodiscard]] std::int64_t clusters_n() const;
    [[nodiscard]] int k_tiles_of(std::int64_t k) const;

    void choose_stages();
    void choose_ctas();
    void share_out_last_waves(std::int64_t clusters);
    [[nodiscard]] int resident_clusters() const;
    [[nodiscard]] int pdl_k_tiles() const;

    [[nodiscard]] arguments<float> arguments_for(const bindings& with) const;
    [[nodiscard]] tma_descriptors maps_for(const bindings& with,
                                           const arguments<float>& told) const;
    [[nodiscard]] const tma_descriptors& kept_maps(const bindings& with,
                                                   const arguments<float>& told) const;
    // Two CTAs to an SM where there are so many, though one would have it for itself.
    void share_sms(launch_shape& shape, arguments<float>& with) const;
    [[nodiscard]] stored store_for(const bindings& with) const;
    void map_batch_of_c(tma_descriptors& maps, const arguments<float>& told,
                        const bindings& with) const;

    // What beta multiplies, where the strides are all that decides.
    [[nodiscard]] std::string_view way_of_source() const;
    [[nodiscard]] bool fits_group(const core::gpu_product& own) const;
    [[nodiscard]] group_entry entry_of(const core::gpu_product& own) const;
    [[nodiscard]] std::optional<std::int64_t> number_clusters(std::vector<group_entry>& all) const;
    void start_group(const std::vector<group_entry>& all, std::int64_t clusters, bool vectorized,
                     const bindings& with) const;

    [[nodiscard]] bool shares_k() const { return products_.are == core::multiplicity::depth; }
    [[nodiscard]] ragged_request request_of(const bindings& with) const;
    [[nodiscard]] bool takes_ragged(const core::operands& data) const;
    [[nodiscard]] tma_descriptors maps_of_rows(const ragged_request& of,
                                               const bindings& with) const;
    [[nodiscard]] bool vectorizes(const ragged_request& of, const core::operands& data) const;

    plan::gpu_plan plan_;
    core::gpu_arithmetic arithmetic_;
    core::accumulation accumulate_;
    core::problem problem_;  // as the kernel computes it
    bool is_glu_;
    core::product_set products_;
    const kernel* kernel_;
    operand a_;
    operand b_;
    output output_;
    int sms_;
    launch_shape shape_{.ctas = 1, .cluster = 1, .shared_bytes = 0, .batch = 1};
    int stages_ = 0;
    core::kernel_facts facts_;
    int stream_k_tiles_ = 0;
    bool stream_k_adds_ = false;
    scratch stream_k_accumulators_;
    zeros stream_k_flags_;
};

}  // namespace carat::cuda::wgmma
