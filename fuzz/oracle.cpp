#include "oracle.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace carat::fuzz {

namespace {

// The values of one product's operand.
std::span<const double> values_of(const operand& o, std::size_t product) {
    const matrix_place& m = o.of(product);
    return std::span(o.values).subspan(m.start, m.size());
}

// An upper bound of (1 + u)^n - 1.
long double growth(long double roundings, long double u) {
    const long double x = roundings * u;
    return x < 0.5L ? x * (1 + x) : std::expm1(x);
}

// Tensor cores truncate sums where others round, so their roundoff is twice that of f32.
arithmetic arithmetic_on_gpu(const product_case& c) {
    constexpr long double least = 0x1p-125L;
    constexpr long double cut = 0x1p-23L;
    const format& f32 = format_of(dtype::f32);
    arithmetic in = {cut, least, f32.largest, 23, 0, false, true};
    if (is_fp8(c.a_type)) {
        in.digits = 13;
        in.is_fp8 = true;
    } else if (c.a_type == dtype::f32) {
        if (c.f32 == f32_as::tf32) in.product = 2 * 0x1p-10L;
        if (c.f32 == f32_as::three_tf32) in.product = 2 * 0x1p-21L;
    }
    return in;
}

arithmetic arithmetic_of(const product_case& c, bool flushes) {
    const bool tensor_cores = c.a_type != dtype::f64 && c.a_type != dtype::i8 &&
                              (c.a_type != dtype::f32 || c.f32 != f32_as::f32);
    if (c.on_gpu && tensor_cores) return arithmetic_on_gpu(c);
    const format& f = format_of(c.sums());
    const bool lossy = flushes && c.a_type == dtype::bf16;
    return {std::ldexp(1.0L, -f.digits),
            lossy ? 0x1p-125L : static_cast<long double>(least_subnormal(c.sums())),
            f.largest,
            f.digits,
            0,
            false,
            lossy};
}

// Each value times its block's scale: 4 bits by 24, which double holds exactly.
std::vector<double> in_blocks(const product_case& c, const operand& o, const operand& scales,
                              std::size_t rows_of_block) {
    if (!c.by_blocks) return {};
    const matrix_place& m = o.all[0];
    const std::size_t across = scales.all[0].cols;
    std::vector<double> all(m.size());
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t j = 0; j < m.cols; ++j)
            all[i * m.cols + j] =
                o.values[i * m.cols + j] * scales.values[i / rows_of_block * across + j / 128];
    return all;
}

double largest_scale(const product_case& c, const operand& scales) {
    if (!c.by_blocks) return 1;
    double largest = 0;
    for (const double x : scales.values) largest = std::max(largest, std::abs(x));
    return largest;
}

product_sums sums_for(const product_case& c, const workbench& on, std::size_t product,
                      std::span<const double> a, std::span<const double> b) {
    product_size size = c.sizes[product];
    size.n = c.columns_of_b(product);
    if (c.alpha() == 0 || size.k == 0) {
        size.k = 0;
        return sums_of(size, dtype::f32, {}, {}, {});
    }
    // A subnormal number is truncated at the position of the least normal one.
    const auto least = [&](dtype type) {
        return is_fp8(type) || (c.on_gpu && type == dtype::f16)
                   ? std::ldexp(1.0, format_of(type).least_exponent)
                   : 0;
    };
    return sums_of(size, is_byte_integer(c.a_type) ? dtype::f32 : c.sums(), a, b,
                   {least(c.a_type) * largest_scale(c, on.scales[0]),
                    least(c.b_type) * largest_scale(c, on.scales[1])});
}

// Integer sums on a GPU are modulo 2^32.
expectation wrapped(expectation x) {
    x.value -= 0x1p32L * std::floor((x.value + 0x1p31L) / 0x1p32L);
    x.error = 0;
    return x;
}

