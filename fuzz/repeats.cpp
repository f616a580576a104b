// Calls that must give the bits of the first: with other threads and addresses, the matrix instead
// of the prepared operand, one product at a time instead of a batch.
#include <cmath>
#include <cstring>

#include "calls.hpp"
#include "numbers.hpp"
#include "trials.hpp"

namespace carat::fuzz {

std::string compare(const running& r, const std::vector<std::byte>& bits, const char* what) {
    ++r.count.repeated;
    const std::vector<std::byte> now = r.on.c.bits();
    const std::size_t bytes = size_bytes(r.of.c_type);
    for (std::size_t at = 0; at < now.size(); at += bytes) {
        const std::byte* const x = now.data() + at;
        const std::byte* const y = bits.data() + at;
        // The order of a sum's operands decides which of two NaNs is passed on.
        const bool same = std::memcmp(x, y, bytes) == 0 ||
                          (std::isnan(widen(r.of.c_type, x)) && std::isnan(widen(r.of.c_type, y)));
        if (!same)
            return std::string(what) + ": other bits, first in element " +
                   std::to_string(at / bytes);
    }
    return {};
}

namespace {

std::string again(const running& r, const std::vector<std::byte>& bits) {
    constexpr int threads[] = {1, 2, 3, 5, 0};
    const int before = r.of.threads;
    r.of.threads = r.random.pick(threads);
    place_all(r);
    const outcome o = call(r, nullptr);
    r.of.threads = before;
    if (!o.returned) {
        // Less is known of a prepared operand.
        return "once more, elsewhere: refused: " + o.what;
    }
    return compare(r, bits, "once more, elsewhere, with other threads");
}

std::string one_by_one(const running& r, const std::vector<std::byte>& bits) {
    place_all(r);
    for (std::size_t p = 0; p < r.of.sizes.size(); ++p) {
        const outcome o = guarded([&] { make_single_call(r.of, r.on, p, nullptr); });
        if (!o.returned) return "product by product: refused: " + o.what;
    }
    return compare(r, bits, "product by product");
}

}  // namespace

std::string check_repeats(const running& r, const std::vector<std::byte>& bits) {
    if (r.of.group != grouping::one && r.random.chance(2)) return one_by_one(r, bits);
    return again(r, bits);
}

}  // namespace carat::fuzz
