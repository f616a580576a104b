// The cases of a request: each is one product of one type, on so many threads.
#pragma once

#include <string>
#include <vector>

#include "lab/request/request.hpp"
#include "lab/results/document.hpp"

namespace carat::request {

struct case_key {
    shape size;
    dtype type = dtype::f64;
    int threads = 1;
    storage stored = {};
    rows::call asked = {};
};

// The size as asked; the m of a group is the sum of its products' rows.
[[nodiscard]] shape size_of(shape asked, const rows::call& call);

// e5m2 stands for A alone: B is then e4m3, the pair that training multiplies and that libraries
// offer (no one multiplies two e5m2 matrices).
[[nodiscard]] core::problem problem_of(const case_key& key);

// All that one run does.
[[nodiscard]] rows::operation operation_of(const case_key& key);

// The operations of all its products.
[[nodiscard]] double operations(const case_key& key, operation_count convention);

// "f64 2000x2000x2000, 2 threads"; of a batch "64 x 512x512x512"
[[nodiscard]] std::string describe(const case_key& key);

// The same as the key of its results in a file.
[[nodiscard]] results::product_case product_case_of(const case_key& key);

// Every case of a request, in the order they run.
[[nodiscard]] std::vector<case_key> cases_of(const measurement& r);

}  // namespace carat::request