// The error of x / (1 + e^-y). The rounding of the exponential's argument counts as much as the
// exponential does in the sum; and 1 + e^-y overflows long before the quotient is 0.
long double activation_error(const arithmetic& in, long double y, long double result) {
    const long double lost = in.largest > 0x1p200L ? 0x1p-1000L : 0x1p-115L;
    if (result == 0) return lost;
    const long double share = 1 / (1 + std::exp(y));
    return (16 + 8 * std::abs(y) * share) * in.roundoff * std::abs(result) + lost;
}

}  // namespace

oracle::oracle(const product_case& c, const workbench& on, std::size_t product, bool flushes)
    : c_(c),
      on_(on),
      product_(product),
      size_(c.sizes[product]),
      in_(arithmetic_of(c, flushes)),
      scaled_a_(in_blocks(c, on.a, on.scales[0], 1)),
      scaled_b_(in_blocks(c, on.b, on.scales[1], 128)),
      a_(c.by_blocks ? std::span<const double>(scaled_a_) : values_of(on.a, product)),
      b_(c.by_blocks ? std::span<const double>(scaled_b_) : values_of(on.b, product)),
      sums_(sums_for(c, on, product, a_, b_)),
      relative_(relative_error()),
      // Sums have k roundings, in 11 (f64) or 29 bits more.
      own_relative_(growth(static_cast<long double>(size_.k) + 2,
                           c.sums() == dtype::f64 ? 0x1p-63L : 0x1p-53L)),
      is_plain_(!c.has_epilogue && !c.f16_sums && !is_integer(c.a_type) && reads_operands()) {}

// Bounds a sum of K products, alpha and E, in any order. Sums of 128 fp8 products end there and are
// added up in f32.
long double oracle::relative_error() const {
    const auto k = static_cast<long double>(size_.k);
    if (!in_.is_fp8) return growth(k + 5, in_.roundoff) + in_.product;
    // Each product except the largest is truncated, and so are the sum of each 32 and, from the
    // second 32 on, the sum before (ADR 0068).
    const long double truncated = std::min(k, 128.0L) + std::min(std::ceil(k / 32), 4.0L);
    return growth(1, truncated * 0x1p-13L + (k / 128 + 8) * 0x1p-24L);
}

// The second parts of 3xTF32 have any sign and may be 0; anything below tf32's least number, or
// flushed, is 0.
bool oracle::may_lose_infinity(std::size_t i, std::size_t j) const {
    const bool in_parts = c_.on_gpu && c_.a_type == dtype::f32 && c_.f32 != f32_as::f32;
    const bool flushed = in_.flushes && c_.a_type == dtype::bf16;
    if (!in_parts && !flushed) return false;
    const double least = flushed ? 0x1p-126 : 0x1p-136;
    const auto loses = [&](double x, double y) {
        return std::isinf(x) && ((in_parts && c_.f32 == f32_as::three_tf32) || std::abs(y) < least);
    };
    for (std::size_t p = 0; p < size_.k; ++p)
        if (loses(a(i, p), b(p, j)) || loses(b(p, j), a(i, p))) return true;
    return false;
}

long double oracle::e_at(std::size_t i, std::size_t j) const {
    if (!c_.reads_e()) return 0;
    const operand& from = c_.e == addend::c ? on_.c : on_.e;
    const matrix_place& m = from.of(product_);
    return c_.beta * static_cast<long double>(from.values[m.start + i * m.cols + j]);
}

// Rounding to tf32 makes the largest numbers infinite, whatever alpha is.
long double oracle::largest_as_read() const {
    const bool rounds = c_.on_gpu && c_.a_type == dtype::f32 && c_.f32 == f32_as::tf32;
    return rounds ? std::max(sums_.largest_of_a, sums_.largest_of_b) : 0;
}

