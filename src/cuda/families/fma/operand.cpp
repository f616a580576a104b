#include "cuda/families/fma/operand.hpp"

#include "plan/cpu_plan.hpp"

namespace carat::cuda::fma {

namespace {

// TMA wants contiguous lines that begin at multiples of 16 bytes.
bool readable(std::int64_t step, std::int64_t stride, std::int64_t lines, dtype type) {
    const auto bytes = static_cast<std::int64_t>(size_bytes(type));
    return step == 1 && (lines == 1 || (stride > 0 && stride * bytes % 16 == 0));
}

// Runs that lie anywhere, read a quarter at a time. Rows of a tile may lie in another order in
// shared memory, columns may not: lanes store neighbours.
std::optional<operand_major> quartered_as(const operand_shape& of, side which, bool may_lie_along_k,
                                          std::int64_t matrices) {
    constexpr std::int64_t fewest = 4;
    const auto has_quarters = [](std::int64_t step, std::int64_t stride, std::int64_t runs) {
        return step == 1 && stride > 0 && runs >= fewest;
    };
    if (of.type != dtype::f32 || matrices != 1) return std::nullopt;
    if (has_quarters(of.across, of.along, of.depth)) return operand_major::mn;
    const bool lies_along = has_quarters(of.along, of.across, of.lines);
    return which == side::rows && may_lie_along_k && lies_along ? std::optional(operand_major::k)
                                                                : std::nullopt;
}

}  // namespace

std::optional<reading> readable_as(const operand_shape& of, side which, bool may_lie_along_k,
                                   bool is_aligned, std::int64_t matrices) {
    const auto whole = [&]() -> std::optional<operand_major> {
        if (!is_aligned) return std::nullopt;
        if (readable(of.across, of.along, of.depth, of.type)) return operand_major::mn;
        const bool lies_along = readable(of.along, of.across, of.lines, of.type);
        return may_lie_along_k && lies_along ? std::optional(operand_major::k) : std::nullopt;
    };
    if (const auto major = whole()) return reading{*major, false};
    if (const auto major = quartered_as(of, which, may_lie_along_k, matrices))
        return reading{*major, true};
    return std::nullopt;
}

operand::operand(const operand_shape& of, side which, bool may_lie_along_k, bool is_aligned,
                 std::int64_t matrices)
    : shape_(of), matrices_(matrices) {
    if (const auto read = readable_as(of, which, may_lie_along_k, is_aligned, matrices))
        read_ = *read;
    else
        take_packing_memory();
}

quarters operand::quarters_of(const void* data) const {
    if (!read_.in_quarters) return {};
    const bool along_k = read_.major == operand_major::k;
    const auto stride = static_cast<std::uint32_t>(along_k ? shape_.across : shape_.along);
    const auto first = reinterpret_cast<std::uintptr_t>(data) / sizeof(float);
    return {true, static_cast<std::uint32_t>(first % 4), stride % 4};
}

// Every fourth run from this one on, as lines that begin at a multiple of 16 bytes and are as much
// longer.
CUtensorMap operand::quarter(const void* data, int number, int tile_lines, int tile_depth) const {
    const bool along_k = read_.major == operand_major::k;
    const std::int64_t stride = along_k ? shape_.across : shape_.along;
    const std::int64_t runs = along_k ? shape_.lines : shape_.depth;
    const int before = quarters_of(data).before(number);
    return describe({.data = static_cast<const float*>(data) + number * stride - before,
                     .type = dtype::f32,
                     .length = (along_k ? shape_.depth : shape_.lines) + before,
                     .count = plan::ceil_div(runs - number, 4),
                     .stride = 4 * stride,
                     .box_lines = along_k ? tile_lines / 4 : 1,
                     .box_length = along_k ? tile_depth : tile_lines,
                     .matrices = 1,
                     .matrix_stride = 4});
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
    const bool along_k = read_.major == operand_major::k;
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
