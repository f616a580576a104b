// Random indices that are the same on every machine.
//
// The standard library leaves uniform_int_distribution to each vendor, so draws are made here: a
// SplitMix64 reduced to a range by multiplication with rejection, which is exactly uniform (Lemire,
// ACM TOMACS 29, 2019). Internal to the module.
#pragma once

#include <cstdint>

#include "lab/statistics/split_mix.hpp"

namespace carat::statistics::detail {

class index_stream {
  public:
    /// Indices in [0, range), 0 < range < 2^32. Streams of one seed are independent.
    constexpr index_stream(std::uint64_t seed, std::uint64_t stream, std::uint32_t range)
        : next_(mix(mix(seed) + stream * split_mix_step)), range_(range), reject_(-range % range) {}

    constexpr std::uint32_t operator()() {
        std::uint64_t product = 0;
        do {
            product = (next_() >> 32) * range_;
        } while (static_cast<std::uint32_t>(product) < reject_);
        return static_cast<std::uint32_t>(product >> 32);
    }

  private:
    split_mix next_;
    std::uint64_t range_;
    std::uint32_t reject_;  // 2^32 mod range: products below it would favour some indices
};

}  // namespace carat::statistics::detail
