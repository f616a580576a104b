// C overlapping A, B, E or itself: refused if one byte is shared, else right.
#include <algorithm>

#include "calls.hpp"
#include "oracle.hpp"
#include "trials.hpp"

namespace carat::fuzz {

namespace {

// The bytes of all elements from the lowest address on, and whether two elements share one.
std::vector<const std::byte*> bytes_of(const operand& o, bool& shares) {
    std::vector<const std::byte*> all;
    for (const matrix_place& m : o.all)
        for (std::size_t i = 0; i < m.rows; ++i)
            for (std::size_t j = 0; j < m.cols; ++j)
                for (std::size_t b = 0; b < size_bytes(o.type); ++b)
                    all.push_back(o.element(m, i, j) + b);
    std::ranges::sort(all);
    shares = std::ranges::adjacent_find(all) != all.end();
    return all;
}

bool meet(const operand& x, const operand& y) {
    bool shares = false;
    const auto of_x = bytes_of(x, shares);
    const auto of_y = bytes_of(y, shares);
    std::vector<const std::byte*> both;
    std::ranges::set_intersection(of_x, of_y, std::back_inserter(both));
    return !both.empty();
}

bool same_elements(const operand& x, const operand& y) {
    const matrix_place& a = x.all[0];
    const matrix_place& b = y.all[0];
    return x.element(a, 0, 0) == y.element(b, 0, 0) &&
           (a.rows < 2 || a.row_stride == b.row_stride) &&
           (a.cols < 2 || a.col_stride == b.col_stride);
}

// Places C in the victim's memory; E and C may be the same matrix.
void put_c_into(const running& r, operand& victim) {
    operand& c = r.on.c;
    const auto bytes = static_cast<std::ptrdiff_t>(size_bytes(c.type));
    const matrix_place& places = victim.all[0];
    const bool repeats = places.row_stride == 0 || places.col_stride == 0;
    if (&victim == &r.on.e && !repeats && r.random.chance(2)) c.all = victim.all;
    c.measure();
    c.place(r.random);  // whose canaries nobody will look at
    victim.place(r.random, (c.span_bytes() + 64 + 7) / 8 * 8);  // its elements stay aligned
    victim.write_values();
    const auto reach =
        static_cast<std::int64_t>((c.span_bytes() + victim.span_bytes()) / size_bytes(c.type));
    std::byte* const least =
        victim.element(0) + victim.low_bytes() - static_cast<std::ptrdiff_t>(c.span_bytes());
    const std::ptrdiff_t offset = r.random.chance(4) ? static_cast<std::ptrdiff_t>(c.span_bytes())
                                                     : bytes * r.random.between(0, reach);
    // Elements of either type stay aligned.
    std::byte* at = least + offset;
    at -= reinterpret_cast<std::uintptr_t>(at) % size_bytes(c.type);
    c.place_at(at - c.low_bytes());
}

std::string try_on_itself(const running& r) {
    matrix_place& m = r.on.c.all[0];
    m.row_stride = r.random.between(-6, 6);
    m.col_stride = r.random.between(-6, 6);
    r.on.c.measure();
    place_all(r);
    bool shares = false;
    bytes_of(r.on.c, shares);
    const outcome o = call(r, nullptr);
    if (!shares) {
        // Refused for another reason, or right: then checked like any other case.
        return o.returned || o.code == error_code::overflow ? std::string() : "refused: " + o.what;
    }
    if (o.returned) return "a C that shares its elements was not refused";
    ++r.count.refused;
    return unchanged_after_refusal(r);
}

std::string check_apart(const running& r, operand& victim, const outcome& o) {
    if (!o.returned) {
        if (!victim.changed().empty()) return "refused, but " + victim.changed();
        if (o.code == error_code::overflow) return {};
        if (o.code != error_code::aliasing) return "refused: " + o.what;
        ++r.count.refused_apart;
        return {};
    }
    const oracle judge(r.of, r.on, 0, r.in.flushes);
    std::size_t excused = 0;
    const std::string wrong = judge.check(r.on.c.read(r.on.c.all[0]), excused);
    r.count.entries += r.of.sizes[0].m * r.of.sizes[0].n;
    return wrong;
}

}  // namespace

std::string try_aliased(const running& r) {
    const product_case& c = r.of;
    const product_size& s = c.sizes[0];
    if (s.m * s.n * s.k == 0 || s.m * s.n + s.m * s.k + s.k * s.n > 4000) return try_ordinary(r);
    if (c.f16_sums) return try_ordinary(r);
    if (c.e != addend::c && r.random.chance(4)) return try_on_itself(r);
    place_all(r);
    const bool reads = c.alpha() != 0;
    const bool e_is_own = c.e == addend::own && c.reads_e();
    operand* const victims[] = {&r.on.a, &r.on.b, &r.on.e};
    operand& victim = *victims[r.random.below(e_is_own ? 3 : 2)];
    if (c.e == addend::c || !reads) return {};
    put_c_into(r, victim);
    const bool same = &victim == &r.on.e && same_elements(victim, r.on.c);
    const bool overlap = !same && meet(victim, r.on.c);
    const outcome o = call(r, nullptr);
    if (!overlap) return check_apart(r, victim, o);
    if (o.returned) return "C overlaps an operand and was not refused";
    if (o.code != error_code::aliasing) return "C overlaps an operand, but: " + o.what;
    ++r.count.refused;
    const std::string changed = victim.changed();
    return changed.empty() ? changed : "refused, but " + changed;
}

}  // namespace carat::fuzz
