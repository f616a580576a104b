#include "cuda/families/wgmma/host/operand.hpp"

#include <numeric>

#include "cuda/families/wgmma/kernel_table.hpp"

namespace carat::cuda::wgmma {

using core::accumulation;

namespace {

// TMA wants contiguous lines that begin at multiples of 16 bytes.
bool readable(std::int64_t step, std::int64_t stride, std::int64_t lines, dtype type) {
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return step == 1 && (lines == 1 || (stride > 0 && stride * bytes % 16 == 0));
}

bool lies_along_k(const operand_shape& of) {
    return !of.is_split && readable(of.along, of.across, of.lines, of.type);
}

bool lies_across(const operand_shape& of) {
    return of.may_be_mn && !lies_along_k(of) && readable(of.across, of.along, of.depth, of.type);
}

}  // namespace

operand_shape shape_of_a(const core::problem& p, accumulation accumulate) {
    return {p.a_type,
            p.m,
            p.k,
            p.a_layout.row_stride,
            p.a_layout.col_stride,
            accumulate == accumulation::three_tf32,
            mn_major_of(p.a_type, accumulate).a};
}

operand_shape shape_of_b(const core::problem& p, accumulation accumulate) {
    return {p.b_type,
            p.n,
            p.k,
            p.b_layout.col_stride,
            p.b_layout.row_stride,
            accumulate == accumulation::three_tf32,
            mn_major_of(p.b_type, accumulate).b};
}

operand_major major_of(const operand_shape& of) {
    const bool packed_across = of.may_be_mn && !lies_along_k(of) && of.across == 1 && of.along != 1;
    return lies_across(of) || packed_across ? operand_major::mn : operand_major::k;
}

std::optional<operand_major> readable_along(const operand_shape& of) {
    if (lies_along_k(of)) return operand_major::k;
    return lies_across(of) ? std::optional(operand_major::mn) : std::nullopt;
}

int lines_begin_at(const operand_shape& of) {
    constexpr std::int64_t most = 128;
    if (!lies_along_k(of) && !lies_across(of)) return 32;
    const std::int64_t apart = lies_along_k(of) ? of.across : of.along;
    return static_cast<int>(std::gcd(apart * static_cast<std::int64_t>(size_bytes(of.type)), most));
}

operand::operand(const operand_shape& of, bool is_aligned, std::int64_t matrices)
    : shape_(of), matrices_(matrices), major_(major_of(of)) {
    if (!is_aligned || !readable_along(of)) packed_memory_ = memory_for_packing();
}

strided operand::packed_from(const void* data, std::int64_t apart) const {
    const bool across = major_ == operand_major::mn;
    return {.data = data,
            .element_bytes = static_cast<int>(size_bytes(shape_.type)),
            .lines = across ? shape_.depth : shape_.lines,
            .depth = across ? shape_.lines : shape_.depth,
            .across = across ? shape_.along : shape_.across,
            .along = across ? shape_.across : shape_.along,
            .is_split = !across && shape_.is_split,
            .matrices = matrices_,
            .matrix_stride = apart};
}

scratch operand::memory_for_packing() const {
    const strided from = packed_from(nullptr);
    load_packing(from);
    const std::int64_t elements = core::checked_product(
        core::checked_product(from.lines, packed_stride(from), "elements"), matrices_, "elements");
    return scratch(static_cast<std::size_t>(elements * from.element_bytes));
}

packing operand::packing_of(const void* data, std::int64_t apart) const {
    const strided from = packed_from(data, apart);
    return {from, packed_memory_.get(), packed_stride(from)};
}

CUtensorMap operand::map(const void* data, int box_lines, int box_depth, const batch& of) const {
    const bool across = major_ == operand_major::mn;
    const strided from = packed_from(data);
    const int box = across ? box_depth : box_lines;
    lines there{place(data), shape_.type, from.depth, from.lines, from.across, box, true};
    if (packed()) {
        there.stride = packed_stride(from);
        if (shape_.is_split) there.length = there.stride;
    }
    there.matrices = of.count;
    there.matrix_stride = packed() ? packed_matrix_stride(from) : of.spacing;
    return describe(there);
}

std::int64_t operand::apart_bytes(std::int64_t apart) const {
    if (matrices_ == 1) return 0;
    const std::int64_t elements = packed() ? packed_matrix_stride(packed_from(nullptr)) : apart;
    return elements * static_cast<std::int64_t>(size_bytes(shape_.type));
}

}  // namespace carat::cuda::wgmma
