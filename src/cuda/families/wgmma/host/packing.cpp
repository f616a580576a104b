#include "cuda/families/wgmma/host/packing.hpp"

#include <algorithm>
#include <limits>

#include "core/dtype_traits.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::wgmma {

using plan::ceil_div;

namespace {

int pieces_of_slice(const packed_operand& of) {
    return static_cast<int>(of.mn_major ? ceil_div(of.slice_k, piece_lines) *
                                              ceil_div(of.packed_bytes, piece_bytes)
                                        : ceil_div(of.lines, piece_lines));
}

}  // namespace

bool may_pack_in_kernel(const operand& a, const operand& b) {
    const auto fits = [](const operand& x) {
        return !x.packed() || x.packed_in_lines(std::numeric_limits<std::int32_t>::max());
    };
    return (a.packed() || b.packed()) && fits(a) && fits(b);
}

// More than so much for each k-block of the first wave takes the kernel longer than packing ahead
// would: 4001^3 takes 244 us with none of 16 slices, 238 with 4 and with 6, and more again with 12.
packing_plan::packing_plan(const operand& a, const operand& b, std::int64_t k, int block_k,
                           dtype type, int ctas)
    : slices_(static_cast<int>(ceil_div(k, std::int64_t{slice_k_tiles} * block_k))),
      slice_k_(slice_k_tiles * block_k) {
    constexpr std::int64_t bytes_of_k_block = 3072;
    const std::int64_t bytes = core::bytes_of(type, k * (a.packed_lines() + b.packed_lines()));
    const std::int64_t while_multiplied = bytes_of_k_block * ctas * ceil_div(k, block_k);
    const double share =
        std::min(0.5, static_cast<double>(while_multiplied) / static_cast<double>(bytes));
    const auto late = static_cast<int>(share * static_cast<double>(slices_));
    if (late > 0) progress_ = scratch(sizeof(std::uint32_t) * static_cast<std::size_t>(1 + late));
    slices_in_kernel_ = late;
}

packed_operand packing_plan::in_kernel(const packing& p, bool mn_major) const {
    const strided& s = p.from;
    const std::int64_t bytes = s.element_bytes;
    const auto first = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(s.data) % 16);
    return {static_cast<const unsigned char*>(s.data) - first,
            static_cast<unsigned char*>(p.to),
            first,
            first + static_cast<unsigned>(((s.lines - 1) * s.across + s.depth) * bytes),
            static_cast<unsigned>(s.across * bytes),
            static_cast<unsigned>(p.stride * bytes),
            static_cast<int>(packed_depth(s) * bytes),
            static_cast<int>(s.lines),
            slice_k_,
            mn_major};
}

in_kernel_packing packing_plan::leave_last_slices(std::span<packing> all,
                                                  std::span<const bool> mn_major) const {
    in_kernel_packing late{};
    late.first_slice = slices_ - slices_in_kernel_;
    late.progress = static_cast<std::uint32_t*>(progress_.get());
    for (std::size_t i = 0; i < all.size(); ++i) {
        late.operands[i] = in_kernel(all[i], mn_major[i]);
        late.pieces_of_slice[i] = pieces_of_slice(late.operands[i]);
        late.pieces += late.pieces_of_slice[i] * slices_in_kernel_;
        (mn_major[i] ? all[i].from.lines : all[i].from.depth) =
            std::int64_t{late.first_slice} * slice_k_;
    }
    return late;
}

in_kernel_packing packing_plan::start(const operand& a, const operand& b,
                                      const core::operands& data, cudaStream_t stream,
                                      const batch_strides& apart) const {
    packing all[2];
    bool mn_major[2];
    std::size_t count = 0;
    const auto add = [&](const operand& x, const void* from, std::int64_t next) {
        if (!x.packed()) return;
        mn_major[count] = x.contiguous() == operand_major::mn;
        all[count++] = x.packing_of(from, next);
    };
    add(a, data.a, apart.a);
    add(b, data.b, apart.b);
    if (count == 0) return {};
    if (slices_in_kernel_ == 0) {
        pack({all, count}, stream);
        return {};
    }
    const in_kernel_packing late = leave_last_slices({all, count}, {mn_major, count});
    pack({all, count}, stream, {late.progress, 1 + slices_in_kernel_});
    return late;
}

}  // namespace carat::cuda::wgmma
