// How a plan becomes a launch.
#include "cuda/families/wgmma/host/gemm.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

#include "core/left_sms.hpp"
#include "core/swap_ab.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/sms.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::cuda::wgmma {

using core::accumulation;
using plan::ceil_div;

namespace {

operand_shape seen(operand_shape of, bool along_k) {
    of.may_be_mn = of.may_be_mn && !along_k;
    return of;
}

// A product may begin with any row of A, which is read along K then, packed where it lies
// otherwise.
bool begins_anywhere(const core::gpu_call& call) {
    return call.products.are == core::multiplicity::rows;
}

}  // namespace

gemm::gemm(const core::gpu_call& call, const plan::gpu_plan& with)
    : plan_(with),
      arithmetic_(call.arithmetic),
      accumulate_(call.accumulate()),
      problem_(with.swap_ab ? core::swapped(call.problem) : call.problem),
      is_glu_(call.epilogue.is_glu),
      products_(with.swap_ab ? call.products.swapped() : call.products),
      kernel_(&kernel_of(kernel_table[with.row])),
      a_(seen(shape_of_a(problem_, accumulate_), begins_anywhere(call) && !with.swap_ab),
         (with.swap_ab ? call.aligned.swapped() : call.aligned).a, products_.matrices_a()),
      b_(seen(shape_of_b(with.swap_ab ? problem_ : call.multiplied(), accumulate_),
              begins_anywhere(call) && with.swap_ab),
         (with.swap_ab ? call.aligned.swapped() : call.aligned).b, products_.matrices_b()),
      output_(problem_, *kernel_, call.epilogue.is_identity()),
      sms_(sms_for_products()) {
    choose_stages();
    facts_ = load_kernel(kernel_->name, kernel_->function, kernel_->threads, shape_.shared_bytes,
                         l1_share::least);
    choose_ctas();
}

void gemm::choose_stages() {
    stages_ =
        kernel_->stages_that_fit(plan_.split_k, desc().is_persistent() ? 1 : plan_.ctas_per_sm);
    if (stages_ < plan::fewest_stages(accumulate_))
        stages_ = kernel_->stages_that_fit(plan_.split_k, 1);
    shape_.shared_bytes = kernel_->shared_bytes(stages_, plan_.split_k);
}

void gemm::choose_ctas() {
    shape_.cluster = cluster();
    const std::int64_t clusters =
        clusters_m() * clusters_n() * (desc().batched ? products_.count : 1);
    std::int64_t launched = clusters;
    if (desc().is_persistent()) launched = std::min<std::int64_t>(clusters, resident_clusters());
    if (desc().stream_k && launched == clusters)
        launched = plan::clusters_that_share(desc(), clusters, k_tiles_of(problem_.k),
                                             resident_clusters());
    shape_.ctas = shape_.cluster * static_cast<int>(launched);
    share_out_last_waves(clusters);
}

// The tiles of the last full wave and of the one that isn't, or all of fewer than clusters.
void gemm::share_out_last_waves(std::int64_t clusters) {
    const int at_once = shape_.ctas / shape_.cluster;
    const auto over = static_cast<int>(clusters % at_once);
    if (!desc().stream_k || over == 0) return;
    stream_k_adds_ = clusters < at_once;
    stream_k_tiles_ = stream_k_adds_ ? over : at_once + over;
    const auto rows = static_cast<std::size_t>(shape_.ctas * desc().block_m);
    stream_k_flags_ = zeros(rows / 64 * sizeof(std::uint32_t));
    stream_k_accumulators_ =
        scratch(rows * static_cast<std::size_t>(desc().block_n) * sizeof(float));
}

// Clusters that the GPU holds at once: its groups of SMs are not all of one size.
int gemm::resident_clusters() const {
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(shape_.cluster));
    how.blockDim = dim3(static_cast<unsigned>(kernel_->threads));
    how.dynamicSmemBytes = static_cast<std::size_t>(shape_.shared_bytes);
    cudaLaunchAttribute in_clusters{};
    in_clusters.id = cudaLaunchAttributeClusterDimension;
    in_clusters.val.clusterDim = {static_cast<unsigned>(shape_.cluster), 1, 1};
    how.attrs = &in_clusters;
    how.numAttrs = 1;
    int clusters = 0;
    CARAT_CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, kernel_->function, &how));
    const auto left = static_cast<int>(ceil_div(core::left_sms(), shape_.cluster));
    return std::max(1, clusters - left);
}

int gemm::columns_of_c() const {
    return is_glu_ ? desc().block_n / 2 : desc().block_n;
}

std::int64_t gemm::clusters_m() const {
    return ceil_div(problem_.m, std::int64_t{plan_.cluster_m} * desc().block_m);
}

std::int64_t gemm::clusters_n() const {
    return ceil_div(problem_.n, std::int64_t{plan_.cluster_n} * columns_of_c());
}

int gemm::k_tiles_of(std::int64_t k) const {
    return static_cast<int>(ceil_div(k, desc().block_k()));
}

// Where there is room for them, CTAs of the next kernel are to be there when this one's end, and
// before the first of these ends: two that find an SM empty both begin there, and another one has
// none. CTAs that began together end up to a third of their k-tiles apart.
int gemm::pdl_k_tiles() const {
    constexpr int fewest = 16;
    if (desc().is_persistent() || shape_.ctas * products_.count > sms_ * (plan_.ctas_per_sm - 1))
        return 0;
    return std::max(fewest, k_tiles_of(problem_.k) / plan_.split_k / 2);
}

std::string_view gemm::way_of_source() const {
    if (!desc().is_persistent())
        return output_.tma_loads_source() ? "through the pipeline" : "prefetched to L2";
    return output_.strides_fit_tma() ? "through the pipeline" : "read by the threads";
}

core::plan_facts gemm::planned() const {
    std::ostringstream why;
    const kernel_desc& k = desc();
    why << plan::text_of(plan_);
    if (k.stream_k) why << ", stream-K";
    const std::int64_t tiles = ceil_div(problem_.m, k.block_m) *
                               ceil_div(is_glu_ ? 2 * problem_.n : problem_.n, k.block_n) *
                               products_.count * plan_.split_k;
    why << ", " << tiles << " of them";
    if (products_.count > 1) why << " for " << products_.count << " products";
    why << std::setprecision(3) << " in " << static_cast<double>(tiles) / static_cast<double>(sms_)
        << " waves of " << sms_ << " SMs";
    if (is_glu_) why << ", half of them gates and half their values";
    if (problem_.beta != 0) why << ", E " << way_of_source();
    why << ", C "
        << words_for(output_.path(products_, problem_.m * problem_.n, true, plan_.split_k).path);
    why << ", " << plan_.chosen_by << ": predicted " << std::setprecision(3) << 1e6 * plan_.seconds
        << " us\n";
    core::plan_facts told;
    told.why = why.str();
    told.rows = problem_.m;
    told.cols = problem_.n;
    return told;
}

}  // namespace carat::cuda::wgmma
