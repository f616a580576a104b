#include "cpu/request_of.hpp"

#include "core/dtype_traits.hpp"
#include "core/swap_ab.hpp"

namespace carat::cpu_engine {

namespace {

// Whether neighbouring lines are contiguous at one k, and consecutive k are whole pages apart: then
// a line maps to a few sets of every cache.
bool conflicts(dtype type, std::int64_t outer_stride, std::int64_t k_stride) {
    return outer_stride == 1 && k_stride * static_cast<std::int64_t>(size_bytes(type)) % 4096 == 0;
}

// Whether elements at this distance have the same offset in their cache lines.
bool on_whole_lines(dtype type, std::int64_t k_stride) {
    return k_stride * static_cast<std::int64_t>(size_bytes(type)) % 64 == 0;
}

}  // namespace

plan::request request_of(const core::problem& p, bool out_of_place, bool finishes, int threads,
                         const plan::blocking& wanted) {
    return {.m = p.m,
            .n = p.n,
            .k = p.alpha == 0 ? 0 : p.k,
            .same_types = !out_of_place && !core::is_storage_type(p.a_type),
            .sums_in_c = !out_of_place,
            .adds_sums = p.alpha == 1 && !finishes,
            .m_contiguous_a = p.a_layout.row_stride == 1,
            .k_contiguous_a = p.a_layout.col_stride == 1,
            .k_contiguous_b = p.b_layout.row_stride == 1,
            .conflicting_a = conflicts(p.a_type, p.a_layout.row_stride, p.a_layout.col_stride),
            .conflicting_b = conflicts(p.b_type, p.b_layout.col_stride, p.b_layout.row_stride),
            .whole_lines_of_a = on_whole_lines(p.a_type, p.a_layout.col_stride),
            .most_threads = threads,
            .wanted = wanted};
}

core::problem turned(const core::problem& p, bool swapped) {
    core::problem q = swapped ? core::swapped(p) : p;
    if (q.m == 1) q.a_layout.row_stride = q.k;
    if (q.n == 1) q.b_layout.col_stride = q.k;
    return q;
}

}  // namespace carat::cpu_engine
