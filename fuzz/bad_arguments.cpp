// Calls that must be refused with a certain code, and C untouched.
#include <limits>

#include "calls.hpp"
#include "trials.hpp"

namespace carat::fuzz {

namespace {

struct fault {
    error_code code;
    const char* what;
};

// Spoils a case that was right; none where this fault does not apply.
using spoiler = bool (*)(const running& r, fault& f);

bool one_more_row_of_b(const running& r, fault& f) {
    f = {error_code::size_mismatch, "B with a row too many"};
    if (r.of.ready == prepared::right) return false;
    ++r.on.b.all.back().rows;
    return r.of.group != grouping::strided && r.of.group != grouping::pointers;
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
    r.on.a.place_at(nullptr);
    for (matrix_place& m : r.on.a.all) m.first = 0;
    return r.of.ready != prepared::left;
}
bool c_is_null(const running& r, fault& f) {
    f = {error_code::invalid_argument, "C without data"};
    r.on.c.place_at(nullptr);
    for (matrix_place& m : r.on.c.all) m.first = 0;
    return r.of.e != addend::c;
}
bool negative_threads(const running& r, fault& f) {
    f = {error_code::invalid_argument, "a negative number of threads"};
    r.of.threads = -1 - static_cast<int>(r.random.below(5));
    return true;
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
bool prepared_for_the_other_side(const running& r, fault& f) {
    f = {error_code::invalid_argument, "an operand prepared for the other side"};
    // Square, so that nothing but the side is wrong.
    return r.of.ready != prepared::none;
}

constexpr spoiler spoilers[] = {
    one_more_row_of_b,   one_more_row_of_c, one_more_column_of_e,       a_is_null,
    c_is_null,           negative_threads,  fraction_of_integers,       strides_beyond_64_bits,
    one_matrix_too_many, one_value_too_few, prepared_for_the_other_side};

}  // namespace

std::string try_bad_argument(const running& r) {
    for (const product_size& s : r.of.sizes)
        if (s.m * s.n * s.k == 0) return {};
    if (r.of.f16_sums || r.of.alpha() == 0) return {};
    place_all(r);
    prepared_matrix packed;
    const bool ready = r.of.ready != prepared::none;
    if (ready) packed = prepare_operand(r.of, r.on);
    const spoiler spoil = r.random.pick(spoilers);
    fault expected{};
    const bool spoiled = spoil(r, expected);
    if (!spoiled) return {};
    if (spoil == prepared_for_the_other_side) {
        if (r.of.sizes[0].m != r.of.sizes[0].k || r.of.sizes[0].k != r.of.sizes[0].n) return {};
        r.of.ready = r.of.ready == prepared::left ? prepared::right : prepared::left;
        if (r.of.group != grouping::one) return {};
    }
    const outcome o = call(r, ready ? &packed : nullptr);
    const auto told = [&](const std::string& what) {
        return std::string(expected.what) + ": " + what;
    };
    if (o.returned) return told("was not refused");
    if (o.foreign) return told("threw what is no carat::error: " + o.what);
    if (o.code != expected.code) return told("another code than expected: " + o.what);
    ++r.count.refused;
    if (spoil == c_is_null) return changed_inputs(r);
    return unchanged_after_refusal(r);
}

}  // namespace carat::fuzz