// alpha A B + e, with e as part of the sum.
expectation oracle::plain_sum(std::size_t i, std::size_t j, long double e) const {
    const std::size_t at = i * sums_.n + j;
    const long double alpha = reads_operands() ? c_.alpha() : 0;
    const long double magnitude = sums_.magnitude[at];
    expectation x;
    x.value = (alpha == 0 ? 0 : alpha * sums_.sum[at]) + e;
    x.may_be_nan = alpha != 0 && !std::isfinite(x.value) && may_lose_infinity(i, j);
    const long double size_of_e = std::isfinite(e) ? std::abs(e) : 0;
    const long double total = std::abs(alpha) * magnitude + size_of_e;
    const long double most =
        std::max({total, magnitude, std::abs(alpha) * sums_.largest_of_a,
                  std::abs(alpha) * sums_.largest_of_b, static_cast<long double>(std::abs(c_.beta)),
                  largest_as_read()});
    const auto k = static_cast<long double>(size_.k);
    if (c_.f16_sums) {
        // 32 products at a time in f16.
        const long double f16 = growth(35, 0x1p-11L);
        x.error = f16 * total;
        x.excused = magnitude * (1 + f16) >= 65504 || most >= 65504;
    }
    x.excused = x.excused || most * (1 + relative_) >= in_.largest;
    const bool exact =
        (c_.whole || c_.sums() == dtype::i32) &&
        std::max(magnitude + size_of_e, total) <= std::ldexp(1.0L, c_.f16_sums ? 11 : in_.digits);
    if (exact) {
        x.error = 0;
        return x;
    }
    const long double neighbours = sums_.rows_of_a[i] + sums_.cols_of_b[j];
    const long double scale = std::max(1.0L, std::abs(alpha));
    const long double of_operands = std::abs(alpha) == 1 && !in_.flushes ? 0 : neighbours;
    x.error += (relative_ + own_relative_) * total +
               in_.underflow * ((k + 3) * scale + of_operands * (in_.flushes ? scale : 1));
    if (c_.f16_sums) x.error += 0x1p-24L * (k + 3) * scale;
    return x;
}

// Sums of bytes are exact integers, rounded to f32 and only then scaled.
expectation oracle::byte_sum(std::size_t i, std::size_t j) const {
    expectation x;
    if (!reads_operands()) return x;
    const long double alpha = c_.alpha();
    x.value = sums_.sum[i * sums_.n + j];
    round(x);
    x.value *= alpha;
    x.error *= std::abs(alpha);
    if (alpha != rounded(dtype::f32, alpha)) x.error += in_.roundoff * std::abs(x.value);
    round(x);
    return x;
}

void oracle::round(expectation& x) const {
    if (!std::isfinite(x.value)) return;
    if (x.error == 0 && rounded(c_.sums(), x.value) == x.value) return;
    x.error += in_.roundoff * (std::abs(x.value) + x.error) + in_.underflow;
    if ((std::abs(x.value) + x.error) >= in_.largest) x.excused = true;
}

void oracle::activate(detail::step_kind kind, expectation& x) const {
    using enum detail::step_kind;
    if (kind == relu || kind == reglu) {
        if (x.value >= 0 || std::isnan(x.value)) return;
        if (std::isinf(x.value)) x.error = 0;  // of infinity it says nothing
        x.value = 0;
        return;
    }
    const long double v = x.value;
    if (v < 0 && std::isinf(v)) x.excused = true;  // infinity times 0
    if (!std::isfinite(v)) return;
    const bool tanh = kind == gelu || kind == geglu;
    const long double y = tanh ? 1.5957691216057308L * (v + 0.044715L * v * v * v) : v;
    x.value = v / (1 + std::exp(-y));
    x.error = 1.13L * x.error + activation_error(in_, y, x.value);
}

