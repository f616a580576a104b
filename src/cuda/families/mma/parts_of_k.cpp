#include "cuda/families/mma/parts_of_k.hpp"

#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::mma {

parts_of_k::parts_of_k(int count, const core::problem& p, std::int64_t products)
    : count_(count), products_(products) {
    if (count == 1) return;
    const std::int64_t sum_bytes = p.a_type == dtype::f64 ? 8 : 4;
    const std::int64_t together = 16 / sum_bytes;
    const std::int64_t row_stride = plan::ceil_div(p.n, together) * together;
    row_stride_ = static_cast<int>(row_stride);
    sums_ = scratch(static_cast<std::size_t>(products * count * p.m * row_stride * sum_bytes));
    adder_ = adder_for(p.a_type);
    facts_ = load_kernel(adder_.name, adder_.function, adder_.threads, 0, l1_share::least);
}

template <class Sum>
arguments<Sum> parts_of_k::of(arguments<Sum> told) const {
    if (count_ == 1) return told;
    told.splits = count_;
    told.c = sums_.get();
    told.source = told.c;
    told.row_stride = row_stride_;
    told.col_stride = 1;
    told.product_stride = std::int64_t{told.m} * row_stride_;
    told.fusion = {};
    told.is_fused = false;
    told.is_wide = true;
    told.is_vectorized = true;
    told.by_rows = true;
    told.alpha = 1;
    told.beta = 0;
    return told;
}

template <class Sum>
void parts_of_k::add_up(arguments<Sum> told, CUstream_st* stream) const {
    if (count_ == 1) return;
    told.splits = count_;
    const auto* sums = static_cast<const Sum*>(sums_.get());
    int row_stride = row_stride_;
    void* addresses[] = {&told, &sums, &row_stride};
    const std::int64_t tiles =
        plan::ceil_div(told.m, adder_.block_m) * plan::ceil_div(told.n, adder_.block_n);
    launch_closely(adder_.function,
                   {dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(products_)),
                    static_cast<unsigned>(adder_.threads), 0},
                   stream, addresses);
}

#define CARAT_PARTS_OF_K(Sum)                                     \
    template arguments<Sum> parts_of_k::of(arguments<Sum>) const; \
    template void parts_of_k::add_up(arguments<Sum>, CUstream_st*) const;
CARAT_PARTS_OF_K(double)
CARAT_PARTS_OF_K(float)
CARAT_PARTS_OF_K(std::int32_t)
#undef CARAT_PARTS_OF_K

}  // namespace carat::cuda::mma
