#include "api/checks.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "api/overlap.hpp"
#include "core/isa.hpp"
#include "cpu/prepared.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;

[[noreturn]] void fail(error_code code, const std::string& what) {
    throw error(code, "matrix_product: " + what);
}

std::string size(const erased_matrix& m) {
    return std::to_string(m.rows) + " x " + std::to_string(m.cols);
}

std::span<const detail::epilogue_step> in_order(const detail::epilogue_steps& steps) {
    return std::span(steps.at).first(steps.count);
}

// The number of columns of A B for one column of C.
std::size_t columns_for_one(const detail::epilogue_steps* steps) {
    if (steps == nullptr) return 1;
    const bool gated = std::ranges::any_of(
        in_order(*steps), [](const detail::epilogue_step& s) { return is_gate(s.kind); });
    return gated ? 2 : 1;
}

void check_sizes(const erased_matrix& a, const erased_matrix& b, const erased_matrix* e,
                 const erased_matrix& c, std::size_t columns) {
    if (a.cols != b.rows)
        fail(error_code::size_mismatch, "A is " + size(a) + " and B is " + size(b) +
                                            ": B must have as many rows as A has columns");
    const bool fits = columns == 1 ? c.cols == b.cols : b.cols % 2 == 0 && c.cols == b.cols / 2;
    if (c.rows != a.rows || !fits)
        fail(error_code::size_mismatch,
             "C is " + size(c) + " but A B is " + std::to_string(a.rows) + " x " +
                 std::to_string(b.cols) +
                 (columns == 1 ? "" : ": with a gate C has half the columns"));
    if (e != nullptr && (e->rows != c.rows || e->cols != c.cols))
        fail(error_code::size_mismatch,
             "E is " + size(*e) + " but C is " + size(c) + ": they must be of one size");
}

byte_span check_data(const erased_matrix& m, const char* name) {
    check_extents(m, name);
    // A prepared operand is in its own memory.
    if (m.rows == 0 || m.cols == 0 || m.prepared != nullptr) return {};
    if (m.data == nullptr)
        fail(error_code::invalid_argument,
             std::string(name) + " is " + size(m) + " but its data is null");
    return span_of(m, name);
}

void check_no_overlap(const erased_matrix& x, const byte_span& in_x, const erased_matrix& c,
                      const byte_span& in_c, const char* what) {
    if (!apart(x, in_x, c, in_c) && share_bytes(x, c))
        fail(error_code::aliasing, what + std::string("; write to a matrix of its own and copy"));
}

void check_places(const erased_matrix& a, const erased_matrix& b, const erased_matrix* e,
                  const erased_matrix& c) {
    const byte_span in_a = check_data(a, "A");
    const byte_span in_b = check_data(b, "B");
    const byte_span in_e = e != nullptr ? check_data(*e, "E") : byte_span{};
    const byte_span in_c = check_data(c, "C");
    if (overlaps_itself(c))
        fail(error_code::invalid_argument,
             "C is " + size(c) + " with strides " + std::to_string(c.row_stride) + " and " +
                 std::to_string(c.col_stride) + ": two of its elements are one place in memory");
    check_no_overlap(a, in_a, c, in_c, "C overlaps A");
    check_no_overlap(b, in_b, c, in_c, "C overlaps B");
    if (e != nullptr && !same_elements(*e, c))
        check_no_overlap(*e, in_e, c, in_c, "C overlaps E without being E");
}

// Checks a prepared operand against its position and the other operand.
void check_prepared(const erased_matrix& m, const char* name_of, side place,
                    const erased_matrix& other) {
    const std::string remedy =
        std::string("; prepare it with carat::side::") + (place == side::left ? "left" : "right");
    if (m.prepared->place != place)
        fail(error_code::invalid_argument,
             std::string(name_of) + " was prepared for the other side of a product" + remedy);
    if (m.type != other.type && !(is_byte_integer(m.type) && is_byte_integer(other.type)))
        fail(error_code::invalid_argument,
             std::string(name_of) + " was prepared as " + std::string(name(m.type)) +
                 " but is multiplied by " + std::string(name(other.type)) +
                 ": both must be of one type");
}

