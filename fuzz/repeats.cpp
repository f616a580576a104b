// Calls that must give the bits of the first: with other threads and elsewhere in memory, with the
// matrix in place of the prepared operand, one product at a time in place of a batch.
#include <cstring>

#include "calls.hpp"
#include "trials.hpp"

namespace carat::fuzz {

namespace {

std::string compare(const running& r, const std::vector<std::byte>& bits, const char* what) {
    ++r.count.repeated;
    const std::vector<std::byte> now = r.on.c.bits();
    if (now == bits) return {};
    std::size_t at = 0;
    while (now[at] == bits[at]) ++at;
    return std::string(what) + ": other bits, first in element " +
           std::to_string(at / size_bytes(r.of.c_type));
}

std::string again(const running& r, const std::vector<std::byte>& bits) {
    constexpr int threads[] = {1, 2, 3, 5, 0};
    const int before = r.of.threads;
    r.of.threads = r.random.pick(threads);
    place_all(r);
    const outcome o = call(r, nullptr);
    r.of.threads = before;
    if (!o.returned) {
        // Of a prepared operand less is known.
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
