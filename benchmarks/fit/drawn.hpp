// Random products of every type, layout and batch that carat_fit_measure times.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "core/gpu_call.hpp"

namespace carat::fit {

/// None of a product's matrices, with all of a batch, takes more.
constexpr std::size_t pool_bytes = std::size_t{400} << 20;

struct kind {
    const char* name;
    core::gpu_arithmetic how;
    dtype a, b;
    std::vector<dtype> c;
    double most_work;  // multiply-adds
};

[[nodiscard]] const std::vector<kind>& kinds();

struct product {
    const kind* of;
    core::problem one;
    core::product_set batch;
    [[nodiscard]] core::product_distances apart() const {
        return {batch.one_a ? 0 : one.m * one.k, batch.one_b ? 0 : one.k * one.n, one.m * one.n};
    }
};

[[nodiscard]] product drawn(std::mt19937_64& random);

}  // namespace carat::fit
