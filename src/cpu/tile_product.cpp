#include "cpu/tile_product.hpp"

#include <cstdlib>
#include <utility>

#include "core/turn.hpp"
#include "cpu/driver/tiles.hpp"
#include "cpu/machine.hpp"
#include "cpu/rectangles.hpp"

namespace carat::cpu_engine {

namespace {

constexpr std::int64_t thin = 2 * strip_lines;

// Sums lie by rows, so rows of C should be contiguous. But a large operand beside a thin one should
// take the role of A where its depths lie side by side: then nothing of it need be packed.
bool should_swap_for_tiles(const core::problem& p) {
    if (p.n <= thin && p.m > p.n && p.a_layout.col_stride == 1) return false;
    if (p.m <= thin && p.n > p.m && p.b_layout.row_stride == 1) return true;
    if (p.c_layout.col_stride == 1) return false;
    return std::abs(p.c_layout.row_stride) < std::abs(p.c_layout.col_stride);
}

// A's lines can be loaded where they lie if their depths are side by side. That pays where a strip
// of A meets one or two strips of B only, and where lines are close to each other; strides of whole
// KiB put the lines of a strip into a few sets of the caches.
bool should_read_a(const core::problem& p) {
    const std::int64_t stride_bytes =
        p.a_layout.row_stride * static_cast<std::int64_t>(size_bytes(p.a_type));
    if (p.a_layout.col_stride != 1) return false;
    return p.n <= thin || (stride_bytes <= 2048 && stride_bytes % 1024 != 0);
}

source operand(const void* data, dtype type, std::int64_t across, std::int64_t along) {
    return {static_cast<const std::byte*>(data), static_cast<std::int64_t>(size_bytes(type)),
            across, along};
}

plan::request request_for(const core::problem& p, int threads, const plan::blocking& wanted) {
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .direct_a = should_read_a(p),
            .columns_of_a = p.a_layout.row_stride == 1,
            .most_threads = threads,
            .wanted = wanted};
}

// Of a problem that has been turned.
const tile_kernel& kernel_for(const core::problem& p, const tile_set& from) {
    if (p.a_type == dtype::bf16) return from.bf16;
    if (p.a_type == dtype::f16) return from.f16;
    if (p.a_type == dtype::i8) return p.b_type == dtype::i8 ? from.i8 : from.i8_u8;
    return p.b_type == dtype::i8 ? from.u8_i8 : from.u8;
}

store_tile_function store_for(dtype c, const tile_stores& from) {
    switch (c) {
        case dtype::f16:
            return from.f16;
        case dtype::bf16:
            return from.bf16;
        case dtype::i32:
            return from.i32;
        case dtype::i8:
            return from.i8;
        case dtype::u8:
            return from.u8;
        default:
            return from.f32;
    }
}

bool starts_on_lines(const tile_task& t) {
    constexpr std::int64_t line_bytes = 64;
    return reinterpret_cast<std::uintptr_t>(t.c) % line_bytes == 0 &&
           t.c_row_stride * t.c_bytes % line_bytes == 0;
}

}  // namespace

bool takes_tiles(const core::problem& p, const kernel_set& with, bool prepared) {
    if (with.tiles == nullptr || (!prepared && p.k < with.tiles->least_depth)) return false;
    if (is_byte_integer(p.a_type)) return is_byte_integer(p.b_type);
    if (p.a_type == dtype::f16) return with.tiles->f16.multiply != nullptr;
    return p.a_type == dtype::bf16 && p.b_type == dtype::bf16 && has_bf16_tiles(with);
}

