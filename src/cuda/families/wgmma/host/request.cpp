#include "cuda/families/wgmma/host/request.hpp"

#include <algorithm>
#include <limits>

#include "core/dtype_traits.hpp"
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

// Adds what packing `of` costs, if it is read as `read_as`: by lines, or transposed.
void add_packing(plan::packed_first& to, const operand_shape& of, operand_major read_as,
                 bool is_aligned, std::int64_t matrices) {
    if (is_aligned && readable_along(of) == read_as) return;
    const double copies = of.is_split ? 3 : 2;  // big and small parts are written
    const double bytes =
        copies * static_cast<double>(core::bytes_of(of.type, of.lines * of.depth * matrices));
    const bool in_lines = (read_as == operand_major::k ? of.along : of.across) == 1;
    (in_lines ? to.lines : to.columns) += bytes;
}

}  // namespace

plan::gemm_request request_for(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    const accumulation accumulate = call.accumulate();
    const operand_major a = major_of(shape_of_a(p, accumulate));
    operand_major b = major_of(shape_of_a(core::swapped(p), accumulate));
    // Where no kernel reads two that lie across K, B is packed.
    if (a == operand_major::mn && !mn_major_of(p.b_type, accumulate).b) b = operand_major::k;
    plan::packed_first packing;
    add_packing(packing, shape_of_a(p, accumulate), a, call.aligned.a, call.products.matrices_a());
    add_packing(packing, shape_of_a(core::swapped(p), accumulate), b, call.aligned.b,
                call.products.matrices_b());
    const int a_at = lines_begin_at(shape_of_a(p, accumulate));
    const int b_at = lines_begin_at(shape_of_b(p, accumulate));
    return {
        .m = p.m,
        .n = p.n,
        .k = p.k * products_of(accumulate),
        .batch = call.products.count,
        .one_a = call.products.one_a,
        .one_b = call.products.one_b,
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
        .adds_e = p.beta != 0,
        .packing = packing};
}

std::optional<layout_class> layout_in_group(const core::gpu_product& member,
                                            accumulation accumulate) {
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