void oracle::take_step(std::size_t step, std::size_t i, std::size_t j, expectation& x) const {
    const drawn_step& s = c_.steps[step];
    const auto value = [&] {
        return static_cast<long double>(on_.values[step].values[s.of == by::row ? i : j]);
    };
    const auto multiply = [&](long double factor) {
        // Infinity times a number that may have been 0 or of the other sign.
        x.excused = x.excused || (std::isinf(factor) && std::abs(x.value) <= x.error);
        x.value *= factor;
        x.error *= std::abs(factor);
        round(x);
    };
    switch (s.kind) {
        case detail::step_kind::bias:
            x.value += value();
            return round(x);
        case detail::step_kind::scale:
            return multiply(value());
        case detail::step_kind::scale_all:
            if (s.number != rounded(c_.sums(), s.number))
                x.error += in_.roundoff * std::abs(x.value);
            return multiply(s.number);
        case detail::step_kind::relu:
        case detail::step_kind::silu:
        case detail::step_kind::gelu:
            return activate(s.kind, x);
        case detail::step_kind::amax:
            return;
        default: {
            x.value /= 2;
            x.error /= 2;
            round(x);
            x.value += static_cast<long double>(i) - static_cast<long double>(j);
            round(x);
        }
    }
}

void oracle::add_e(expectation& x, long double e) const {
    if (!c_.reads_e()) return;
    const bool rounds = c_.beta != rounded(c_.sums(), c_.beta) || rounded(c_.sums(), e) != e;
    x.value += e;
    if (std::isfinite(e) && std::abs(e) >= in_.largest) x.excused = true;
    if (rounds && std::isfinite(e)) x.error += 2 * in_.roundoff * std::abs(e) + in_.underflow;
    round(x);
}

expectation oracle::before_gate(std::size_t i, std::size_t j, std::size_t steps) const {
    const bool bytes = is_byte_integer(c_.a_type);
    expectation x = bytes ? byte_sum(i, j) : plain_sum(i, j, 0);
    if (!bytes) round(x);
    for (std::size_t step = 0; step < steps; ++step) take_step(step, i, j, x);
    return x;
}

// f(x) y for two columns of A B.
expectation oracle::gated(std::size_t i, std::size_t j, std::size_t gate) const {
    expectation x = before_gate(i, j, gate);
    const expectation y = before_gate(i, j + size_.n, gate);
    activate(c_.steps[gate].kind, x);
    // Infinity times a number that may have been 0 or of the other sign.
    x.excused = x.excused || y.excused || (std::isinf(y.value) && std::abs(x.value) <= x.error) ||
                (std::isinf(x.value) && std::abs(y.value) <= y.error);
    x.may_be_nan = x.may_be_nan || y.may_be_nan;
    if (std::isfinite(x.value) && std::isfinite(y.value))
        x.error = std::abs(x.value) * y.error + std::abs(y.value) * x.error + x.error * y.error;
    x.value *= y.value;
    round(x);
    return x;
}

expectation oracle::after(std::size_t i, std::size_t j, std::size_t steps) const {
    std::size_t gate = 0;
    while (gate < steps && !detail::is_gate(c_.steps[gate].kind)) ++gate;
    expectation x = gate < steps ? gated(i, j, gate) : before_gate(i, j, gate);
    for (std::size_t step = gate + 1; step < steps; ++step) take_step(step, i, j, x);
    return x;
}

expectation oracle::at(std::size_t i, std::size_t j) const {
    const long double e = e_at(i, j);
    const bool bytes = is_byte_integer(c_.a_type) && c_.c_type != dtype::i32;
    if (c_.on_gpu && c_.c_type == dtype::i32) return wrapped(plain_sum(i, j, e));
    if (!bytes && !c_.has_epilogue) return plain_sum(i, j, e);
    expectation x = after(i, j, c_.steps.size());
    add_e(x, e);
    return x;
}

void oracle::note_largest(std::size_t step, range& all) const {
    for (std::size_t i = 0; i < size_.m; ++i)
        for (std::size_t j = 0; j < size_.n; ++j) {
            const expectation x = after(i, j, step);
            all.excused = all.excused || x.excused || x.may_be_nan;
            all.is_nan = all.is_nan || std::isnan(x.value);
            const long double size = std::abs(x.value);
            all.low = std::max(all.low, size - x.error);
            all.high = std::max(all.high, size + x.error);
        }
}

}  // namespace carat::fuzz
