// Network layers as a user would run them: matrix products by one implementation and the steps
// between. Each is checked against loops in f64 that compute the layer directly.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "lab/rows/implementation.hpp"

namespace carat::study {

class composition {
  public:
    composition() = default;
    composition(const composition&) = delete;
    composition& operator=(const composition&) = delete;
    virtual ~composition() = default;

    virtual void run() = 0;
    // The largest difference from the direct loops, relative to their largest result; call after
    // run().
    [[nodiscard]] virtual double worst_error() const = 0;
};

// f32 rounds at 6e-8, the longest sum here has 768 terms, and softmax multiplies the error of the
// scores (4e-5 seen); a transposed operand or a forgotten bias is wrong by about 1.
inline constexpr double largest_error = 1e-3;

struct layer {
    std::string_view name;  // "linear layer"
    std::string_view form;  // "im2col", "implicit", "batches"; empty where there is one form only
    std::string_view what;  // its sizes
    double flop;            // of its products, without waste
    // Prepares every product of the layer in f32. Throws carat::error(unsupported) with the reason
    // if `by` cannot do one of them. `seed` is for the data.
    std::unique_ptr<composition> (*make)(const rows::implementation& by, int threads,
                                         std::uint64_t seed);
};

[[nodiscard]] std::span<const layer> layers();

}  // namespace carat::study
