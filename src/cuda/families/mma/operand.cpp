#include "cuda/families/mma/operand.hpp"

#include "core/swap_ab.hpp"

namespace carat::cuda::mma {

namespace {

std::int64_t bytes_of(dtype type) {
    return static_cast<std::int64_t>(size_bytes(type));
}

}  // namespace

operand_shape a_of(const core::problem& p) {
    return {bytes_of(p.a_type), p.m, p.k, p.a_layout.row_stride, p.a_layout.col_stride};
}
operand_shape b_of(const core::problem& p) {
    return {bytes_of(p.b_type), p.n, p.k, p.b_layout.col_stride, p.b_layout.row_stride};
}

int together(const operand_shape& of, const void* data, std::int64_t product_stride) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const std::int64_t most = 16 / of.element_bytes;
    for (std::int64_t count = most; count > (of.element_bytes == 2 ? 1 : most / 2); count /= 2)
        if (address % static_cast<std::uintptr_t>(count * of.element_bytes) == 0 &&
            of.run_stride() % count == 0 && product_stride % count == 0)
            return static_cast<int>(count);
    return 1;
}

operand_view view_of(const operand_shape& of, const void* data, std::int64_t apart) {
    return {.data = data,
            .run_stride = of.run_stride(),
            .product_stride = apart,
            .along_k = of.lies_along_k(),
            .together = together(of, data, apart)};
}

bool swaps(const core::problem& p) {
    return size_bytes(p.a_type) > 1 && !a_of(p).lies_along_k() && b_of(p).lies_along_k();
}

core::gpu_call as_computed(core::gpu_call call) {
    if (!swaps(call.problem)) return call;
    call.problem = core::swapped(call.problem);
    call.products = call.products.swapped();
    call.aligned = call.aligned.swapped();
    return call;
}

bool has_contiguous_columns(const core::problem& p) {
    return p.c_layout.row_stride == 1 || p.m == 1;
}
bool has_contiguous_rows(const core::problem& p) {
    return p.c_layout.col_stride == 1 || p.n == 1;
}

}  // namespace carat::cuda::mma
