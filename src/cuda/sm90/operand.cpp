#include "cuda/sm90/operand.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

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

bool lies_across(const operand_shape& of) {
    return of.may_lie_across && !lies_along_k(of) &&
           readable(of.across, of.along, of.depth, of.type);
}

}  // namespace

bool comes_across(const operand_shape& of) {
    return lies_across(of) ||
           (of.may_lie_across && !lies_along_k(of) && of.across == 1 && of.along != 1);
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

operand::operand(const operand_shape& of)
    : shape_(of), major_(comes_across(of) ? major::across : major::along_k) {
    if (!readable_along(of)) require_packing(major_);
}

strided operand::packed_from(const void* data, std::int64_t first_line) const {
    const auto bytes = static_cast<int>(size_bytes(shape_.type));
    if (major_ == major::across)
        return {data, bytes, shape_.depth, shape_.lines, shape_.along, shape_.across};
    const auto* const first = static_cast<const std::byte*>(data);
    return {first == nullptr ? nullptr : first + first_line * shape_.across * bytes,
            bytes,
            shape_.lines - first_line,
            shape_.depth,
            shape_.across,
            shape_.along,
            shape_.in_halves};
}

void operand::require_packing(major to) {
    if (packed() && major_ == to) return;
    const major before = std::exchange(major_, to);
    try {
        packed_memory_ = memory_from(first_packed_);
    } catch (...) {
        major_ = before;
        throw;
    }
}

void operand::pack_only_from(std::int64_t line) {
    if (first_packed_ == line) return;
    packed_memory_ = line < shape_.lines ? memory_from(line) : scratch();
    first_packed_ = line;
}

scratch operand::memory_from(std::int64_t first_line) const {
    const strided from = packed_from(nullptr, first_line);
    load_packing(from);
    const std::int64_t elements =
        core::checked_product(from.lines, packed_stride(from), "elements");
    return scratch(static_cast<std::size_t>(elements * from.element_bytes));
}

packing operand::packing_of(const void* data) const {
    const strided from = packed_from(data, first_packed_);
    return {from, packed_memory_.get(), packed_stride(from)};
}

bool operand::packed_in_lines(std::int64_t bytes) const {
    const strided from = packed_from(nullptr, first_packed_);
    return from.along == 1 && from.across > 0 &&
           std::max(from.across, packed_stride(from)) <= bytes / from.element_bytes / from.lines;
}

CUtensorMap operand::map(const void* data, int box_lines, int box_depth, const batch& of) const {
    const bool across = major_ == major::across;
    const strided from = packed_from(data, first_packed_);
    const int box = across ? box_depth : box_lines;
    lines there{place(data), shape_.type, from.depth, from.lines, from.across, box, true};
    if (packed()) {
        there.stride = packed_stride(from);
        if (shape_.in_halves) there.length = there.stride;
    }
    there.matrices = of.count;
    there.matrix_stride = of.spacing;
    return describe(there);
}

}  // namespace carat::cuda::sm90
