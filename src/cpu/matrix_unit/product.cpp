#include "cpu/matrix_unit/product.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/swap_ab.hpp"
#include "cpu/machine.hpp"
#include "cpu/matrix_unit/loops.hpp"
#include "cpu/threads/partition.hpp"

namespace carat::cpu_engine {

namespace {

constexpr std::int64_t skinny = 2 * micropanel_extent;

// Sums are row-major, so rows of C should be contiguous. But a large operand next to a skinny one
// should take the role of A if it is contiguous in k: then it need not be packed.
bool should_swap_for_matrix_unit(const core::problem& p) {
    if (p.n <= skinny && p.m > p.n && p.a_layout.col_stride == 1) return false;
    if (p.m <= skinny && p.n > p.m && p.b_layout.row_stride == 1) return true;
    if (p.c_layout.col_stride == 1) return false;
    return std::abs(p.c_layout.row_stride) < std::abs(p.c_layout.col_stride);
}

// A can be loaded unpacked if it is contiguous in k. That pays if a micropanel of A meets only one
// or two micropanels of B, and if lines are close together; strides of whole KiB map the lines of a
// micropanel to a few sets of the caches.
bool should_read_a(const core::problem& p) {
    const std::int64_t stride_bytes =
        p.a_layout.row_stride * static_cast<std::int64_t>(size_bytes(p.a_type));
    if (p.a_layout.col_stride != 1) return false;
    return p.n <= skinny || (stride_bytes <= 2048 && stride_bytes % 1024 != 0);
}

source operand(const void* data, dtype type, std::int64_t outer_stride, std::int64_t k_stride) {
    return {static_cast<const std::byte*>(data), static_cast<std::int64_t>(size_bytes(type)),
            outer_stride, k_stride};
}

plan::request request_for(const core::problem& p, int threads, const plan::blocking& wanted) {
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .unpacked_a = should_read_a(p),
            .packs_slabs_of_a = p.a_layout.row_stride == 1,
            .most_threads = threads,
            .wanted = wanted};
}

// Bytes of packed lines over all of k.
std::int64_t packed_bytes(const matrix_unit_kernel& with, std::int64_t lines, std::int64_t k) {
    const std::int64_t bytes = plan::ceil_div(lines, micropanel_extent) * micropanel_bytes(with, k);
    return (bytes + 4095) / 4096 * 4096;
}

bool starts_on_lines(const matrix_unit_task& t) {
    constexpr std::int64_t line_bytes = 64;
    return reinterpret_cast<std::uintptr_t>(t.c) % line_bytes == 0 &&
           t.c_row_stride * t.c_bytes % line_bytes == 0;
}

}  // namespace

bool takes_matrix_unit(const core::problem& p, const kernel_set& with, bool prepared) {
    if (with.matrix_unit == nullptr || (!prepared && p.k < with.matrix_unit->least_k)) return false;
    return with.matrix_unit->find(p.a_type, p.b_type) != nullptr;
}

matrix_unit_product::matrix_unit_product(const core::problem& p, int threads,
                                         const matrix_unit_set& with, const plan::blocking& wanted,
                                         const prepared_operand* ready)
    : ready_(ready),
      turns_by_rows_(ready != nullptr && should_swap_for_matrix_unit(p)),
      swapped_(ready == nullptr && should_swap_for_matrix_unit(p)),
      problem_(swapped_ ? core::swapped(p) : p),
      set_(&with),
      kernel_(with.find(problem_.a_type, problem_.b_type)) {
    request_ = request_for(problem_, threads, wanted);
    if (ready != nullptr) {
        request_.a_packed = ready->place == side::left;
        request_.b_packed = !request_.a_packed;
        // K is cut where it would be otherwise, so sums have the same bits.
        const core::problem usual = turns_by_rows_ ? core::swapped(p) : p;
        request_.wanted.kc = plan::make_matrix_unit_plan(request_for(usual, threads, wanted),
                                                         shape(), this_machine())
                                 .blocks.kc;
    }
    plan_ = plan::make_matrix_unit_plan(request_, shape(), this_machine());
}

plan::matrix_unit_shape matrix_unit_product::shape() const {
    return {kernel_->name, micropanel_extent, static_cast<int>(kernel_->step_k()),
            kernel_->element_bytes};
}

std::size_t matrix_unit_product::thread_bytes() const {
    const std::int64_t rows = subrange(problem_.m, micropanel_extent, plan_.threads_m, 0).size;
    return static_cast<std::size_t>(
        matrix_unit_memory_for(plan_, *kernel_, rows, problem_.k).all());
}

std::size_t matrix_unit_product::workspace_bytes() const {
    return shared_bytes() + thread_bytes() * static_cast<std::size_t>(plan_.threads());
}

// Memory for the operands that all threads pack together: A, then B.
std::size_t matrix_unit_product::shared_bytes() const {
    const auto bytes = [&](bool shared, std::int64_t lines) {
        return shared ? packed_bytes(*kernel_, lines, problem_.k) : 0;
    };
    return static_cast<std::size_t>(bytes(plan_.shares_a, problem_.m) +
                                    bytes(plan_.shares_b, problem_.n));
}

