// CARAT_PROFILE's lines, with a point in every fraction whatever the program's locale.
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

// What is as usual fits in.
inline constexpr std::size_t line_length = 80;

// "carat_blas: calls of process 7", a remark, and the heads of the columns.
[[nodiscard]] std::string head(std::string_view remark);

// One line without its end; `whole_s` is what its time is a share of, 0 when that isn't known yet.
[[nodiscard]] std::string line_of(const key& what, const totals& of, double whole_s);

// The whole report: the routines, slowest first, then what ours were called with.
[[nodiscard]] std::string report_of(const ledger& entries);

}  // namespace carat::blas::profile
