// Products whose sizes lie in GPU memory, in one launch for as many tiles as there can be.
#include <algorithm>
#include <limits>

#include "cuda/common/scope.hpp"
#include "cuda/families/wgmma/host/gemm.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::wgmma {

namespace {

shared_dimension shared_out(bool along_k, bool swap_ab) {
    if (along_k) return shared_dimension::k;
    return swap_ab ? shared_dimension::n : shared_dimension::m;
}

}  // namespace

bool gemm::run_ragged(const bindings& with) const {
    if (desc().is_persistent() != desc().batched || !takes_ragged(with.data)) return false;
    const ragged_request of = request_of(with);
    const std::int64_t ctas = most_clusters(of) * cluster();
    if (ctas > std::numeric_limits<int>::max()) return false;
    start_packing(a_, b_, with.data, with.stream, with.apart);
    arguments<float> told = arguments_for(with);
    told.c.is_vectorized = vectorizes(of, with.data);
    void* const memory = call_scope::innermost()->lend(this, ragged_table_bytes(with.ends));
    told.group = write_ragged_table(memory, of, with.stream);
    launch_shape shape = shape_;
    if (desc().batched) {
        told.batch = {true, products_.one_b};
        shape.ctas = static_cast<int>(std::min<std::int64_t>(ctas, shape.ctas));
        kernel_->launch(maps_of_rows(of, with), told, shape, with.stream);
        return true;
    }
    shape.ctas = static_cast<int>(ctas);
    share_sms(shape, told);
    kernel_->launch({}, told, shape, with.stream);
    return true;
}

// Persistent tiles find all products by one map of each: rows of A and C one behind the other, and
// a batch of B.
tma_descriptors gemm::maps_of_rows(const ragged_request& of, const bindings& with) const {
    const batch alone = {1, 0};
    const int sharing = plan_.cluster_m;
    tma_descriptors maps{};
    maps.a = of.header.a;
    maps.b = b_.map(with.data.b, desc().block_n / sharing, desc().block_k() / sharing,
                    {products_.matrices_b(), with.apart.b});
    maps.c = output_.map(with.data.c, alone);
    maps.source = output_.map_of_single_rows(with.data.c);
    return maps;
}

// Persistent tiles share out rows that TMA stores, with nothing added to them.
bool gemm::takes_ragged(const core::operands& data) const {
    if (!desc().batched) return true;
    return !shares_k() && !plan_.swap_ab && problem_.beta == 0 && is_aligned(data.c) &&
           output_.strides_fit_tma();
}

ragged_request gemm::request_of(const bindings& with) const {
    const core::problem& p = problem_;
    const kernel_desc& k = desc();
    const batch alone = {1, 0};
    const auto bytes = static_cast<std::int64_t>(size_bytes(p.c_type));
    const shared_dimension along = shared_out(shares_k(), plan_.swap_ab);
    const std::int64_t apart_c = along == shared_dimension::k   ? with.apart.c
                                 : along == shared_dimension::m ? p.c_layout.row_stride
                                                                : p.c_layout.col_stride;
    return {.header = {a_.map(with.data.a, k.block_m, k.block_k(), alone),
                       b_.map(with.data.b, k.block_n, k.block_k(), alone),
                       plan_.cluster_m * k.block_m, k.block_n},
            .ends = with.ends,
            .shared_out = along,
            .a = a_.place(with.data.a),
            .b = b_.place(with.data.b),
            .a_apart = a_.apart_bytes(with.apart.a),
            .b_apart = b_.apart_bytes(with.apart.b),
            .c = with.data.c,
            .source = with.source(),
            .c_apart = apart_c * bytes,
            .row_stride = p.c_layout.row_stride,
            .col_stride = p.c_layout.col_stride,
            .m = static_cast<int>(p.m),
            .n = static_cast<int>(p.n),
            .k_tiles = k_tiles_of(p.k),
            .block_k = k.block_k(),
            .fewest_k_tiles = plan_.split_k};
}

// Where each product's C begins, too.
bool gemm::vectorizes(const ragged_request& of, const core::operands& data) const {
    const std::int64_t four = 4 * static_cast<std::int64_t>(size_bytes(problem_.c_type));
    return is_vectorized(problem_, data.c, of.source) && of.c_apart % four == 0;
}

}  // namespace carat::cuda::wgmma
