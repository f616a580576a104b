// Operands whose product is known exactly without multiplying: each element and each entry of C is
// a short formula of its place and a seed, the same on the host and on a GPU. Why no error of a
// kernel hides in them is argued in docs/adr/0115-exact-passes.md.
//
// A line is a row of A or a column of B; every line has K elements. Two kinds:
//
//   sums          whole numbers, dense. Lines take after one of 64 base lines and differ from it in
//                 one element, so that C(i,j) = T(base i, base j) + corrections, with T = 64 x 64
//                 sums over K. Three of four base lines hold numbers 1 to `most` everywhere; the
//                 fourth holds odd numbers of `wide_digits` bits at some k of its parity.
//   significands  A holds odd numbers of all `digits` bits at the k of one parity, and B there a
//                 signed selection: one +-1 (or `picks` of them) in each column, each k at least
//                 once. At the other parity they exchange their parts. Lines are scaled by powers
//                 of two. C(i,j) is the sum of one (or `picks`) elements of A and of B.
#pragma once

#include <cmath>
#include <cstdint>

#include "lab/statistics/split_mix.hpp"

namespace carat::verify {

inline constexpr int base_lines = 64;
inline constexpr int wide_bases = base_lines / 4;

// The rows of A or the columns of B.
struct line_rules {
    std::uint64_t seed = 0;
    std::int64_t lines = 0;
    std::int64_t depth = 0;  // K
    int parity = 0;          // of the k at which wide numbers and full significands stand
    bool has_signs = true;   // false: the type has no negative numbers
    // Sums.
    std::int64_t most = 1;         // small numbers are 1 to `most`, or their negatives
    bool random_signs = false;     // of each element; otherwise one for each base line
    std::int64_t stride = 1;       // small numbers stand at every so-manyth k
    int wide_digits = 0;           // 0: no base line is wide
    std::int64_t wide_stride = 1;  // of the k of its parity
    // Significands.
    int digits = 1;
    int exponents = 0;        // lines are scaled by 2^-exponents to 2^exponents
    int shift = 0;            // and all by 2^-shift
    std::int64_t picks = 1;   // of each line, at the other parity
    std::int64_t period = 1;  // picks repeat among so many k of that parity or lines
    std::int64_t step = 1;    // from a line's pick to its neighbour's, coprime with the period
};

struct element_change {
    std::int64_t k = -1;
    std::int64_t added = 0;
};

CARAT_HOST_DEVICE inline std::uint64_t mixed(std::uint64_t x) {
    return statistics::mix(x + statistics::split_mix_step);
}

enum class stream : std::uint8_t { base, sign, change, line, depth, offset, pick, scale, element };

CARAT_HOST_DEVICE inline std::uint64_t word(const line_rules& r, stream s, std::int64_t index) {
    return mixed(mixed(r.seed + static_cast<std::uint64_t>(s)) ^ static_cast<std::uint64_t>(index));
}

// How many of the k have this parity.
CARAT_HOST_DEVICE inline std::int64_t count_of_parity(std::int64_t depth, int parity) {
    return (depth + 1 - parity) / 2;
}

// An odd number of exactly so many bits.
CARAT_HOST_DEVICE inline std::int64_t odd_number(int digits, std::uint64_t random) {
    const std::uint64_t top = std::uint64_t{1} << (digits - 1);
    return static_cast<std::int64_t>(top | (random & (top - 1)) | 1);
}

// ---- What C holds before a product that reads it, and what becomes of A B

struct factors {
    double alpha = 1;
    double beta = 0;
    // C's elements are odd numbers of so many bits, or their negatives, times `multiple`.
    std::uint64_t seed = 0;
    int digits = 1;
    double multiple = 1;
    // The epilogue, whose bias has such numbers, too: 0 none, 1 max(x, 0), else x / (1 + e^-(linear
    // x + cubic x^3)).
    bool has_bias = false;
    std::uint64_t bias_seed = 0;
    int bias_digits = 1;
    int activation = 0;
    double linear = 0;
    double cubic = 0;
    double slack = 0;     // of an activation that is no sum, relative to x
    double rounding = 0;  // of C's type

