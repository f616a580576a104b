// The rows of the engine's table that run on this machine.
#pragma once

#include <vector>

#include "lab/rows/cpu/table.hpp"

namespace carat::test {

inline std::string why_not_here(const rows::implementation& row) {
    return row.unavailable == nullptr ? "" : row.unavailable();
}

inline std::vector<const rows::implementation*> available_rows() {
    std::vector<const rows::implementation*> rows;
    for (const rows::implementation* row : rows::cpu::table())
        if (why_not_here(*row).empty()) rows.push_back(row);
    return rows;
}

// The row's signature with these types, or null.
inline const core::signature* signature_of(const rows::implementation& row, dtype a, dtype b,
                                           dtype c) {
    for (const core::signature& types : row.signatures)
        if (types.a == a && types.b == b && types.c == c) return &types;
    return nullptr;
}

// A row-major product of these types.
inline core::problem problem_of(dtype a, dtype b, dtype c, std::int64_t m, std::int64_t n,
                                std::int64_t k) {
    core::problem p = core::row_major_problem(a, m, n, k);
    p.b_type = b;
    p.c_type = c;
    return p;
}

}  // namespace carat::test
