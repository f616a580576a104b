#include "api/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>

#include "api/bounded_sum.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;

bool empty(const erased_matrix& m) {
    return m.rows == 0 || m.cols == 0;
}

std::int64_t bytes_of(const erased_matrix& m) {
    return static_cast<std::int64_t>(size_bytes(m.type));
}

axis axis_of(std::size_t extent, std::int64_t stride, const erased_matrix& m) {
    return extent == 1 ? axis{0, 0}
                       : axis{stride * bytes_of(m), static_cast<std::int64_t>(extent) - 1};
}

// Whether lines of `count` elements, `near` apart, end before the next line begins, `far` further
// on.
bool lines_apart(std::uint64_t near, std::uint64_t count, std::uint64_t far) {
    std::uint64_t line = 0;
    return near != 0 && !__builtin_mul_overflow(near, count, &line) && line <= far;
}

// More than any address space has, so larger values need not be exact.
bool exceeds_memory(const byte_span& span) {
    return static_cast<std::uint64_t>(span.high) - static_cast<std::uint64_t>(span.low) >
           std::uint64_t{1} << 60;
}

[[noreturn]] void fail_to_span(const erased_matrix& m, const char* what) {
    throw error(error_code::overflow,
                std::string("matrix_product: ") + what + ", " + std::to_string(m.rows) + " x " +
                    std::to_string(m.cols) + " with strides " + std::to_string(m.row_stride) +
                    " and " + std::to_string(m.col_stride) + ", does not fit in 64-bit addresses");
}

}  // namespace

axis down(const erased_matrix& m) {
    return axis_of(m.rows, m.row_stride, m);
}
axis across(const erased_matrix& m) {
    return axis_of(m.cols, m.col_stride, m);
}

void check_extents(const erased_matrix& m, const char* what) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
    if (m.rows > most || m.cols > most)
        throw error(error_code::overflow,
                    std::string("matrix_product: ") + what + " is " + std::to_string(m.rows) +
                        " x " + std::to_string(m.cols) + ": extents must be below 2^63");
}

byte_span span_of(const erased_matrix& m, const char* what) {
    if (empty(m)) return {};
    const std::int64_t bytes = bytes_of(m);
    std::int64_t down = 0;
    std::int64_t across = 0;
    byte_span span;
    const bool fits = !__builtin_mul_overflow(m.rows - 1, m.row_stride, &down) &&
                      !__builtin_mul_overflow(m.cols - 1, m.col_stride, &across) &&
                      !__builtin_mul_overflow(down, bytes, &down) &&
                      !__builtin_mul_overflow(across, bytes, &across) &&
                      !__builtin_add_overflow(std::min<std::int64_t>(down, 0),
                                              std::min<std::int64_t>(across, 0), &span.low) &&
                      !__builtin_add_overflow(std::max<std::int64_t>(down, 0),
                                              std::max<std::int64_t>(across, 0), &span.high) &&
                      !__builtin_add_overflow(span.high, bytes, &span.high);
    if (!fits) fail_to_span(m, what);
    return span;
}

bool overlaps_itself(const erased_matrix& m) {
    if (empty(m)) return false;
    if (m.cols == 1) return m.rows > 1 && m.row_stride == 0;
    if (m.rows == 1) return m.col_stride == 0;
    const auto row_step = static_cast<std::uint64_t>(std::abs(m.row_stride));
    const auto col_step = static_cast<std::uint64_t>(std::abs(m.col_stride));
    // Almost always rows or columns follow each other; this spares small products the divisions.
    if (lines_apart(col_step, m.cols, row_step) || lines_apart(row_step, m.rows, col_step))
        return false;
    // The shortest way back to the same element is col_step / g rows and row_step / g columns.
    const std::uint64_t g = std::gcd(row_step, col_step);
    return g == 0 || (col_step / g < m.rows && row_step / g < m.cols);
}

bool share_bytes(const erased_matrix& x, const erased_matrix& y) {
    if (empty(x) || empty(y)) return false;
    const byte_span in_x = span_of(x, "a matrix");
    const byte_span in_y = span_of(y, "a matrix");
    if (apart(x, in_x, y, in_y)) return false;
    if (exceeds_memory(in_x) || exceeds_memory(in_y)) return true;
    // The difference from an element of x to one of y: between the first elements, forward along
    // y's axes and back along x's. An axis with a negative stride is counted from its other end.
    std::int64_t from_lowest =
        reinterpret_cast<std::intptr_t>(y.data) - reinterpret_cast<std::intptr_t>(x.data);
    std::array<repeated_step, 4> steps{};
    std::size_t count = 0;
    const auto add = [&](std::int64_t bytes, std::int64_t most) {
        from_lowest += std::min<std::int64_t>(bytes, 0) * most;
        steps[count++] = {std::abs(bytes), most};
    };
    for (const axis& along : {down(y), across(y)}) add(along.bytes, along.count);
    for (const axis& along : {down(x), across(x)}) add(-along.bytes, along.count);
    // Two elements share a byte if neither begins after the other's end.
    return can_reach(steps, {1 - bytes_of(y) - from_lowest, bytes_of(x) - 1 - from_lowest});
}

}  // namespace carat::api