    CARAT_HOST_DEVICE double number(int bits, std::uint64_t row, std::int64_t j) const {
        const std::uint64_t random = mixed(row ^ static_cast<std::uint64_t>(j));
        const double magnitude = multiple * static_cast<double>(odd_number(bits, random >> 8));
        return random >> 63 != 0 ? -magnitude : magnitude;
    }
    CARAT_HOST_DEVICE double initial(std::int64_t i, std::int64_t j) const {
        return number(digits, mixed(seed + static_cast<std::uint64_t>(i)), j);
    }
    CARAT_HOST_DEVICE double bias(std::int64_t j) const {
        return number(bias_digits, mixed(bias_seed), j);
    }

    CARAT_HOST_DEVICE double argument(double product, std::int64_t j) const {
        return alpha * product + (has_bias ? bias(j) : 0);
    }
    CARAT_HOST_DEVICE double activated(double x) const {
        if (activation == 0) return x;
        if (activation == 1) return x < 0 ? 0 : x;
        return x / (1 + exp(-x * (linear + cubic * x * x)));
    }

    // What beta C is added to, from (i,j) of A B.
    CARAT_HOST_DEVICE double before_c(double product, std::int64_t j) const {
        return activated(argument(product, j));
    }
    CARAT_HOST_DEVICE double with_c(double value, std::int64_t i, std::int64_t j) const {
        return beta == 0 ? value : value + beta * initial(i, j);
    }
    // C(i,j), from that of A B.
    CARAT_HOST_DEVICE double of(double product, std::int64_t i, std::int64_t j) const {
        return with_c(before_c(product, j), i, j);
    }

