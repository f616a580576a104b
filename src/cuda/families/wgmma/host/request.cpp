#include "cuda/families/wgmma/host/request.hpp"

#include <algorithm>
#include <limits>

#include "core/swap_ab.hpp"
#include "cuda/families/wgmma/host/operand.hpp"
#include "cuda/families/wgmma/host/output.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"

namespace carat::cuda::wgmma {

using core::accumulation;

namespace {

// 3xTF32 multiplies big and small parts in three products.
std::int64_t products_of(accumulation accumulate) {
    return accumulate == accumulation::three_tf32 ? 3 : 1;
}

}  // namespace

plan::gemm_request request_for(const core::problem& p, accumulation accumulate) {
    const operand_major a = major_of(shape_of_a(p, accumulate));
    operand_major b = major_of(shape_of_a(core::swapped(p), accumulate));
    // Where no kernel reads two that lie across K, B is packed.
    if (a == operand_major::mn && !mn_major_of(p.b_type, accumulate).b) b = operand_major::k;
    const int a_at = lines_begin_at(shape_of_a(p, accumulate));
    const int b_at = lines_begin_at(shape_of_b(p, accumulate));
    return {
        .m = p.m,
        .n = p.n,
        .k = p.k * products_of(accumulate),
        .a_type = p.a_type,
        .b_type = p.b_type,
        .accumulate = accumulate,
        .result_bytes = static_cast<int>(size_bytes(p.c_type)),
        .a_major = a,
        .b_major = b,
        .a_on_sectors = a_at >= 32,
        .b_on_sectors = b_at >= 32,
        .on_lines = a_at == 128 && b_at == 128,
        .c_by_rows = p.c_layout.row_stride >= p.c_layout.col_stride,
        .c_on_16_bytes =
            core::bytes_of(p.c_type, std::max(p.c_layout.row_stride, p.c_layout.col_stride)) % 16 ==
            0,
        .adds_e = p.beta != 0};
}

std::optional<layout_class> layout_in_group(const grouped& member, accumulation accumulate) {
    const core::problem& p = member.problem;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 512;
    const bool is_degenerate = p.m == 0 || p.n == 0 || p.k == 0 || p.alpha == 0;
    if (is_degenerate || std::max({p.m, p.n, p.k}) > most || !is_aligned(member.data.a) ||
        !is_aligned(member.data.b))
        return std::nullopt;
    const auto a = readable_along(shape_of_a(p, accumulate));
    const auto b = readable_along(shape_of_a(core::swapped(p), accumulate));
    if (!a || !b) return std::nullopt;
    if (*a == operand_major::mn && *b == operand_major::mn && !mn_major_of(p.b_type, accumulate).b)
        return std::nullopt;
    return layout_class{*a, *b, p.c_layout.row_stride >= p.c_layout.col_stride};
}

bool stores_glu(const core::problem& p, const core::operands& data) {
    return p.c_layout.col_stride == 1 &&
           in_whole_16_bytes(p.c_type, p.m, p.n, p.c_layout.row_stride) && is_aligned(data.c) &&
           (data.e == nullptr || is_aligned(data.e));
}

}  // namespace carat::cuda::wgmma
