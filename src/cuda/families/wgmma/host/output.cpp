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
        case store_path::fused_from_registers:
            return "from registers with its epilogue";
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

// An E of 16 bits: f32 would be read element by element, and bf16 into f32 of 512 x 4096 x 4096
// took 32.7 us of an H200 so, and 29.4 by lines.
bool output::tma_loads_source() const {
    if (!is_half(problem_.a_type) || !is_half(problem_.c_type)) return false;
    const core::layout& at = problem_.c_layout;
    const auto bytes = static_cast<std::int64_t>(size_bytes(problem_.c_type));
    const auto [step, next] = std::minmax(at.row_stride, at.col_stride);
    return step == 1 && next * bytes % 16 == 0;
}

stored output::path(const core::product_set& products, std::int64_t apart, bool is_aligned,
                    int split_k) const {
    using enum store_path;
    const core::problem& p = problem_;
    const bool is_batch = products.are == core::multiplicity::strided;
    const bool is_bare = is_plain_ && p.beta == 0;
    const bool fits = !is_batch || (apart > 0 && core::bytes_of(p.c_type, apart) % 16 == 0);
    if (!kernel_->desc->is_persistent()) {
        const bool in_one = products.are == core::multiplicity::one || is_batch;
        const bool loads = p.beta != 0 && in_one && is_aligned && fits && tma_loads_source();
        return single_tile_path(is_batch && stages_c(p), is_bare, loads, split_k);
    }
    if (!is_aligned || !fits || !strides_fit_tma()) return {by_threads, false};
    if (is_stored_by_columns()) return {columns_by_tma, p.beta != 0};
    return {is_bare ? by_tma : fused_by_tma, p.beta != 0};
}

// Bias and activation of many sums take less time in a loop over lines of shared memory than in
// code for each of them; what is added arrives sooner where it needs no loop.
stored output::single_tile_path(bool through_memory, bool is_bare, bool loads, int split_k) const {
    using enum store_path;
    constexpr int few = 40;
    const kernel_desc& k = *kernel_->desc;
    if (is_bare && !through_memory) return {from_registers, false};
    if (through_memory || !is_half(k.a_type)) return {by_lines, false};
    if (problem_.beta != 0) return {loads ? fused_from_registers : by_lines, loads};
    return {k.block_n / 2 / split_k <= few ? fused_from_registers : by_lines, false};
}

output_tensor output::at(void* c, const void* source, const stored& how) const {
    const core::layout& at = problem_.c_layout;
    return {c,        at.row_stride,    at.col_stride,  type_of(problem_.c_type),
            how.path, how.loads_source, is_row_major(), is_vectorized(problem_, c, source),
            0};
}

CUtensorMap output::map(const void* c, const batch& of) const {
    return map_in_boxes(c, kernel_->store_rows, of);
}

CUtensorMap output::map_of_source(const void* source, const batch& of) const {
    const kernel_desc& k = *kernel_->desc;
    if (k.is_persistent()) return map_in_boxes(source, k.block_m, of);
    const core::problem& p = problem_;
    const bool rows = is_row_major();
    lines all{source,
              p.c_type,
              rows ? p.n : p.m,
              rows ? p.m : p.n,
              rows ? p.c_layout.row_stride : p.c_layout.col_stride,
              rows ? k.block_m : k.block_n};
    all.matrices = of.count;
    all.matrix_stride = of.spacing;
    return describe(all);
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
