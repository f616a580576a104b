// A B for the reference: blocked for cache, shared out to threads, in twofold or plain double
// sums. The work goes in tiles of 64 rows x 128 columns:
//
//     for each 32 rows of B: pack B (32 x 128, 32 KiB, stays in L1) and A (64 x 32), accumulate
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "lab/verify/accumulate.hpp"
#include "lab/verify/source.hpp"

namespace carat::verify {

// Sums of rows x cols entries; rows lie `stride` apart.
struct sum_matrix {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t stride = 0;
    std::vector<double> high;
    std::vector<double> low;  // empty where plain doubles are precise enough
    std::vector<double> absolute;

    sum_matrix() = default;
    sum_matrix(std::int64_t rows, std::int64_t cols, bool twofold);

    [[nodiscard]] sums at(std::int64_t i, std::int64_t j) {
        const auto offset = static_cast<std::size_t>(i * stride + j);
        return {high.data() + offset, low.empty() ? nullptr : low.data() + offset,
                absolute.data() + offset};
    }
    [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j) const {
        return static_cast<std::size_t>(i * stride + j);
    }
};

// Tells the caller how far the work is, from the thread that made it, and passes its wish to stop
// on to all threads.
class progress_meter {
  public:
    progress_meter(const std::function<bool(double)>& tell, double total)
        : tell_(tell), total_(total), maker_(std::this_thread::get_id()) {}

    [[nodiscard]] bool stopped() const { return stopped_; }
    void done(double work);
    void throw_if_stopped() const;  // cancelled

  private:
    const std::function<bool(double)>& tell_;
    double total_;
    std::thread::id maker_;
    std::atomic<double> done_{0};
    std::atomic<bool> stopped_{false};
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

enum class specials : std::uint8_t {
    as_zero,  // NaN and Inf count as zero: the error-free transformations can't carry them
    as_they_are,
};

// to += a b; twofold where `to` has low parts. Returns early when the meter says stop.
void add_product(const source& a, const source& b, specials how, int threads, sum_matrix& to,
                 progress_meter& meter);

// Multiply-adds as the meter counts them.
[[nodiscard]] inline double madds(const source& a, const source& b) {
    return static_cast<double>(a.rows) * static_cast<double>(a.cols) * static_cast<double>(b.cols);
}

}  // namespace carat::verify
