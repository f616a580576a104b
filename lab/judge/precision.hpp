// What is wrong with a C by a reference for its product, in host or GPU memory.
#pragma once

#include <fmt/format.h>
#include <string>

#include "core/problem.hpp"
#include "lab/verify/verify.hpp"

namespace carat::judge {

// The widest type narrower than C's in which the product would pass; empty: none. Products in 16
// bits are summed in f32, and would pass as tf32's with a term missing.
template <class Reference>
std::string narrower(const Reference& right, const void* c, dtype type) {
    if (type != dtype::f64 && type != dtype::f32) return {};
    for (const char* claim : {"f32", "tf32", "f16"})
        if (claim != name(type) && right.check(c, claim).passed) return claim;
    return {};
}

// What a `failed` exact pass shows; `stale` says what C holds instead, or nothing.
template <class Reference>
std::string exact_fault(const verify::verdict& failed, const Reference& right, const void* c,
                        dtype type, const std::string& stale) {
    const std::string narrow = narrower(right, c, type);
    return failed.reason + (narrow.empty() ? stale : "; it would pass as a product in " + narrow);
}

// What a check on general data shows; empty: nothing. Sums in C's type stay below `most_ulp`
// units of roundoff.
template <class Reference>
std::string general_fault(const verify::verdict& v, const Reference& right, const void* c,
                          const core::problem& p, double most_ulp, const std::string& stale) {
    const bool imprecise = p.beta == 0 && is_floating(p.c_type) && v.error_ulp > most_ulp;
    if (v.passed && !imprecise) return {};
    const std::string off = fmt::format(
        "{} is off by {:.3g} units of roundoff",
        v.col < 0 ? "an entry of C" : fmt::format("C({}, {})", v.row, v.col), v.error_ulp);
    if (const std::string narrow = narrower(right, c, p.c_type); !narrow.empty())
        return fmt::format("it computes in less than {}: {}, and C would pass as a product in {}",
                           name(p.c_type), off, narrow);
    if (!v.passed) return v.reason + stale;
    return fmt::format("{}, where sums in {} stay below {}", off, name(p.c_type), most_ulp);
}

}  // namespace carat::judge