tile_product::tile_product(const core::problem& p, int threads, const tile_set& with,
                           const plan::blocking& wanted, const prepared_operand* ready)
    : ready_(ready),
      turns_by_rows_(ready != nullptr && should_swap_for_tiles(p)),
      swapped_(ready == nullptr && should_swap_for_tiles(p)),
      problem_(swapped_ ? core::swapped(p) : p),
      set_(&with),
      kernel_(&kernel_for(problem_, with)) {
    request_ = request_for(problem_, threads, wanted);
    if (ready != nullptr) {
        // K is cut where it would be without: sums are the same to the bit.
        const core::problem usual = turns_by_rows_ ? core::swapped(p) : p;
        request_.wanted.kc =
            plan::make_tile_plan(request_for(usual, threads, wanted), shape(), this_machine())
                .blocks.kc;
    }
    plan_ = plan::make_tile_plan(request_, shape(), this_machine());
}

plan::tile_shape tile_product::shape() const {
    return {kernel_->name, strip_lines, static_cast<int>(kernel_->step_depth()),
            kernel_->element_bytes};
}

std::size_t tile_product::thread_bytes() const {
    const std::int64_t rows = part_of(problem_.m, strip_lines, plan_.threads_m, 0).size;
    return static_cast<std::size_t>(tile_memory_for(plan_, *kernel_, rows, problem_.k).all());
}

std::size_t tile_product::workspace_bytes() const {
    return thread_bytes() * static_cast<std::size_t>(plan_.threads());
}

core::plan_facts tile_product::facts() const {
    const plan::blocking& b = plan_.blocks;
    core::plan_facts facts{explain(), request_.m, request_.n, shape().lines,   shape().lines,
                           b.mc,      b.nc,       b.kc,       plan_.threads_m, plan_.threads_n};
    facts.keeps_c = true;
    return facts;
}

std::string tile_product::explain() const {
    return plan::explain(plan_, request_, shape(), this_machine());
}

void tile_product::run(const core::operands& data, std::byte* memory,
                       const finish_call<float>* finish) const noexcept {
    const core::problem& p = problem_;
    const void* const a = swapped_ ? data.b : data.a;
    const void* const b = swapped_ ? data.a : data.b;
    tile_task whole = {.with = kernel_,
                       .store = store_for(p.c_type, set_->stores),
                       .m = p.m,
                       .n = p.n,
                       .k = p.k,
                       .a = operand(a, p.a_type, p.a_layout.row_stride, p.a_layout.col_stride),
                       .b = operand(b, p.b_type, p.b_layout.col_stride, p.b_layout.row_stride),
                       .c = static_cast<std::byte*>(data.c),
                       .c_bytes = static_cast<std::int64_t>(size_bytes(p.c_type)),
                       .c_row_stride = p.c_layout.row_stride,
                       .c_col_stride = p.c_layout.col_stride,
                       .alpha = finish == nullptr ? p.alpha : 1,
                       .beta = finish == nullptr ? p.beta : 0,
                       .finish = finish,
                       .plain = finish == nullptr && size_bytes(p.c_type) == 4 &&
                                p.c_layout.col_stride == 1 && p.alpha == 1 && p.beta == 0};
    whole.turns_by_rows = turns_by_rows_;
    if (ready_ != nullptr) {
        const bool left = ready_->place == side::left;
        (left ? whole.a : whole.b) = ready_->lines;
        (left ? whole.a_packed : whole.b_packed) = true;
    }
    whole.streams = whole.plain && plan_.streams_c && starts_on_lines(whole);
    const std::size_t share = thread_bytes();
    const auto work = [&](int thread, stretch rows, stretch cols) {
        tile_task part = whole;
        part.m = rows.size;
        part.n = cols.size;
        part.first_row = rows.first;
        part.first_col = cols.first;
        part.a = whole.a.from_line(rows.first);
        part.b = whole.b.from_line(cols.first);
        part.c = whole.c_at(rows.first, cols.first);
        tile_state before;
        set_->acquire(before);
        multiply_tiles(part, plan_, memory + static_cast<std::size_t>(thread) * share);
        set_->give_back(before);
    };
    for_each_rectangle({p.m, p.n, strip_lines, strip_lines, plan_.threads_m, plan_.threads_n},
                       work);
}

}  // namespace carat::cpu_engine
