#include "api/ragged.hpp"

#include <limits>
#include <string>
#include <utility>

#include "api/batch_checks.hpp"
#include "api/checks.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;

[[noreturn]] void refuse(error_code code, const std::string& what) {
    throw error(code, "matrix_products: " + what);
}

std::int64_t lines_of(const erased_batch& b) {
    return static_cast<std::int64_t>(b.by_columns ? b.first.cols : b.first.rows);
}

void check_same_array(const erased_batch& x, const erased_batch& y, const char* names) {
    if (x.count != y.count)
        refuse(error_code::size_mismatch,
               std::string(names) + " are divided by " + std::to_string(x.count) + " and by " +
                   std::to_string(y.count) + " products: give carat::ragged as many ends of both");
    check_number(x.count);
    if (x.ends != y.ends)
        refuse(error_code::invalid_argument,
               std::string(names) +
                   " are divided by two arrays of ends: pass carat::ragged one for both");
    if (x.count > 0 && x.ends == nullptr)
        refuse(error_code::invalid_argument, std::string(names) + " are divided among " +
                                                 std::to_string(x.count) +
                                                 " products by ends that are null");
    const auto lines = [](const erased_batch& b) {
        return std::to_string(static_cast<std::size_t>(lines_of(b)));
    };
    if (lines_of(x) != lines_of(y))
        refuse(error_code::size_mismatch, std::string(names) + " are divided, but these are " +
                                              lines(x) + " and " + lines(y) +
                                              ": give carat::ragged as many of both");
}

// The part of `count` lines from line `first` on.
erased_matrix part_of(const erased_batch& b, std::int64_t first, std::int64_t count) {
    erased_matrix m = b.first;
    const std::int64_t step = b.by_columns ? m.col_stride : m.row_stride;
    const auto bytes = static_cast<std::int64_t>(size_bytes(m.type));
    if (count > 0) m.data = static_cast<std::byte*>(m.data) + first * step * bytes;
    (b.by_columns ? m.cols : m.rows) = static_cast<std::size_t>(count);
    return m;
}

erased_batch alone(const erased_batch& b) {
    erased_batch one = {b.first, 0, 0, nullptr};
    one.for_all = true;
    return one;
}

// An operand that is not divided: a matrix for each product, or one for all.
void check_others(const erased_batch& x, std::size_t count, const std::string& name) {
    if (x.pointers != nullptr || x.at != nullptr)
        refuse(
            error_code::unsupported,
            "on a GPU, beside matrices that are divided by ends in its memory, " + name +
                " can't be at pointers or in a list: give carat::strided, or one matrix for all");
    if (!x.for_all && x.count != count)
        refuse(error_code::size_mismatch, name + " has " + std::to_string(x.count) +
                                              " matrices and " + std::to_string(count) +
                                              " products divide the others; pass one for each");
    check_stride(x, name);
}

void check_count(std::int64_t lines, std::size_t count) {
    constexpr auto most = std::int64_t{std::numeric_limits<std::int32_t>::max()};
    if (lines > most)
        refuse(error_code::unsupported, std::to_string(lines) +
                                            " rows or columns are divided, and on a GPU ends of "
                                            "32 bits reach to 2^31 - 1");
    if (count > 65535)
        refuse(error_code::unsupported, std::to_string(count) +
                                            " products divide a matrix, and on a GPU 65535 can: "
                                            "make several calls");
}

void check_steps(const detail::epilogue_steps& steps, bool turned) {
    for (std::size_t i = 0; i < steps.count; ++i) {
        const detail::epilogue_step& s = steps.at[i];
        const bool has_values =
            s.kind == detail::step_kind::bias || s.kind == detail::step_kind::scale;
        if (has_values && s.of == by::row)
            refuse(error_code::invalid_argument,
                   std::string("an epilogue has a value for each of the ") +
                       (turned ? "columns" : "rows") + " that products divide: pass one for each " +
                       (turned ? "row" : "column"));
    }
}

}  // namespace

bool is_ragged(const erased_batch& a, const erased_batch& b, const erased_batch* e,
               const erased_batch& c) {
    return a.ragged || b.ragged || c.ragged || (e != nullptr && e->ragged);
}

shared_out checked_ragged(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                          const erased_batch& c) {
    const auto is = [](const erased_batch& x, bool by_columns) {
        return x.ragged && x.by_columns == by_columns;
    };
    const auto e_is = [&](bool by_columns) { return e == nullptr || is(*e, by_columns); };
    if (is(a, false) && !b.ragged && is(c, false) && e_is(false)) {
        check_same_array(a, c, "the rows of A and C");
        if (e != nullptr) check_same_array(*e, c, "the rows of E and C");
        return shared_out::rows;
    }
    if (!a.ragged && is(b, true) && is(c, true) && e_is(true)) {
        check_same_array(b, c, "the columns of B and C");
        if (e != nullptr) check_same_array(*e, c, "the columns of E and C");
        return shared_out::cols;
    }
    if (is(a, true) && is(b, false) && !c.ragged && (e == nullptr || !e->ragged)) {
        check_same_array(a, b, "the columns of A and the rows of B");
        return shared_out::depth;
    }
    refuse(error_code::invalid_argument,
           "products divide the rows of A and C (and E), the columns of B and C (and E), or A's "
           "columns and B's rows: give these as carat::ragged, transposed where they are columns, "
           "and no others");
}

ragged_list::ragged_list(const erased_batch& b, const char* name) : batch_(b) {
    if (!b.ragged) return;
    const std::int64_t lines = lines_of(b);
    parts_.reserve(b.count);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < b.count; ++i) {
        const std::int64_t end = b.ends[i];
        if (end < first || end > lines)
            refuse(error_code::invalid_argument,
                   "of what product " + std::to_string(i) + " gets of " + name + " the end is " +
                       std::to_string(end) + ": it must be from " + std::to_string(first) +
                       ", the end ahead of it, to " + std::to_string(lines));
        parts_.push_back(part_of(b, first, end - first));
        first = end;
    }
    batch_ = {b.first, b.count, 0, nullptr};
    batch_.at = [](const void* list, std::size_t i) {
        return static_cast<const erased_matrix*>(list)[i];
    };
    batch_.list = parts_.data();
}

erased_batch turned(erased_batch b) {
    std::swap(b.first.rows, b.first.cols);
    std::swap(b.first.row_stride, b.first.col_stride);
    b.turned = !b.turned;
    b.by_columns = !b.by_columns;
    return b;
}

core::problem checked_for_gpu(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                              const erased_batch& c, const detail::epilogue_steps* steps) {
    const bool along_k = b.ragged;
    const std::size_t count = a.count;
    check_count(lines_of(a), count);
    if (along_k) {
        check_others(c, count, "C");
        if (e != nullptr) check_others(*e, count, "E");
    } else {
        check_others(b, count, b.turned ? "A" : "B");  // turned() swaps them
        if (steps != nullptr) check_steps(*steps, b.turned);
    }
    const erased_matrix* const added = e == nullptr ? nullptr : &e->first;
    const core::problem p = checked_problem(a.first, b.first, added, c.first, steps);
    if (steps != nullptr) check_epilogue(*steps, a.first, b.first, added, c.first);
    if (p.m == 0 || p.n == 0 || count == 0) return p;
    if (along_k) {
        (void)check_places(alone(a), alone(b), e, c);
        return p;
    }
    erased_batch written = {c.first, 1, 0, nullptr};
    const erased_batch read = e == nullptr ? erased_batch{} : alone(*e);
    (void)check_places(alone(a), b, e == nullptr ? nullptr : &read, written);
    return p;
}

}  // namespace carat::api
