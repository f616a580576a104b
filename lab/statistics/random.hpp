// Random indices that are the same on every machine.
//
// The standard library leaves uniform_int_distribution to each vendor, so draws are made here: a
// counter through the mixing function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), reduced
// to a range by multiplication with rejection, which is exactly uniform (Lemire, ACM TOMACS 29,
// 2019). Internal to the module.
#pragma once

#include <cstdint>

namespace carat::statistics::detail {

constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

class index_stream {
  public:
    /// Indices in [0, range), 0 < range < 2^32. Streams of one seed are independent.
    constexpr index_stream(std::uint64_t seed, std::uint64_t stream, std::uint32_t range)
        : counter_(mix(mix(seed) + stream * golden)), range_(range), reject_(-range % range) {}

    constexpr std::uint32_t operator()() {
        std::uint64_t product = 0;
        do {
            product = (next() >> 32) * range_;
        } while (static_cast<std::uint32_t>(product) < reject_);
        return static_cast<std::uint32_t>(product >> 32);
    }

  private:
    static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

    constexpr std::uint64_t next() { return mix(counter_ += golden); }

    std::uint64_t counter_;
    std::uint64_t range_;
    std::uint32_t reject_;  // 2^32 mod range: products below it would favour some indices
};

}  // namespace carat::statistics::detail
