#include "cuda/families/fma/operand.hpp"

namespace carat::cuda::fma {

namespace {

// TMA wants contiguous lines that begin at multiples of 16 bytes.
bool readable(std::int64_t step, std::int64_t stride, std::int64_t lines, dtype type) {
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return step == 1 && (lines == 1 || (stride > 0 && stride * bytes % 16 == 0));
}

}  // namespace

std::optional<operand_major> readable_as(const operand_shape& of, bool may_lie_along_k,
                                         bool is_aligned) {
    if (!is_aligned) return std::nullopt;
    if (readable(of.across, of.along, of.depth, of.type)) return operand_major::mn;
    const bool lies_along = readable(of.along, of.across, of.lines, of.type);
    return may_lie_along_k && lies_along ? std::optional(operand_major::k) : std::nullopt;
}

operand::operand(const operand_shape& of, bool may_lie_along_k, bool is_aligned,
                 std::int64_t matrices)
    : shape_(of), matrices_(matrices) {
    if (const auto major = readable_as(of, may_lie_along_k, is_aligned))
        major_ = *major;
    else
        take_packing_memory();
}

strided operand::packed_from(const void* data, std::int64_t apart) const {
    return {.data = data,
            .element_bytes = static_cast<int>(size_bytes(shape_.type)),
            .lines = shape_.depth,
            .depth = shape_.lines,
            .across = shape_.along,
            .along = shape_.across,
            .matrices = matrices_,
            .matrix_stride = apart};
}

void operand::take_packing_memory() {
    const strided from = packed_from(nullptr, 0);
    load_packing(from);
    const std::int64_t elements = core::checked_product(
        core::checked_product(from.lines, packed_stride(from), "elements"), matrices_, "elements");
    packed_memory_ = scratch(static_cast<std::size_t>(elements) * size_bytes(shape_.type));
}

packing operand::packing_of(const void* data, std::int64_t apart) const {
    const strided from = packed_from(data, apart);
    return {from, packed_memory_.get(), packed_stride(from)};
}

CUtensorMap operand::map(const void* data, std::int64_t apart, int tile_lines,
                         int tile_depth) const {
    const bool along_k = major_ == operand_major::k;
    lines there{data,
                shape_.type,
                along_k ? shape_.depth : shape_.lines,
                along_k ? shape_.lines : shape_.depth,
                along_k ? shape_.across : shape_.along,
                along_k ? tile_lines : tile_depth};
    const bool is_boxed_as_it_lies = shape_.type == dtype::f32;
    if (is_boxed_as_it_lies) there.box_length = along_k ? tile_depth : tile_lines;
    there.matrices = matrices_;
    there.matrix_stride = apart;
    if (packed()) {
        const strided from = packed_from(data, apart);
        there.data = packed_memory_.get();
        there.stride = packed_stride(from);
        there.matrix_stride = packed_matrix_stride(from);
    }
    return describe(there);
}

}  // namespace carat::cuda::fma
