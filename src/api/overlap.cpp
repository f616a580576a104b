#include "api/overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

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
std::int64_t remainder(std::int64_t value, std::int64_t modulus) {
    const std::int64_t r = value % modulus;
    return r < 0 ? r + modulus : r;
}

// Modulo `period`, x takes up [0, x_size) and y [from_x, from_x + y_size): are these apart?
bool apart_on_circle(std::int64_t from_x, std::int64_t x_size, std::int64_t y_size,
                     std::int64_t period) {
    const std::int64_t start = remainder(from_x, period);
    return start >= x_size && start + y_size <= period;
}

// The bytes a view takes up along one axis, and how far its first one lies below its data.
struct band {
    std::int64_t below;
    std::int64_t size;
};

band band_of(const axis& a, std::int64_t element_bytes) {
    const std::int64_t reach = a.bytes * a.count;
    return {std::max<std::int64_t>(0, -reach), std::abs(reach) + element_bytes};
}

// Both views repeat with one period along one axis, and within it keep to bands that are apart.
bool apart_in_bands(const erased_matrix& x, const erased_matrix& y, std::int64_t distance) {
    for (const bool x_down : {true, false}) {
        for (const bool y_down : {true, false}) {
            const axis repeat_x = x_down ? down(x) : across(x);
            const axis repeat_y = y_down ? down(y) : across(y);
            // An axis of one element repeats with any period.
            const std::int64_t period =
                std::abs(repeat_x.count != 0 ? repeat_x.bytes : repeat_y.bytes);
            if (period == 0 || (repeat_y.count != 0 && std::abs(repeat_y.bytes) != period))
                continue;
            const band in_x = band_of(x_down ? across(x) : down(x), bytes_of(x));
            const band in_y = band_of(y_down ? across(y) : down(y), bytes_of(y));
            const std::int64_t from_x = distance - in_y.below + in_x.below;
            if (apart_on_circle(from_x, in_x.size, in_y.size, period)) return true;
        }
    }
    return false;
}

// All elements of both lie at multiples of one stride from their first, and these differ.
bool apart_on_lattice(const erased_matrix& x, const erased_matrix& y, std::int64_t distance) {
    std::int64_t period = 0;
    for (const axis& a : {down(x), across(x), down(y), across(y)})
        if (a.count != 0) period = std::gcd(period, a.bytes);
    return period != 0 && apart_on_circle(distance, bytes_of(x), bytes_of(y), period);
}

// Lines of `count` elements `near` apart end before the next line begins, `far` further on.
bool lines_apart(std::uint64_t near, std::uint64_t count, std::uint64_t far) {
    std::uint64_t line = 0;
    return near != 0 && !__builtin_mul_overflow(near, count, &line) && line <= far;
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
    // Rows or columns one after the other, as nearly always: spares small products the divisions.
    if (lines_apart(col_step, m.cols, row_step) || lines_apart(row_step, m.rows, col_step))
        return false;
    // The shortest way back to the same element: col_step / g rows and row_step / g columns.
    const std::uint64_t g = std::gcd(row_step, col_step);
    return g == 0 || (col_step / g < m.rows && row_step / g < m.cols);
}

bool may_overlap(const erased_matrix& x, const erased_matrix& y) {
    if (empty(x) || empty(y)) return false;
    const byte_span in_x = span_of(x, "a matrix");
    const byte_span in_y = span_of(y, "a matrix");
    if (apart(x, in_x, y, in_y)) return false;
    const std::int64_t distance =
        reinterpret_cast<std::intptr_t>(y.data) - reinterpret_cast<std::intptr_t>(x.data);
    return !apart_in_bands(x, y, distance) && !apart_on_lattice(x, y, distance);
}

}  // namespace carat::api