erased_matrix matrix_of(const detail::erased_scales& s) {
    return {const_cast<float*>(s.data), s.rows, s.cols, s.row_stride, s.col_stride, dtype::f32, 1};
}

// Checks scales of blocks of `row_block` rows and 128 columns.
void check_scales(const erased_matrix& of, std::size_t row_block, const char* name,
                  const erased_matrix& c) {
    if (!of.scales.given) return;
    constexpr std::size_t block = 128;
    const auto blocks = [](std::size_t extent, std::size_t each) {
        return extent / each + (extent % each == 0 ? 0 : 1);
    };
    const detail::erased_scales& s = of.scales;
    const std::size_t rows = blocks(of.rows, row_block);
    const std::size_t cols = blocks(of.cols, block);
    if (s.rows != rows || s.cols != cols)
        fail(error_code::size_mismatch,
             std::string("the scales of ") + name + " are " + std::to_string(s.rows) + " x " +
                 std::to_string(s.cols) + " but " + name + " is " + size(of) + ": they must be " +
                 std::to_string(rows) + " x " + std::to_string(cols));
    const std::string what = std::string("the scales of ") + name;
    const erased_matrix values = matrix_of(s);
    check_data(values, what.c_str());
    if (share_bytes(values, c))
        fail(error_code::aliasing, "C overlaps " + what + "; write to a matrix of its own");
}

// The name of the step's values, or null if it has none.
const char* name_of_values(detail::step_kind kind) {
    if (kind == detail::step_kind::bias) return "the bias";
    if (kind == detail::step_kind::scale) return "the scale";
    return kind == detail::step_kind::amax ? "the amax" : nullptr;
}

// Checks the values of an epilogue step.
erased_matrix matrix_of(const detail::epilogue_step& step, const erased_matrix& c) {
    const dtype type = core::epilogue_type_of(c.type);
    return {const_cast<void*>(step.values), 1, step.count, 0, 1, type, 1};
}

// What is read must not overlap the place where the largest magnitude is written.
void check_amax(const erased_matrix& amax, const detail::epilogue_steps& steps,
                const erased_matrix& a, const erased_matrix& b, const erased_matrix* e,
                const erased_matrix& c) {
    const auto check = [&](const erased_matrix& read, const std::string& what) {
        if (share_bytes(amax, read))
            fail(error_code::aliasing,
                 "the amax overlaps " + what + "; write to a place of its own");
    };
    if (a.prepared == nullptr) check(a, "A");
    if (b.prepared == nullptr) check(b, "B");
    if (e != nullptr) check(*e, "E");
    if (a.scales.given) check(matrix_of(a.scales), "the scales of A");
    if (b.scales.given) check(matrix_of(b.scales), "the scales of B");
    for (const detail::epilogue_step& step : in_order(steps))
        if (step.kind == detail::step_kind::bias || step.kind == detail::step_kind::scale)
            check(matrix_of(step, c), name_of_values(step.kind));
}

// The stride of an axis of one element means nothing and may be any number, so positions computed
// from it must not overflow.
std::int64_t stride_of(std::ptrdiff_t stride, std::size_t extent) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    return extent > 1 ? stride : std::clamp<std::int64_t>(stride, -most, most);
}

}  // namespace

core::layout layout_of(const erased_matrix& m) {
    return {stride_of(m.row_stride, m.cols == 0 ? 0 : m.rows),
            stride_of(m.col_stride, m.rows == 0 ? 0 : m.cols)};
}

const error no_memory(error_code::out_of_memory, "matrix_product: no memory; C is unchanged");
const error no_memory_for_products(error_code::out_of_memory,
                                   "matrix_products: no memory; C is unchanged");

bool same_elements(const erased_matrix& x, const erased_matrix& y) {
    return x.data == y.data && same_strides(x, y);
}

bool same_strides(const erased_matrix& x, const erased_matrix& y) {
    return x.type == y.type && x.rows == y.rows && x.cols == y.cols &&
           (x.rows <= 1 || x.row_stride == y.row_stride) &&
           (x.cols <= 1 || x.col_stride == y.col_stride);
}

