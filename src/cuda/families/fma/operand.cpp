#include "cuda/families/fma/operand.hpp"

#include "plan/cpu_plan.hpp"

namespace carat::cuda::fma {

namespace {

using plan::lying;

// Contiguous lines.
bool are_lines(std::int64_t step, std::int64_t stride, std::int64_t lines) {
    return step == 1 && (lines == 1 || stride > 0);
}

// TMA wants lines that begin at multiples of 16 bytes.
bool are_aligned(std::int64_t stride, std::int64_t lines, dtype type) {
    return lines == 1 || stride * static_cast<std::int64_t>(size_bytes(type)) % 16 == 0;
}

}  // namespace

lying lying_of(const operand_shape& of, bool is_aligned, std::int64_t matrices) {
    const bool runs_across = are_lines(of.across, of.along, of.depth);
    const bool runs_along = are_lines(of.along, of.across, of.lines);
    if (is_aligned && runs_across && are_aligned(of.along, of.depth, of.type))
        return lying::across_k;
    if (is_aligned && runs_along && are_aligned(of.across, of.lines, of.type))
        return lying::along_k;
    const bool begin_alike = is_aligned || matrices == 1;
    return begin_alike && (runs_across || runs_along) ? lying::between_16_bytes : lying::scattered;
}

bool runs_along_k(const operand_shape& of, lying lies) {
    return lies == lying::along_k ||
           (lies != lying::across_k && !are_lines(of.across, of.along, of.depth));
}

operand::operand(const operand_shape& of, lying kernel_reads, bool is_aligned,
                 std::int64_t matrices)
    : shape_(of), matrices_(matrices) {
    const lying is = lying_of(of, is_aligned, matrices);
    if (is > kernel_reads)
        take_packing_memory();
    else if (runs_along_k(of, is))
        major_ = operand_major::k;
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

// The matrix that kernels read.
lines operand::whole(const void* data, std::int64_t apart) const {
    const bool along_k = major_ == operand_major::k;
    lines there{data,
                shape_.type,
                along_k ? shape_.depth : shape_.lines,
                along_k ? shape_.lines : shape_.depth,
                along_k ? shape_.across : shape_.along,
                0};
    there.matrices = matrices_;
    there.matrix_stride = apart;
    if (packed()) {
        const strided from = packed_from(data, apart);
        there.data = packed_memory_.get();
        there.stride = packed_stride(from);
        there.matrix_stride = packed_matrix_stride(from);
    }
    return there;
}

operand_maps operand::maps(const void* data, std::int64_t apart, int tile_lines,
                           int tile_depth) const {
    const bool along_k = major_ == operand_major::k;
    lines there = whole(data, apart);
    there.box_lines = along_k ? tile_lines : tile_depth;
    const bool is_boxed_as_it_lies = shape_.type == dtype::f32;
    if (is_boxed_as_it_lies) there.box_length = along_k ? tile_depth : tile_lines;
    return {.of = {describe(there)}};
}

bool operand::is_ready(const void* data) const {
    const lines all = whole(data, 0);
    return major_ == operand_major::mn && reinterpret_cast<std::uintptr_t>(all.data) % 16 == 0 &&
           are_aligned(all.stride, all.count, all.type);
}

operand_maps operand::parts(const void* data, std::int64_t apart, int tile_lines,
                            const raw_box& box) const {
    const auto size = static_cast<int>(size_bytes(shape_.type));
    const bool along_k = major_ == operand_major::k;
    const lines all = whole(data, apart);
    operand_maps maps = {.lines = static_cast<int>(all.count), .along_k = along_k};
    for (int i = 0; i < box.parts && i < all.count; ++i) {
        const char* const first = static_cast<const char*>(all.data) + i * all.stride * size;
        const int ahead = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % 16) / size;
        lines part = all;
        part.data = first - ahead * size;
        part.length += ahead;
        part.count = plan::ceil_div(all.count - i, std::int64_t{box.parts});
        part.stride *= box.parts;
        part.box_lines = (along_k ? tile_lines : box.depth) / box.parts;
        part.box_length = (along_k ? box.depth : tile_lines) + box.extra;
        maps.of[i] = describe(part);
        maps.ahead[i] = ahead;
    }
    for (std::int64_t i = all.count; i < box.parts; ++i) maps.of[i] = maps.of[0];
    return maps;
}

}  // namespace carat::cuda::fma
