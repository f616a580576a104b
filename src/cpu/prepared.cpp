#include "cpu/prepared.hpp"

#include <algorithm>

#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

namespace {

std::byte* reserve(prepared_operand& into, std::int64_t lines, std::int64_t line_bytes) {
    const std::int64_t bytes = core::checked_product(lines, line_bytes, "packed operand");
    return into.memory.reserve(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
}

// Two cache lines between micropanels, as in matrix_unit/loops.cpp, keep them out of each other's
// sets.
void pack_for_matrix_unit(prepared_operand& into, const matrix_unit_kernel& with,
                          const source& from, std::int64_t count, std::int64_t k) {
    const std::int64_t steps = plan::ceil_div(k, with.step_k());
    const std::int64_t micropanel_bytes =
        core::checked_product(steps, micropanel_step_bytes, "packed operand") + 2 * step_bytes;
    std::byte* const out =
        reserve(into, plan::ceil_div(count, micropanel_extent), micropanel_bytes);
    const bool left = into.place == side::left;
    (left ? with.pack_a : with.pack_b)(from.data, from.outer_stride, from.k_stride, count, k, out,
                                       micropanel_bytes);
    into.lines = {out, 1, micropanel_bytes / micropanel_extent,
                  micropanel_step_bytes / with.step_k()};
    into.for_matrix_unit = true;
}

template <class T>
void pack_panels(prepared_operand& into, const kernel<T>& with, const packers<T>& pack,
                 const source& from, std::int64_t count, std::int64_t k) {
    const std::int64_t lines = plan::ceil_div(count, with.mr) * with.mr;
    std::byte* const out =
        reserve(into, lines, core::checked_product(k, sizeof(T), "packed operand"));
    pack.a(from.data, from.outer_stride, from.k_stride, count, k, reinterpret_cast<T*>(out));
    into.lines = {out, sizeof(T), k, with.mr};
}

}  // namespace

std::size_t pack_operand(prepared_operand& into, const kernel_set& with, dtype type,
                         const source& from, std::int64_t count, std::int64_t k) {
    if (count == 0 || k == 0) return 0;
    const matrix_unit_kernel* const unit =
        with.matrix_unit == nullptr ? nullptr : with.matrix_unit->find(type, type);
    if (unit != nullptr)
        pack_for_matrix_unit(into, *unit, from, count, k);
    else
        visit_kernel(with, type, [&](const auto& kernel) {
            pack_panels(into, kernel, kernel.pack[type], from, count, k);
        });
    return into.memory.size_bytes();
}

}  // namespace carat::cpu_engine
