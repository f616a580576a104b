// Calls that must be refused with a certain code and leave C untouched.
#include "bad_arguments.hpp"

#include <algorithm>
#include <limits>

#include "calls.hpp"

namespace carat::fuzz {

namespace {

// Spoils a valid case; returns nothing if this fault does not apply.
using spoiler = bool (*)(const running& r, fault& f);

bool one_more_row_of_b(const running& r, fault& f) {
    f = {error_code::size_mismatch, "B with a row too many"};
    if (r.of.ready == prepared::right) return false;
    ++r.on.b.all.back().rows;
    return r.of.group != grouping::strided && r.of.group != grouping::pointers && !r.of.b_strided;
}
bool one_more_row_of_c(const running& r, fault& f) {
    f = {error_code::size_mismatch, "C with a row too many"};
    ++r.on.c.all.back().rows;
    return r.of.group != grouping::strided && r.of.group != grouping::pointers;
}
bool one_more_column_of_e(const running& r, fault& f) {
    f = {error_code::size_mismatch, "E with a column too many"};
    ++r.on.e.all.back().cols;
    return r.of.e == addend::own && (r.of.group == grouping::one || r.of.group == grouping::listed);
}
bool a_is_null(const running& r, fault& f) {
    f = {error_code::invalid_argument, "A without data"};
    for (matrix_place& m : r.on.a.all) m.first = 0;
    r.on.a.told_at(nullptr);
    return r.of.ready != prepared::left;
}
bool c_is_null(const running& r, fault& f) {
    f = {error_code::invalid_argument, "C without data"};
    for (matrix_place& m : r.on.c.all) m.first = 0;
    r.on.c.told_at(nullptr);
    return r.of.e != addend::c;
}
bool negative_threads(const running& r, fault& f) {
    f = {error_code::invalid_argument, "a negative number of threads"};
    r.of.threads = -1 - static_cast<int>(r.random.below(5));
    return !r.of.on_gpu;
}
bool fraction_of_integers(const running& r, fault& f) {
    f = {error_code::invalid_argument, "a fraction of integers"};
    r.of.a_factor = 0.5;
    r.of.b_factor = 1;
    return r.of.c_type == dtype::i32;
}
bool strides_beyond_64_bits(const running& r, fault& f) {
    f = {error_code::overflow, "strides beyond 64 bits"};
    matrix_place& m = r.on.a.all[0];
    m.row_stride = std::numeric_limits<std::ptrdiff_t>::max() / 2;
    return m.rows > 3 && r.of.ready != prepared::left &&
           (r.of.group == grouping::one || r.of.a_for_all);
}
bool one_matrix_too_many(const running& r, fault& f) {
    f = {error_code::size_mismatch, "A of a batch with a matrix too many"};
    r.on.a.all.push_back(r.on.a.all.back());
    return r.of.group != grouping::one && !r.of.a_for_all;
}
bool one_value_too_few(const running& r, fault& f) {
    f = {error_code::size_mismatch, "a bias or scale with a value too few"};
    for (std::size_t i = 0; i < r.of.steps.size(); ++i) {
        const detail::step_kind kind = r.of.steps[i].kind;
        if (kind != detail::step_kind::bias && kind != detail::step_kind::scale) continue;
        --r.on.values[i].all[0].cols;
        return true;
    }
    return false;
}
bool functor_on_a_gpu(const running& r, fault& f) {
    f = {error_code::unsupported, "a functor on a GPU"};
    if (!r.of.on_gpu || r.of.is_gated()) return false;
    for (drawn_step& step : r.of.steps) {
        if (step.kind == detail::step_kind::amax) continue;
        step.kind = detail::step_kind::each;
        return true;
    }
    return false;
}
bool two_results_in_one_place(const running& r, fault& f) {
    f = {error_code::aliasing, "two C of a batch in one place"};
    if (r.of.group == grouping::one || r.of.sizes.size() < 2 || r.of.e == addend::c) return false;
    r.on.c.stride = 0;
    r.on.c.all[1].first = r.on.c.all[0].first;
    return true;
}
bool prepared_for_the_other_side(const running& r, fault& f) {
    f = {error_code::invalid_argument, "an operand prepared for the other side"};
    // Square, so that only the side is wrong.
    const product_size& s = r.of.sizes[0];
    const bool square = s.m == s.k && s.k == s.n && r.of.group == grouping::one;
    if (r.of.ready == prepared::none || !square) return false;
    r.of.ready = r.of.ready == prepared::left ? prepared::right : prepared::left;
    return true;
}

constexpr spoiler spoilers[] = {one_more_row_of_b,
                                one_more_row_of_c,
                                one_more_column_of_e,
                                a_is_null,
                                c_is_null,
                                negative_threads,
                                fraction_of_integers,
                                functor_on_a_gpu,
                                strides_beyond_64_bits,
                                one_matrix_too_many,
                                one_value_too_few,
                                prepared_for_the_other_side,
                                two_results_in_one_place};

// Whether the case is not empty, reads everything and is not refused for another reason.
bool is_told_by_one(const product_case& c) {
    const auto has_all = [](const product_size& s) { return s.m * s.n * s.k != 0; };
    return std::ranges::all_of(c.sizes, has_all) && !c.f16_sums && c.alpha() != 0;
}

}  // namespace

std::optional<fault> spoil_argument(const running& r) {
    if (!is_told_by_one(r.of)) return {};
    fault expected{};
    const spoiler spoil = r.random.pick(spoilers);
    return spoil(r, expected) ? std::optional(expected) : std::nullopt;
}

std::string not_refused(const outcome& o, const fault& expected) {
    const auto told = [&](const std::string& what) {
        return std::string(expected.what) + ": " + what;
    };
    if (o.returned) return told("was not refused");
    if (o.foreign) return told("threw what is no carat::error: " + o.what);
    return o.code == expected.code ? "" : told("another code than expected: " + o.what);
}

std::string try_bad_argument(const running& r) {
    if (!is_told_by_one(r.of)) return {};
    place_all(r);
    prepared_matrix packed;
    const bool ready = r.of.ready != prepared::none;
    if (ready) packed = prepare_operand(r.of, r.on);
    const std::optional<fault> expected = spoil_argument(r);
    if (!expected) return {};
    const outcome o = call(r, ready ? &packed : nullptr);
    if (std::string wrong = not_refused(o, *expected); !wrong.empty()) return wrong;
    ++r.count.refused;
    return unchanged_after_refusal(r);
}

}  // namespace carat::fuzz
