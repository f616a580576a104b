#include "cuda/sm90/operand.hpp"

#include <numeric>

namespace carat::cuda::sm90 {

namespace {

// The copy engine wants contiguous lines that begin at multiples of 16 bytes.
bool readable(std::int64_t step, std::int64_t stride, std::int64_t lines, dtype type) {
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return step == 1 && (lines == 1 || (stride > 0 && stride * bytes % 16 == 0));
}

bool lies_along_k(const operand_shape& of) {
    return !of.in_halves && readable(of.along, of.across, of.lines, of.type);
}

}  // namespace

bool lies_across(const operand_shape& of) {
    return of.may_lie_across && !lies_along_k(of) &&
           readable(of.across, of.along, of.depth, of.type);
}

std::optional<major> readable_along(const operand_shape& of) {
    if (lies_along_k(of)) return major::along_k;
    return lies_across(of) ? std::optional(major::across) : std::nullopt;
}

int lines_begin_at(const operand_shape& of) {
    constexpr std::int64_t most = 128;
    if (!lies_along_k(of) && !lies_across(of)) return 32;
    const std::int64_t apart = lies_along_k(of) ? of.across : of.along;
    return static_cast<int>(std::gcd(apart * static_cast<std::int64_t>(size_bytes(of.type)), most));
}

operand::operand(const operand_shape& of) : shape_(of) {
    if (lies_along_k(of)) return;
    if (lies_across(of))
        major_ = major::across;
    else
        require_packing();
}

strided operand::packed_from(const void* data) const {
    return {data,
            static_cast<int>(size_bytes(shape_.type)),
            shape_.lines,
            shape_.depth,
            shape_.across,
            shape_.along,
            shape_.in_halves};
}

void operand::require_packing() {
    if (packed()) return;
    const strided from = packed_from(nullptr);
    const std::int64_t elements =
        core::checked_product(shape_.lines, packed_stride(from), "elements");
    packed_memory_ = scratch(static_cast<std::size_t>(elements * from.element_bytes));
    major_ = major::along_k;
}

packing operand::packing_of(const void* data) const {
    return {packed_from(data), packed_memory_.get()};
}

CUtensorMap operand::map(const void* data, int box_lines, int box_depth, const batch& of) const {
    lines there{data, shape_.type, shape_.lines, shape_.depth, shape_.along, box_depth, true};
    if (packed()) {
        const strided from = packed_from(data);
        there = {packed_memory_.get(),
                 shape_.type,
                 shape_.in_halves ? packed_stride(from) : shape_.depth,
                 shape_.lines,
                 packed_stride(from),
                 box_lines,
                 true};
    } else if (major_ == major::along_k) {
        there = {data, shape_.type, shape_.depth, shape_.lines, shape_.across, box_lines, true};
    }
    there.matrices = of.count;
    there.matrix_stride = of.spacing;
    return describe(there);
}

}  // namespace carat::cuda::sm90
