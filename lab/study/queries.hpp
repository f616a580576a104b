// What chapters ask of a results document, and how they write figures.
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

// What the comparison says of `a` against `b`, whichever way round it has them; "-" without it.
[[nodiscard]] std::string verdict_of(const results::comparison& all, const std::string& a,
                                     const std::string& b);

[[nodiscard]] const results::comparison* compared(const results::document& doc,
                                                  std::string_view dtype, std::int64_t n);

// Sizes of square results that were measured, ascending.
[[nodiscard]] std::vector<std::int64_t> sizes(const results::document& doc, std::string_view dtype);

// Why implementations have no figure, once each: "vendor.mkl (f64 ...): no MKL to use", those with
// the same case and reason together: "cuda.engine, vendor.cublas (f64 ...): ..."; where they have
// others, "cuda.ladder.tiled (f64 9000 x 9000 x 9000 and 1 more): skipped: ...".
[[nodiscard]] std::vector<std::string> absences(const results::document& doc);

// "153.7", and "-" for nothing.
[[nodiscard]] std::string gflops(const results::result* result);
[[nodiscard]] std::string gflops(double value);
// "153.7 [151.2, 155.0]"
[[nodiscard]] std::string gflops_with_interval(const results::result* result);
// "3.2e-14", "< 1e-300" never: the exact figure; "0" only for 0.
[[nodiscard]] std::string probability(double p);
// The part of a name that tells steps of one family apart.
[[nodiscard]] std::string last_part(std::string_view implementation);

// In place of what a chapter finds in results of a busy machine, why it can find nothing there.
void withhold_findings(chapter& c, const results::document& doc);

// A request with the study's common parts filled in: names (see request::parse_selection), threads,
// seed and the seconds for each implementation and case.
[[nodiscard]] request::measurement request(const options& how, std::string_view implementations,
                                           double budget_s);

}  // namespace carat::study
