// The values of elements: small whole numbers, whose products are exact, and everything that
// floating point has.
#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "product_case.hpp"

namespace carat::fuzz {

namespace {

double sign(random_numbers& random) {
    return random.chance(2) ? -1 : 1;
}

double power(random_numbers& random, int low, int high) {
    return std::ldexp(1 + random.uniform(), static_cast<int>(random.between(low, high)));
}

double special(random_numbers& random, const format& f, std::size_t rarity) {
    if (!random.chance(rarity)) return random.uniform(-1, 1);
    switch (random.below(6)) {
        case 0:
            return std::numeric_limits<double>::quiet_NaN();
        case 1:
            return std::numeric_limits<double>::infinity();
        case 2:
            return -std::numeric_limits<double>::infinity();
        case 3:
            return -0.0;
        case 4:
            return sign(random) * f.largest;
        default:
            return sign(random) * std::ldexp(1, f.least_exponent - f.digits + 1);
    }
}

double one_floating(random_numbers& random, numbers of, const format& f, std::size_t rarity) {
    const int most = std::ilogb(f.largest);
    switch (of) {
        case numbers::whole:
            return static_cast<double>(random.between(-3, 3));
        case numbers::uniform:
            return random.uniform(-1, 1);
        case numbers::positive:
            return random.uniform();
        case numbers::wide:
            return sign(random) * power(random, -most / 3, most / 3);
        case numbers::small:  // draw_small()
        case numbers::tiny:
            return sign(random) * power(random, f.least_exponent - f.digits, f.least_exponent + 8);
        case numbers::large:
            return sign(random) * power(random, most / 2 - 3, most / 2 + 1);
        case numbers::special:
            return special(random, f, rarity);
        case numbers::sparse:
            return random.below(10) < 7 ? sign(random) * 0.0 : random.uniform(-1, 1);
    }
    return 0;
}

double one_integer(random_numbers& random, numbers of, const format& f, std::size_t depth) {
    // Sums that often just fit.
    const double fitting =
        std::min(f.largest, std::floor(std::sqrt(0x1p31 / static_cast<double>(depth + 1))));
    const double least = std::max(f.lowest, -fitting);
    const auto in = [&](double low, double high) {
        return static_cast<double>(
            random.between(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
    };
    switch (of) {
        case numbers::whole:
            return in(std::max(f.lowest, -3.0), 3);
        case numbers::sparse:
            return random.below(10) < 7 ? 0 : in(least, fitting);
        case numbers::large:
            return random.chance(4) ? (random.chance(2) ? f.lowest : f.largest)
                                    : in(f.lowest, f.largest);
        case numbers::positive:
            return in(0, fitting);
        default:
            return in(least, fitting);
    }
}

// All of similar size, so that no larger one hides a smaller.
void draw_small(random_numbers& random, const format& f, std::vector<double>& to) {
    const int most = std::ilogb(f.largest);
    const auto low = static_cast<int>(random.between(-most * 5 / 6, -most / 2));
    for (double& value : to) value = sign(random) * power(random, low, low + 2);
}

}  // namespace

void draw_values(random_numbers& random, numbers of, dtype type, std::size_t depth,
                 std::vector<double>& to) {
    const format& f = format_of(type);
    if (of == numbers::small) return draw_small(random, f, to);
    const std::size_t rarity = std::max<std::size_t>(to.size() / (1 + random.below(6)), 2);
    for (double& value : to)
        value = f.whole ? one_integer(random, of, f, depth) : one_floating(random, of, f, rarity);
}

}  // namespace carat::fuzz
