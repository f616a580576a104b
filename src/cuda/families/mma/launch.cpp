#include "cuda/families/mma/launch.hpp"

#include <cstdlib>
#include <limits>
#include <type_traits>

#include "cuda/common/launch.hpp"
#include "cuda/families/mma/operand.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::mma {

namespace {

// How C is stored: in runs along its rows or its columns, whichever are closer together.
struct output_shape {
    bool by_rows;
    std::int64_t row_stride;
    std::int64_t col_stride;
    bool is_vectorized;
};

output_shape output_of(const core::problem& p, const void* c, const void* source,
                       std::int64_t apart) {
    const std::int64_t row_stride = p.m == 1 ? 0 : p.c_layout.row_stride;
    const std::int64_t col_stride = p.n == 1 ? 0 : p.c_layout.col_stride;
    const bool by_rows = has_contiguous_rows(p) || (!has_contiguous_columns(p) &&
                                                    std::abs(col_stride) < std::abs(row_stride));
    const bool is_contiguous = by_rows ? has_contiguous_rows(p) : has_contiguous_columns(p);
    const auto bytes = static_cast<std::int64_t>(size_bytes(p.c_type));
    const std::int64_t run_stride = by_rows ? row_stride : col_stride;
    return {by_rows, by_rows || !is_contiguous ? row_stride : 1,
            !by_rows || !is_contiguous ? col_stride : 1,
            is_contiguous && is_aligned(c) && is_aligned(source) && run_stride * bytes % 16 == 0 &&
                apart * bytes % 16 == 0};
}

// An integer is taken modulo 2^32, as sums of integers are.
template <class Sum>
Sum factor(double x) {
    if constexpr (std::is_integral_v<Sum>)
        return static_cast<Sum>(static_cast<std::int64_t>(x));
    else
        return static_cast<Sum>(x);
}

}  // namespace

template <class Sum>
arguments<Sum> arguments_of(const core::problem& p, const chosen_kernel& by, const bindings& with) {
    const core::product_distances& apart = with.apart;
    const output_shape to = output_of(p, with.data.c, with.source(), apart.c);
    const std::int64_t tiles_m = plan::ceil_div(p.m, by.of->block_m);
    return {.a = view_of(a_of(p), with.data.a, apart.a),
            .b = view_of(b_of(p), with.data.b, apart.b),
            .c = with.data.c,
            .source = with.source(),
            .row_stride = to.row_stride,
            .col_stride = to.col_stride,
            .product_stride = apart.c,
            .fusion = with.fusion,
            .scales = with.scales,
            .is_fused = !with.fusion.changes_no_sum(),
            .is_wide = p.c_type == dtype::f32,
            .is_vectorized = to.is_vectorized,
            .by_rows = to.by_rows,
            .stages = by.stages,
            .splits = 1,
            .m = static_cast<int>(p.m),
            .n = static_cast<int>(p.n),
            .k = static_cast<int>(p.k),
            .tiles_m = static_cast<int>(tiles_m),
            .tiles = static_cast<int>(tiles_m * plan::ceil_div(p.n, by.of->block_n)),
            .shared_out = ragged_dimension::none,
            .ragged = {},
            .alpha = factor<Sum>(p.alpha),
            .beta = factor<Sum>(p.beta)};
}

namespace {

// So many products. False: a grid has no such number of tiles.
template <class Sum>
bool launch(const chosen_kernel& by, const arguments<Sum>& told, std::int64_t count,
            cudaStream_t stream) {
    const std::int64_t ctas = told.tiles * count * told.splits;
    if (ctas > std::numeric_limits<std::int32_t>::max()) return false;
    arguments<Sum> own = told;
    void* addresses[] = {&own};
    launch_closely(by.of->function,
                   {dim3(static_cast<unsigned>(ctas)), static_cast<unsigned>(by.of->threads),
                    static_cast<std::size_t>(by.shared_bytes)},
                   stream, addresses);
    return true;
}

// Products that share out the rows of A, or of B where they are swapped, or K. False likewise.
template <class Sum>
bool launch_ragged(const chosen_kernel& by, arguments<Sum> told, const bindings& with, bool along_k,
                   bool swapped) {
    told.ragged = with.ends;
    told.shared_out = along_k   ? ragged_dimension::k
                      : swapped ? ragged_dimension::n
                                : ragged_dimension::m;
    // What begins in the middle of neighbours begins anywhere.
    const auto part = [](operand_view& x) { x.together = 1; };
    if (along_k) {
        if (told.a.along_k) part(told.a);
        if (told.b.along_k) part(told.b);
        return launch(by, told, with.ends.count, with.stream);
    }
    operand_view& shared_out = swapped ? told.b : told.a;
    if (!shared_out.along_k) part(shared_out);
    if ((swapped ? told.col_stride : told.row_stride) == 1) told.is_vectorized = false;
    const int across = swapped ? told.m : told.n;
    const int block_across = swapped ? by.of->block_m : by.of->block_n;
    const int block_lines = swapped ? by.of->block_n : by.of->block_m;
    told.tiles = static_cast<int>(plan::ceil_div(across, block_across));
    return launch(by, told, most_blocks(with.ends, block_lines), with.stream);
}

}  // namespace

template <class Sum>
bool launch_all(const chosen_kernel& by, const arguments<Sum>& told,
                const core::product_set& products, const bindings& with, bool swapped) {
    const bool along_k = products.are == core::multiplicity::depth;
    if (products.is_ragged()) return launch_ragged(by, told, with, along_k, swapped);
    return launch(by, told, products.count, with.stream);
}

#define CARAT_LAUNCH(Sum)                                                            \
    template arguments<Sum> arguments_of(const core::problem&, const chosen_kernel&, \
                                         const bindings&);                           \
    template bool launch_all(const chosen_kernel&, const arguments<Sum>&,            \
                             const core::product_set&, const bindings&, bool);
CARAT_LAUNCH(double)
CARAT_LAUNCH(float)
CARAT_LAUNCH(std::int32_t)
#undef CARAT_LAUNCH

}  // namespace carat::cuda::mma