    // How far C(i,j) may be from `right`, which of() returns: an activation is computed with its
    // own roundings and then rounded once. Far from 0 it is x or 0.
    CARAT_HOST_DEVICE double tolerance(double product, double right, std::int64_t j) const {
        constexpr double far = 48;
        if (activation < 2) return 0;
        const double x = argument(product, j);
        const double size = x < 0 ? -x : x;
        if (x >= far) return 0;
        const double off = size >= far ? 1e-12 : slack * size;
        return off + 2 * rounding * ((right < 0 ? -right : right) + off);
    }
};

// ---- Sums

// 64 neighbours that begin at a multiple of 64 take after 64 different base lines.
CARAT_HOST_DEVICE inline int base_of(const line_rules& r, std::int64_t line) {
    const std::uint64_t w = word(r, stream::base, line / base_lines);
    const std::uint64_t place = static_cast<std::uint64_t>(line % base_lines) * (w >> 8 | 1) + w;
    return static_cast<int>(place % base_lines);
}

CARAT_HOST_DEVICE inline bool is_wide(const line_rules& r, int base) {
    return r.wide_digits > 0 && base % 4 == 3;
}

// The first of the k of its parity that a wide base line uses; all wide ones together use all.
CARAT_HOST_DEVICE inline std::int64_t wide_offset(const line_rules& r, int base) {
    const int index = base / 4;
    return r.wide_stride <= wide_bases ? index % r.wide_stride : index * r.wide_stride / wide_bases;
}

CARAT_HOST_DEVICE inline std::int64_t signed_number(const line_rules& r, int base,
                                                    std::int64_t magnitude, std::uint64_t random) {
    if (!r.has_signs) return magnitude;
    const std::uint64_t bit = r.random_signs ? random >> 63 : word(r, stream::sign, base) >> 63;
    return bit != 0 ? -magnitude : magnitude;
}

CARAT_HOST_DEVICE inline std::int64_t base_value(const line_rules& r, int base, std::int64_t k) {
    const std::uint64_t random = word(r, stream::element, k * base_lines + base);
    if (is_wide(r, base)) {
        if (k % 2 != r.parity || k / 2 % r.wide_stride != wide_offset(r, base)) return 0;
        return signed_number(r, base, odd_number(r.wide_digits, random), random);
    }
    if ((k + base) % r.stride != 0) return 0;
    const auto choices = static_cast<std::uint64_t>(r.most);
    const auto magnitude = 1 + static_cast<std::int64_t>((random >> 8) % choices);
    return signed_number(r, base, magnitude, random);
}

// How a line differs from its base line: in one element, which stays within the line's range.
CARAT_HOST_DEVICE inline element_change change_of(const line_rules& r, std::int64_t line) {
    const int base = base_of(r, line);
    const std::uint64_t random = word(r, stream::change, line) >> 1;
    element_change made;
    if (is_wide(r, base)) {
        const std::int64_t first = wide_offset(r, base);
        const std::int64_t all = count_of_parity(r.depth, r.parity);
        if (first >= all) return made;
        const std::int64_t places = (all - first + r.wide_stride - 1) / r.wide_stride;
        const auto place = static_cast<std::int64_t>(random % static_cast<std::uint64_t>(places));
        made.k = 2 * (first + place * r.wide_stride) + r.parity;
        const std::int64_t old = base_value(r, base, made.k);
        const std::int64_t magnitude = old < 0 ? -old : old;
        made.added = ((magnitude ^ 2) - magnitude) * (old < 0 ? -1 : 1);
        return made;
    }
    made.k = static_cast<std::int64_t>(random % static_cast<std::uint64_t>(r.depth));
    const std::int64_t old = base_value(r, base, made.k);
    const std::int64_t magnitude = old < 0 ? -old : old;
    if (old == 0)
        made.added = 1;
    else if (r.most == 1)
        made.added = -2 * old;
    else
        made.added = (magnitude % r.most + 1 - magnitude) * (old < 0 ? -1 : 1);
    return made;
}

// ---- Significands

// An element of full significand, before the line's scale; the words are those of the streams line
// and depth.
CARAT_HOST_DEVICE inline std::int64_t significand(const line_rules& r, std::uint64_t line_word,
                                                  std::uint64_t depth_word) {
    const std::uint64_t random = (line_word ^ depth_word) * 0xd1342543de82ef95u;
    const std::int64_t magnitude = odd_number(r.digits, random >> 11);
    return r.has_signs && random >> 63 != 0 ? -magnitude : magnitude;
}

// The k of a line's pick, or -1 where its last is beyond K.
CARAT_HOST_DEVICE inline std::int64_t pick_of(const line_rules& r, std::int64_t line,
                                              std::int64_t pick) {
    const std::int64_t all = count_of_parity(r.depth, 1 - r.parity);
    if (all == 0) return -1;
    const auto offset = static_cast<std::int64_t>((word(r, stream::offset, pick) >> 1) %
                                                  static_cast<std::uint64_t>(r.period));
    const std::int64_t place = pick * r.period + (line % r.period * r.step + offset) % r.period;
    return place < all ? 2 * place + 1 - r.parity : -1;
}

CARAT_HOST_DEVICE inline std::int64_t pick_sign(const line_rules& r, std::int64_t line,
                                                std::int64_t pick) {
    return r.has_signs && word(r, stream::pick, line * r.picks + pick) >> 63 != 0 ? -1 : 1;
}

CARAT_HOST_DEVICE inline double scale_of(const line_rules& r, std::int64_t line) {
    double scale = 1;
    for (int e = 0; e < r.shift; ++e) scale *= 0.5;
    if (r.exponents == 0) return scale;
    const auto choices = static_cast<std::uint64_t>(2 * r.exponents + 1);
    const auto chosen = static_cast<int>((word(r, stream::scale, line) >> 8) % choices);
    for (int e = chosen; e < r.exponents; ++e) scale *= 0.5;
    for (int e = r.exponents; e < chosen; ++e) scale *= 2;
    return scale;
}

}  // namespace carat::verify