void check_epilogue(const detail::epilogue_steps& steps, const erased_matrix& a,
                    const erased_matrix& b, const erased_matrix* e, const erased_matrix& c) {
    if (c.type == dtype::i32 && steps.count != 0)
        fail(error_code::invalid_argument,
             "C is i32, which has no epilogue: for bytes use a C of f32, f16 or bf16");
    std::size_t columns = columns_for_one(&steps);
    for (const detail::epilogue_step& step : in_order(steps)) {
        if (is_gate(step.kind)) columns = 1;
        const char* const name = name_of_values(step.kind);
        if (name == nullptr) continue;
        const bool rows = step.of == by::row;
        const std::size_t wanted = step.kind == detail::step_kind::amax ? 1
                                   : rows                               ? c.rows
                                                                        : c.cols * columns;
        if (step.count != wanted)
            fail(error_code::size_mismatch,
                 std::string(name) + " has " + std::to_string(step.count) + " values but C is " +
                     size(c) + ": it must have one for each " + (rows ? "row" : "column") +
                     (!rows && columns == 2 ? " of A B" : ""));
        const erased_matrix values = matrix_of(step, c);
        check_data(values, name);
        if (share_bytes(values, c))
            fail(error_code::aliasing,
                 std::string("C overlaps ") + name + "; write to a matrix of its own");
        if (step.kind == detail::step_kind::amax) check_amax(values, steps, a, b, e, c);
    }
}

void check_epilogue_on_cpu(const detail::epilogue_steps& steps, const std::string& call) {
    for (const detail::epilogue_step& step : in_order(steps))
        if (is_gate(step.kind) || step.kind == detail::step_kind::amax)
            throw error(error_code::unsupported,
                        call + (is_gate(step.kind) ? ": gates are" : ": amax is") +
                            " for carat::cuda: on a CPU write a loop after the product");
}

void check_threads(const cpu& where) {
    if (where.threads < 0)
        fail(error_code::invalid_argument,
             "cpu{" + std::to_string(where.threads) + "} threads; use 1 or more, or 0 for all");
}

const cpu_engine::kernel_set& kernels_for_call(const cpu& where, const core::problem& p,
                                               bool prepared, std::string_view call) {
    const core::isa level = core::isa_in_use();
    if (where.f16 == f16_as::f32_sums || p.a_type != dtype::f16)
        return cpu_engine::kernels_for(level);
    const std::string asked = std::string(call) + ": cpu{.f16 = f16_as::f16_sums}";
    if (const std::string why = cpu_engine::why_no_f16_sums(level); !why.empty())
        throw error(error_code::unsupported, asked + " but " + why + "; leave .f16 out");
    if (prepared)
        throw error(error_code::invalid_argument,
                    asked +
                        " but an operand was prepared, for sums in f32; multiply the matrix "
                        "itself, or leave .f16 out");
    return cpu_engine::kernels_with_f16_sums(level);
}

core::problem checked_problem(const erased_matrix& a, const erased_matrix& b,
                              const erased_matrix* e, const erased_matrix& c,
                              const detail::epilogue_steps* steps) {
    check_sizes(a, b, e, c, columns_for_one(steps));
    if (a.prepared != nullptr) check_prepared(a, "A", side::left, b);
    if (b.prepared != nullptr) check_prepared(b, "B", side::right, a);
    check_places(a, b, e, c);
    check_scales(a, 1, "A", c);
    check_scales(b, 128, "B", c);
    return {.a_type = a.type,
            .b_type = b.type,
            .c_type = c.type,
            .m = static_cast<std::int64_t>(c.rows),
            .n = static_cast<std::int64_t>(c.cols),
            .k = static_cast<std::int64_t>(a.cols),
            .a_layout = layout_of(a),
            .b_layout = layout_of(b),
            .c_layout = layout_of(c),
            .alpha = a.factor * b.factor,
            .beta = e == nullptr ? 0 : e->factor};
}

}  // namespace carat::api
