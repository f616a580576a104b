// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): one state, and the same numbers everywhere, also
// on a GPU. The fuzzer, which judges this code, has its own.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define CARAT_HOST_DEVICE __host__ __device__
#else
#define CARAT_HOST_DEVICE
#endif

namespace carat::statistics {

inline constexpr std::uint64_t split_mix_step = 0x9e3779b97f4a7c15U;

// Makes a counter's values look random.
CARAT_HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

class split_mix {
  public:
    explicit constexpr split_mix(std::uint64_t seed) : state_(seed) {}
    constexpr std::uint64_t operator()() { return mix(state_ += split_mix_step); }

  private:
    std::uint64_t state_;
};

}  // namespace carat::statistics
