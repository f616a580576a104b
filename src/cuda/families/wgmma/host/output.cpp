#include "cuda/families/wgmma/host/output.hpp"

#include <algorithm>

#include "cuda/common/gemm.hpp"
#include "cuda/common/tensor_map.hpp"

namespace carat::cuda::wgmma {

namespace {

output_type type_of(dtype type) {
    if (type == dtype::f16) return output_type::f16;
    if (type == dtype::bf16) return output_type::bf16;
    return type == dtype::i32 ? output_type::i32 : output_type::f32;
}

// Whether the C of a batch of single tiles goes by way of shared memory: written from registers, C
// of 16 bits takes up to 1.6 times as long where its tiles are wide, and less where they are thin.
bool stages_c(const core::problem& p) {
    constexpr std::int64_t fewest = 64;
    return is_half(p.a_type) && size_bytes(p.c_type) == 2 && std::min(p.m, p.n) >= fewest;
}

bool begin_at(std::size_t bytes, const void* x, const void* y) {
    return (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % bytes == 0;
}

}  // namespace

std::string_view words_for(store_path path) {
    switch (path) {
        case store_path::from_registers:
            return "from registers";
        case store_path::by_lines:
            return "by lines of shared memory";
        case store_path::by_tma:
            return "by TMA";
        case store_path::fused_by_tma:
            return "by TMA with its epilogue";
        case store_path::columns_by_tma:
            return "by TMA in columns";
        case store_path::by_threads:
            return "by threads from shared memory";
    }
    return {};
}

bool in_whole_16_bytes(dtype type, std::int64_t count, std::int64_t length, std::int64_t stride) {
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return length * bytes % 16 == 0 && (count == 1 || (stride > 0 && stride * bytes % 16 == 0));
}

bool is_vectorized(const core::problem& p, const void* c, const void* source) {
    const auto [step, next] = std::minmax(p.c_layout.row_stride, p.c_layout.col_stride);
    return step == 1 && next % 4 == 0 && begin_at(4 * size_bytes(p.c_type), c, source);
}

output::output(const core::problem& p, const kernel& by, bool is_plain)
    : problem_(p), kernel_(&by), is_plain_(is_plain) {}

bool output::is_stored_by_columns() const {
    const kernel_desc& k = *kernel_->desc;
    return k.a_from_registers() && is_plain_ &&
           problem_.c_layout.row_stride < problem_.c_layout.col_stride;
}

bool output::strides_fit_tma() const {
    const core::problem& p = problem_;
    const core::layout& at = p.c_layout;
    const auto bytes = static_cast<std::int64_t>(size_bytes(p.c_type));
    // Else a staging tile would begin within a swizzled line.
    const bool whole_lines = kernel_->desc->block_n * bytes % 128 == 0;
    if (!whole_lines && p.beta != 0 && !is_stored_by_columns()) return false;
    return is_stored_by_columns()
               ? at.row_stride == 1 && in_whole_16_bytes(p.c_type, p.n, p.m, at.col_stride)
               : at.col_stride == 1 && in_whole_16_bytes(p.c_type, p.m, p.n, at.row_stride);
}

store_path output::path(const core::product_set& products, std::int64_t apart,
                        bool is_aligned) const {
    using enum store_path;
    const core::problem& p = problem_;
    const bool is_batch = products.are == core::multiplicity::strided;
    const bool is_bare = is_plain_ && p.beta == 0;
    if (!kernel_->desc->is_persistent())
        return is_bare && !(is_batch && stages_c(p)) ? from_registers : by_lines;
    const bool fits = !is_batch || (apart > 0 && core::bytes_of(p.c_type, apart) % 16 == 0);
    if (!is_aligned || !fits || !strides_fit_tma()) return by_threads;
    if (is_stored_by_columns()) return columns_by_tma;
    return is_bare ? by_tma : fused_by_tma;
}

output_tensor output::at(void* c, const void* source, store_path path) const {
    const core::layout& at = problem_.c_layout;
    return {c,
            at.row_stride,
            at.col_stride,
            type_of(problem_.c_type),
            path,
            at.row_stride >= at.col_stride,
            is_vectorized(problem_, c, source),
            0};
}

CUtensorMap output::map(const void* c, const batch& of) const {
    return map_in_boxes(c, kernel_->store_rows, of);
}

CUtensorMap output::map_of_source(const void* source, const batch& of) const {
    return map_in_boxes(source, kernel_->desc->block_m, of);
}

CUtensorMap output::map_of_single_rows(const void* c) const {
    return map_in_boxes(c, 1, {1, 0});
}

CUtensorMap output::map_in_boxes(const void* c, int box_rows, const batch& of) const {
    const core::problem& p = problem_;
    if (is_stored_by_columns()) return describe({c, p.c_type, p.m, p.n, p.c_layout.col_stride, 32});
    lines rows{c, p.c_type, p.n, p.m, p.c_layout.row_stride, box_rows};
    rows.matrices = of.count;
    rows.matrix_stride = of.spacing;
    return describe(rows);
}

}  // namespace carat::cuda::wgmma
