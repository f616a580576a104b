// Products of different sizes in one launch.
#include <algorithm>
#include <functional>
#include <limits>

#include "core/swap_ab.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/families/wgmma/host/gemm.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::wgmma {

using plan::ceil_div;

namespace {

core::gpu_product swapped(const core::gpu_product& g) {
    return {core::swapped(g.problem),
            core::transposed(g.e_layout),
            {g.data.b, g.data.a, g.data.c, g.data.e}};
}

// The same descriptor that operand::map() gives.
tma_operand tma_operand_of(const operand_shape& of, operand_major along, const void* data) {
    const bool across = along == operand_major::mn;
    const std::int64_t count = across ? of.depth : of.lines;
    const std::int64_t apart = across ? of.along : of.across;
    constexpr std::int64_t least_stride = 16;  // never used for a single line
    return {data,
            count == 1 ? least_stride : apart * static_cast<std::int64_t>(size_bytes(of.type)),
            static_cast<int>(across ? of.lines : of.depth), static_cast<int>(count)};
}

const void* source_of(const core::operands& data) {
    return data.e != nullptr ? data.e : data.c;
}

}  // namespace

bool gemm::run_listed(const bindings& with) const {
    // Tiles below each other need not be of one product.
    if (desc().is_persistent() || multicast_ctas() > 1 || a_.packed() || b_.packed()) return false;
    std::vector<group_entry> all;
    all.reserve(with.each.size());
    bool vectorized = true;
    for (const core::gpu_product& g : with.each) {
        const core::gpu_product own = plan_.swap_ab ? swapped(g) : g;
        if (!fits_group(own)) return false;
        all.push_back(entry_of(own));
        vectorized = vectorized && is_vectorized(own.problem, own.data.c, source_of(own.data));
    }
    // The longest begin first. Most groups have one depth.
    if (!std::ranges::is_sorted(all, std::ranges::greater{}, &group_entry::k_tiles))
        std::ranges::stable_sort(all, std::ranges::greater{}, &group_entry::k_tiles);
    const std::optional<std::int64_t> clusters = number_clusters(all);
    if (!clusters) return false;
    start_group(all, *clusters, vectorized, with);
    return true;
}

// `own` is as the kernel reads it.
bool gemm::fits_group(const core::gpu_product& own) const {
    const core::problem& p = own.problem;
    return readable_along(shape_of_a(p, accumulate_)) == a_.contiguous() &&
           is_aligned(own.data.a) &&
           readable_along(shape_of_b(p, accumulate_)) == b_.contiguous() &&
           is_aligned(own.data.b) && k_tiles_of(p.k) >= plan_.split_k;
}

group_entry gemm::entry_of(const core::gpu_product& own) const {
    const core::problem& p = own.problem;
    return {tma_operand_of(shape_of_a(p, accumulate_), a_.contiguous(), own.data.a),
            tma_operand_of(shape_of_b(p, accumulate_), b_.contiguous(), own.data.b),
            own.data.c,
            source_of(own.data),
            p.c_layout.row_stride,
            p.c_layout.col_stride,
            static_cast<int>(p.m),
            static_cast<int>(p.n),
            k_tiles_of(p.k),
            0};
}

// Gives each its first cluster; nothing where there are too many.
std::optional<std::int64_t> gemm::number_clusters(std::vector<group_entry>& all) const {
    std::int64_t clusters = 0;
    for (group_entry& x : all) {
        x.first_cluster = static_cast<int>(clusters);
        clusters += ceil_div(x.m, desc().block_m) * ceil_div(x.n, desc().block_n);
        if (clusters * plan_.split_k > std::numeric_limits<int>::max()) return std::nullopt;
    }
    return clusters;
}

void gemm::start_group(const std::vector<group_entry>& all, std::int64_t clusters, bool vectorized,
                       const bindings& with) const {
    void* const memory = call_scope::innermost()->lend(this, group_table_bytes(all.size()));
    const batch alone = {1, 0};
    const kernel_desc& k = desc();
    const group_header head{a_.map(all.front().a.data, k.block_m, k.block_k(), alone),
                            b_.map(all.front().b.data, k.block_n, k.block_k(), alone), k.block_m,
                            k.block_n};
    bindings any = with;
    any.data.c = all.front().c;
    arguments<float> told = arguments_for(any);
    told.c.is_vectorized = vectorized;
    told.group = write_group_table(memory, head, all, with.stream);
    launch_shape shape = shape_;
    shape.ctas = static_cast<int>(clusters * plan_.split_k);
    share_sms(shape, told);
    kernel_->launch({}, told, shape, with.stream);
}

}  // namespace carat::cuda::wgmma
