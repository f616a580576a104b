#include "calls.hpp"
#include "ragged_calls.hpp"

namespace carat::fuzz {

namespace {

template <class T>
void call(const shared_request& request) {
    const shared_call<cpu, T, T, T> it(request);
    it();
}

void dispatch(const shared_request& request) {
    switch (request.of.a_type) {
        case dtype::f64:
            return call<double>(request);
        case dtype::f32:
            return call<float>(request);
        case dtype::f16:
            return call<f16>(request);
        default:
            return call<bf16>(request);
    }
}

// Makes an end lie below the previous one or beyond the matrix.
void spoil_an_end(random_numbers& random, sharing& s) {
    std::int32_t& end = s.ends[random.below(s.products)];
    const auto beyond = static_cast<std::int32_t>(s.lines) + 1;
    end = random.chance(2) ? beyond : -1 - static_cast<std::int32_t>(random.below(9));
}

std::string try_odd_ends(const running& r, sharing& s) {
    const std::vector<std::int32_t> right = s.ends;
    spoil_an_end(r.random, s);
    const outcome o = guarded([&] { dispatch({r.of, r.on, s}); });
    s.ends = right;
    s.told = s.ends.data();
    if (o.returned) return "an end that can't be was not refused";
    if (o.foreign || o.code != error_code::invalid_argument)
        return "an end that can't be: another code than expected: " + o.what;
    ++r.count.refused;
    return unchanged_after_refusal(r);
}

std::string compare_with_singles(const running& r) {
    const std::vector<std::byte> bits = r.on.c.bits();
    r.on.c.restore();
    for (std::size_t p = 0; p < r.of.sizes.size(); ++p) {
        const outcome o = guarded([&] { make_single_call(r.of, r.on, p, nullptr); });
        if (!o.returned) return "product by product: refused: " + o.what;
    }
    return compare(r, bits, "product by product");
}

}  // namespace

std::string try_shared_out_on_cpu(const running& r) {
    sharing s = lay_out_shared(r);
    r.count.note(feature::shared_out);
    place_all(r);
    cut_by_ends(r, s);
    s.told = s.ends.data();
    if (r.random.chance(8))
        if (std::string wrong = try_odd_ends(r, s); !wrong.empty()) return wrong;
    const outcome o = guarded([&] { dispatch({r.of, r.on, s}); });
    if (std::string wrong = check_result(r, o, false); !wrong.empty()) return wrong;
    const std::string differs = r.random.chance(3) ? compare_with_singles(r) : std::string();
    if (!differs.empty()) return differs;
    r.on.c.restore_elements();
    if (std::string wrong = r.on.c.changed(); !wrong.empty()) return "around C: " + wrong;
    return changed_inputs(r);
}

}  // namespace carat::fuzz
