// CARAT_PROFILE's lines, with decimal points whatever the program's locale.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "abi/blas/level3/profile.hpp"

namespace carat::blas::profile {

// What the calls of one line have in common.
struct key {
    std::string_view routine;
    std::array<char, 4> flags;
    std::int64_t m;
    std::int64_t n;
    std::int64_t k;
    bool rounded;                                  // sizes, up to powers of two
    bool forwarded;                                // to the other BLAS
    auto operator<=>(const key&) const = default;  // NOLINT(modernize-use-nullptr): no pointer here
};

struct totals {
    std::uint64_t calls = 0;
    double time_s = 0;
    double flop = 0;
    std::size_t order = 0;  // of the lines, by their first call
};
void add(totals& to, const totals& more);

using ledger = std::map<key, totals>;

[[nodiscard]] key rounded(key of);

// Widths that fit usual values.
inline constexpr std::size_t line_length = 80;

// "carat_blas: calls of process 7", a remark, and the column heads.
[[nodiscard]] std::string head(std::string_view remark);

// One line without its newline; `whole_s` is the total for its share of time, 0 if not yet known.
[[nodiscard]] std::string line_of(const key& what, const totals& of, double whole_s);

// The whole report: the routines, slowest first, then the calls of carat's.
[[nodiscard]] std::string report_of(const ledger& entries);

}  // namespace carat::blas::profile
