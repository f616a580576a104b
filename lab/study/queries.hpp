// Queries of a results document for chapters, and how figures are written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/request/request.hpp"
#include "lab/results/document.hpp"
#include "lab/study/study.hpp"

namespace carat::study {

// The result with a figure of an implementation at n x n x n, or null.
[[nodiscard]] const results::result* measured(const results::document& doc,
                                              std::string_view implementation,
                                              std::string_view dtype, std::int64_t n);

// The comparison of `a` with `b`, in either order; "-" if there is none.
[[nodiscard]] std::string verdict_of(const results::comparison& all, const std::string& a,
                                     const std::string& b);

[[nodiscard]] const results::comparison* compared(const results::document& doc,
                                                  std::string_view dtype, std::int64_t n);

// Sizes of square results that were measured, ascending.
[[nodiscard]] std::vector<std::int64_t> sizes(const results::document& doc, std::string_view dtype);

// Why implementations have no figure, once each: "vendor.mkl (f64 ...): no MKL to use"; those with
// the same case and reason share a line: "cuda.engine, vendor.cublas (f64 ...): ..."; those with
// several cases: "cuda.ladder.tiled (f64 9000 x 9000 x 9000 and 1 more): skipped: ...".
[[nodiscard]] std::vector<std::string> absences(const results::document& doc);

// "153.7", and "-" for nothing.
[[nodiscard]] std::string gflops(const results::result* result);
[[nodiscard]] std::string gflops(double value);
// "153.7 [151.2, 155.0]"
[[nodiscard]] std::string gflops_with_interval(const results::result* result);
// "3.2e-14", never "< 1e-300"; "0" only for 0.
[[nodiscard]] std::string probability(double p);
// The part of a name that distinguishes steps of one family.
[[nodiscard]] std::string last_part(std::string_view implementation);

// Replaces the findings by the reason, if the machine was busy.
void withhold_findings(chapter& c, const results::document& doc);

// A request with the study's common parts: names (see request::parse_selection), threads, seed and
// the seconds for each implementation and case. Names that this build lacks are left out, if need
// be all of them.
[[nodiscard]] request::measurement request(const options& how, std::string_view implementations,
                                           double budget_s);

}  // namespace carat::study
