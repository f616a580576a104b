// One product, and a batch of products that lie at equal distances.
#include <algorithm>
#include <bit>

#include "cuda/common/gemm.hpp"
#include "cuda/families/wgmma/host/gemm.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::cuda::wgmma {

namespace {

// What maps depend on beside the product.
struct places {
    const void* a = nullptr;
    const void* b = nullptr;
    const void* c = nullptr;
    const void* source = nullptr;

    bool operator==(const places&) const = default;
};

// A program multiplies at the same addresses again and again, and the driver takes a tenth of a
// microsecond and more for each map.
class map_cache final : public launch_cache {
  public:
    places at;  // none: no maps are kept
    tma_descriptors maps{};
};

// Integer sums and factors wrap: their kernels take these bits as u32.
float factor(dtype type, double value) {
    if (type != dtype::i8) return static_cast<float>(value);
    return std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
}

}  // namespace

std::unique_ptr<launch_cache> gemm::make_cache() const {
    return std::make_unique<map_cache>();
}

bool gemm::run(const bindings& given) const {
    using enum core::multiplicity;
    const bindings with = plan_.swap_ab ? given.swapped() : given;
    switch (products_.are) {
        case one:
            run_one(with);
            return true;
        case strided:
            return run_strided(with);
        case listed:
        case sized:
            return run_listed(with);
        case rows:
        case depth:
            return run_ragged(with);
    }
    return false;
}

void gemm::run_one(const bindings& with) const {
    start_packing(a_, b_, with.data, with.stream);
    arguments<float> told = arguments_for(with);
    if (stream_k_tiles_ > 0)
        told.stream_k = {stream_k_tiles_, stream_k_adds_, stream_k_accumulators_.get(),
                         static_cast<std::uint32_t*>(stream_k_flags_.get())};
    if (with.kept == nullptr)
        kernel_->launch(maps_for(with, told), told, shape_, with.stream);
    else
        kernel_->launch(kept_maps(with, told), told, shape_, with.stream);
}

bool gemm::run_strided(const bindings& with) const {
    if (desc().is_persistent() != desc().batched) return false;
    const core::product_distances& apart = with.apart;
    start_packing(a_, b_, with.data, with.stream, apart);
    arguments<float> told = arguments_for(with);
    told.c.batch_stride = apart.c;
    told.c.is_vectorized = told.c.is_vectorized && apart.c % 4 == 0;
    told.batch = {products_.one_a, products_.one_b};
    const int block_k = desc().block_k();
    tma_descriptors maps{};
    maps.a = a_.map(with.data.a, desc().block_m / plan_.cluster_n, block_k / plan_.cluster_n,
                    {products_.matrices_a(), apart.a});
    maps.b = b_.map(with.data.b, desc().block_n / plan_.cluster_m, block_k / plan_.cluster_m,
                    {products_.matrices_b(), apart.b});
    launch_shape shape = shape_;
    if (desc().batched) {
        told.products = static_cast<int>(products_.count);
    } else {
        shape.batch = static_cast<int>(products_.count);
    }
    map_batch_of_c(maps, told, with);
    kernel_->launch(maps, told, shape, with.stream);
    return true;
}

void gemm::map_batch_of_c(tma_descriptors& maps, const arguments<float>& told,
                          const bindings& with) const {
    const batch all = {products_.count, with.apart.c};
    if (told.c.is_by_tma()) maps.c = output_.map(with.data.c, all);
    if (told.c.loads_source) maps.source = output_.map_of_source(with.source(), all);
}

void gemm::share_sms(launch_shape& shape, arguments<float>& with) const {
    if (shape.ctas <= sms_) return;
    const int stages = kernel_->stages_that_fit(plan_.split_k, 2);
    if (stages < plan::fewest_stages(accumulate_)) return;
    with.pipeline.stages = stages;
    with.pipeline.pdl_k_tiles = 0;
    shape.shared_bytes = kernel_->shared_bytes(stages, plan_.split_k);
}

const tma_descriptors& gemm::kept_maps(const bindings& with, const arguments<float>& told) const {
    auto& cache = static_cast<map_cache&>(*with.kept);  // of make_cache()
    const places now{a_.place(with.data.a), b_.place(with.data.b), with.data.c,
                     told.epilogue.has_source ? with.source() : nullptr};
    if (now == cache.at) return cache.maps;
    cache.at = {};
    cache.maps = maps_for(with, told);
    cache.at = now;
    return cache.maps;
}

tma_descriptors gemm::maps_for(const bindings& with, const arguments<float>& told) const {
    const batch alone = {desc().is_persistent() ? 0 : 1, 0};
    const int block_k = desc().block_k();
    tma_descriptors maps{};
    maps.a =
        a_.map(with.data.a, desc().block_m / plan_.cluster_n, block_k / plan_.cluster_n, alone);
    maps.b =
        b_.map(with.data.b, desc().block_n / plan_.cluster_m, block_k / plan_.cluster_m, alone);
    if (told.c.is_by_tma()) maps.c = output_.map(with.data.c);
    if (told.c.loads_source) maps.source = output_.map_of_source(with.source(), alone);
    return maps;
}

arguments<float> gemm::arguments_for(const bindings& with) const {
    const core::problem& p = problem_;
    return {
        .c = output_.at(with.data.c, with.source(), store_for(with)),
        .problem = {static_cast<int>(p.m), static_cast<int>(p.n), k_tiles_of(p.k)},
        .grid = {static_cast<int>(clusters_m()), static_cast<int>(clusters_n())},
        .pipeline = {stages_, pdl_k_tiles(), multicast_ctas(), plan_.cluster_m},
        .epilogue = {factor(p.a_type, p.alpha), factor(p.a_type, p.beta), with.fusion, p.beta != 0},
        .scales = with.scales,
        .batch = {false, false},
        .group = {},
        .stream_k = {},
        .products = 1};
}

stored gemm::store_for(const bindings& with) const {
    return output_.path(products_, with.apart.c,
                        is_aligned(with.data.c) && is_aligned(with.source()), plan_.split_k);
}

}  // namespace carat::cuda::wgmma
