#include "cuda/simt/operand.hpp"

#include "cuda/common/pack.hpp"

namespace carat::cuda::simt {

namespace {

// TMA wants contiguous lines that begin at multiples of 16 bytes.
bool readable(std::int64_t step, std::int64_t stride, std::int64_t lines, dtype type) {
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return step == 1 && (lines == 1 || (stride > 0 && stride * bytes % 16 == 0));
}

}  // namespace

operand::operand(const operand_shape& of, bool may_lie_along_k, bool is_aligned) : shape_(of) {
    const bool lies_across = readable(of.across, of.along, of.depth, of.type);
    const bool lies_along = may_lie_along_k && readable(of.along, of.across, of.lines, of.type);
    if (!lies_across && lies_along && is_aligned)
        major_ = operand_major::k;
    else if (!lies_across || !is_aligned)
        take_packing_memory();
}

void operand::take_packing_memory() {
    const auto bytes = static_cast<int>(size_bytes(shape_.type));
    load_packing({nullptr, bytes, shape_.depth, shape_.lines, shape_.along, shape_.across});
    const std::int64_t elements =
        core::checked_product(shape_.depth, packed_stride(shape_.lines, bytes), "elements");
    packed_memory_ = scratch(static_cast<std::size_t>(elements) * size_bytes(shape_.type));
}

CUtensorMap operand::map(const void* data, int tile_lines, int tile_depth,
                         cudaStream_t stream) const {
    const bool is_boxed_as_it_lies = shape_.type == dtype::f32;
    if (major_ == operand_major::k) {
        lines there{data, shape_.type, shape_.depth, shape_.lines, shape_.across, tile_lines};
        if (is_boxed_as_it_lies) there.box_length = tile_depth;
        return describe(there);
    }
    lines there{data, shape_.type, shape_.lines, shape_.depth, shape_.along, tile_depth};
    if (is_boxed_as_it_lies) there.box_length = tile_lines;
    if (packed()) {
        const auto bytes = static_cast<int>(size_bytes(shape_.type));
        pack({data, bytes, shape_.depth, shape_.lines, shape_.along, shape_.across},
             packed_memory_.get(), stream);
        there.data = packed_memory_.get();
        there.stride = packed_stride(shape_.lines, bytes);
    }
    return describe(there);
}

}  // namespace carat::cuda::simt