core::plan_facts matrix_unit_product::facts() const {
    const plan::blocking& b = plan_.blocks;
    core::plan_facts facts{explain(), request_.m, request_.n, shape().extent,  shape().extent,
                           b.mc,      b.nc,       b.kc,       plan_.threads_m, plan_.threads_n};
    facts.keeps_c = true;
    return facts;
}

std::string matrix_unit_product::explain() const {
    return plan::explain(plan_, request_, shape(), this_machine());
}

// Pieces are micropanels of A or of B, for whoever is free, one block of depths after the other.
void matrix_unit_product::pack_together(matrix_unit_task& whole, std::byte* memory) const {
    const std::int64_t bytes = micropanel_bytes(*kernel_, whole.k);
    std::byte* const packed_b =
        memory + (plan_.shares_a ? packed_bytes(*kernel_, whole.m, whole.k) : 0);
    const auto pack = [&](const source& from, range lines, pack_panels_function with,
                          std::byte* out) {
        out += lines.first / micropanel_extent * bytes;
        for (std::int64_t p = 0; p < whole.k && lines.size > 0; p += plan_.blocks.kc)
            with(from.at(lines.first, p), from.outer_stride, from.k_stride, lines.size,
                 std::min(plan_.blocks.kc, whole.k - p),
                 out + p / kernel_->step_k() * micropanel_step_bytes, bytes);
    };
    const int each = 2 * plan_.threads();  // pieces of an operand
    const int of_a = plan_.shares_a ? each : 0;
    core::for_each_piece(of_a + (plan_.shares_b ? each : 0), plan_.threads(), [&](int piece, int) {
        if (piece < of_a)
            pack(whole.a, subrange(whole.m, micropanel_extent, each, piece), kernel_->pack_a,
                 memory);
        else
            pack(whole.b, subrange(whole.n, micropanel_extent, each, piece - of_a), kernel_->pack_b,
                 packed_b);
    });
    const auto packed = [&](std::byte* out) {
        return source{out, 1, bytes / micropanel_extent, micropanel_step_bytes / kernel_->step_k()};
    };
    if (plan_.shares_a) whole.a = packed(memory);
    if (plan_.shares_b) whole.b = packed(packed_b);
    whole.a_packed |= plan_.shares_a;
    whole.b_packed |= plan_.shares_b;
}

void matrix_unit_product::run(const core::operands& data, std::byte* memory,
                              const epilogue_call<float>* epilogue) const noexcept {
    const core::problem& p = problem_;
    const void* const a = swapped_ ? data.b : data.a;
    const void* const b = swapped_ ? data.a : data.b;
    matrix_unit_task whole = {
        .with = kernel_,
        .store = set_->store[p.c_type],
        .m = p.m,
        .n = p.n,
        .k = p.k,
        .a = operand(a, p.a_type, p.a_layout.row_stride, p.a_layout.col_stride),
        .b = operand(b, p.b_type, p.b_layout.col_stride, p.b_layout.row_stride),
        .c = static_cast<std::byte*>(data.c),
        .c_bytes = static_cast<std::int64_t>(size_bytes(p.c_type)),
        .c_row_stride = p.c_layout.row_stride,
        .c_col_stride = p.c_layout.col_stride,
        .alpha = epilogue == nullptr ? p.alpha : 1,
        .beta = epilogue == nullptr ? p.beta : 0,
        .epilogue = epilogue,
        .plain = epilogue == nullptr && p.c_type == core::accumulator_of(p.a_type) &&
                 p.c_layout.col_stride == 1 && p.alpha == 1 && p.beta == 0};
    whole.turns_by_rows = turns_by_rows_;
    if (ready_ != nullptr) {
        const bool left = ready_->place == side::left;
        (left ? whole.a : whole.b) = ready_->lines;
        (left ? whole.a_packed : whole.b_packed) = true;
    }
    if (plan_.shares_a || plan_.shares_b) pack_together(whole, memory);
    memory += shared_bytes();
    whole.streams = whole.plain && plan_.streams_c && starts_on_lines(whole);
    const std::size_t share = thread_bytes();
    const auto work = [&](int thread, range rows, range cols) {
        matrix_unit_task part = whole;
        part.m = rows.size;
        part.n = cols.size;
        part.first_row = rows.first;
        part.first_col = cols.first;
        part.a = whole.a.from_outer(rows.first);
        part.b = whole.b.from_outer(cols.first);
        part.c = whole.c_at(rows.first, cols.first);
        tile_state before;
        set_->acquire(before);
        multiply_on_matrix_unit(part, plan_, memory + static_cast<std::size_t>(thread) * share);
        set_->give_back(before);
    };
    for_each_rectangle({p.m, p.n, micropanel_extent, micropanel_extent, plan_.threads_m,
                        plan_.threads_n, plan_.pieces, plan_.pieces_along_n},
                       work);
}

}  // namespace carat::cpu_engine
