// Errors planted in a right result. Each must be found, or the oracle is worthless.
#include <cmath>
#include <cstring>

#include "numbers.hpp"
#include "oracle.hpp"
#include "trials.hpp"

namespace carat::fuzz {

namespace {

struct place_in_c {
    std::size_t product;
    std::size_t i;
    std::size_t j;
};

bool is_found(const running& r, std::size_t product, bool flushes) {
    std::size_t excused = 0;
    return !oracle(r.of, r.on, product, flushes)
                .check(r.on.c.read(r.on.c.of(product)), excused)
                .empty();
}

// A value far from every right one.
double far_from(double value, dtype type) {
    const format& f = format_of(type);
    if (f.whole) {
        const double step = std::min(f.largest / 2, 1e6);
        return value > (f.largest + f.lowest) / 2 ? value - step : value + step;
    }
    if (!std::isfinite(value)) return 1;
    return value > 0 ? -f.largest / 4 : f.largest / 4;
}

// The sum without its largest product, if that is visible.
bool without_one_k(const running& r, const oracle& judge, const place_in_c& at, double& value) {
    if (r.of.has_epilogue || r.of.f16_sums || judge.size().k == 0 || r.of.alpha() == 0)
        return false;
    if (!std::isfinite(value)) return false;
    double largest = 0;
    for (std::size_t p = 0; p < judge.size().k; ++p) {
        const double product = judge.a(at.i, p) * judge.b(p, at.j) * r.of.alpha();
        if (std::abs(product) > std::abs(largest)) largest = product;
    }
    const expectation e = judge.at(at.i, at.j);
    const double all =
        std::abs(r.of.alpha()) * judge.sums().magnitude[at.i * judge.sums().n + at.j] +
        std::abs(static_cast<double>(e.value));
    const format& f = format_of(r.of.c_type);
    const double rounding = std::abs(value) * std::ldexp(1, 2 - f.digits);
    const double hidden = 4 * static_cast<double>(e.error) + 0.02 * all + rounding;
    const bool seen = f.whole ? std::abs(largest) >= 1
                              : std::abs(largest) > hidden &&
                                    std::abs(largest) > std::ldexp(1.0, f.least_exponent / 2);
    if (!seen || judge.size().k > 3000) return false;
    value -= largest;
    return value >= f.lowest && value <= f.largest;
}

// The sum with one block scale multiplied by 1.5, if that is visible.
bool another_scale(const running& r, const oracle& judge, const place_in_c& at, double& value) {
    if (!r.of.by_blocks || r.of.has_epilogue || judge.size().k == 0 || !std::isfinite(value))
        return false;
    const std::size_t first = r.random.below(judge.size().k) / 128 * 128;
    double sum = 0;
    for (std::size_t p = first; p < std::min(first + 128, judge.size().k); ++p)
        sum += judge.a(at.i, p) * judge.b(p, at.j);
    const double change = sum * r.of.alpha() / 2;
    const expectation e = judge.at(at.i, at.j);
    const format& f = format_of(r.of.c_type);
    const double rounding = std::abs(value) * std::ldexp(1, 2 - f.digits);
    const double least = std::ldexp(1.0, f.least_exponent);
    if (!(std::abs(change) > 4 * static_cast<double>(e.error) + rounding + least)) return false;
    value += change;
    return value >= f.lowest && value <= f.largest;
}

// Whether the last bit of an entry decides, because its exact value is known.
bool last_bit(const running& r, const expectation& e, std::byte* at) {
    if (e.error != 0 || !std::isfinite(static_cast<double>(rounded(r.of.c_type, e.value))))
        return false;
    *at ^= std::byte{1};  // the lowest byte comes first
    return true;
}

std::string plant_in_entry(const running& r, error_kind kind) {
    const std::size_t product = r.random.below(r.of.sizes.size());
    const product_size& size = r.of.sizes[product];
    if (size.m == 0 || size.n == 0) return {};
    const oracle judge(r.of, r.on, product, r.in.flushes);
    const place_in_c at = {product, r.random.below(size.m), r.random.below(size.n)};
    const expectation e = judge.at(at.i, at.j);
    if (e.excused) return {};
    // If large numbers cancel, the bound can span all of a narrower C.
    const format& f = format_of(r.of.c_type);
    if (kind == error_kind::entry && !f.whole && e.error > f.largest / 16) return {};
    std::byte* const memory = r.on.c.element(r.on.c.of(product), at.i, at.j);
    double value = widen(r.of.c_type, memory);
    std::byte kept[8];
    std::memcpy(kept, memory, size_bytes(r.of.c_type));
    bool done = true;
    if (kind == error_kind::bit) {
        done = last_bit(r, e, memory);
    } else {
        if (kind == error_kind::one_k) done = without_one_k(r, judge, at, value);
        if (kind == error_kind::scale) done = another_scale(r, judge, at, value);
        if (kind == error_kind::entry) value = far_from(value, r.of.c_type);
        if (done) store(r.of.c_type, value, memory);
    }
    if (!done) return {};
    const auto n = static_cast<std::size_t>(kind);
    ++r.count.planted[n];
    const bool found = is_found(r, product, r.in.flushes);
    std::memcpy(memory, kept, size_bytes(r.of.c_type));
    if (!found)
        return std::string("a planted error was not found: ") + error_kind_names[n] + " at (" +
               std::to_string(at.i) + ", " + std::to_string(at.j) + ")";
    ++r.count.caught[n];
    return {};
}

// A byte that no call may write; comparing all memory finds it.
std::string plant_in_memory(const running& r, error_kind kind) {
    operand& in = kind == error_kind::pad ? r.on.c : r.random.chance(2) ? r.on.a : r.on.b;
    std::byte* at = nullptr;
    if (kind == error_kind::pad)
        at = in.some_pad(r.random);
    else if (!in.values.empty() && (r.of.alpha() != 0 || r.of.ready != prepared::none))
        at = in.element(in.all[0].first);  // on the host: a GPU's memory is elsewhere
    if (at == nullptr || in.all[0].size() == 0) return {};
    const auto n = static_cast<std::size_t>(kind);
    ++r.count.planted[n];
    *at ^= std::byte{0x10};
    if (kind == error_kind::pad) r.on.c.restore_elements();
    const bool found = !in.changed().empty();
    *at ^= std::byte{0x10};
    if (!found) return std::string("a planted error was not found: ") + error_kind_names[n];
    ++r.count.caught[n];
    return {};
}

std::string plant_in_repeat(const running& r) {
    std::vector<std::byte> bits = r.on.c.bits();
    if (bits.empty()) return {};
    const std::size_t at = r.random.below(bits.size()), bytes = size_bytes(r.of.c_type);
    // A NaN equals any other NaN.
    if (std::isnan(widen(r.of.c_type, bits.data() + at / bytes * bytes))) return {};
    const auto n = static_cast<std::size_t>(error_kind::repeat);
    ++r.count.planted[n];
    bits[at] ^= std::byte{1};
    if (check_repeats(r, bits).empty())
        return std::string("a planted error was not found: ") + error_kind_names[n];
    ++r.count.caught[n];
    return {};
}

}  // namespace

std::string check_plants(const running& r) {
    const auto kind = static_cast<error_kind>(r.random.below(error_kinds_on_cpus));
    return kind == error_kind::repeat ? plant_in_repeat(r) : check_planted_error(r, kind);
}

std::string check_planted_error(const running& r, error_kind kind) {
    if (kind == error_kind::pad || kind == error_kind::input) return plant_in_memory(r, kind);
    return plant_in_entry(r, kind);
}

}  // namespace carat::fuzz
