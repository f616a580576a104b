// The random numbers of a case: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). Its whole state is
// one number, so each of thousands of cases a second can have its own seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carat::fuzz {

class random_numbers {
  public:
    random_numbers(std::uint64_t seed, std::uint64_t number)
        : state_(seed * 0x9e3779b97f4a7c15u + number * 0xd1342543de82ef95u) {
        state_ = next();
    }

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // 0 to `count` - 1.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
    // Both ends included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low) + 1));
    }
    bool chance(std::size_t one_in) { return below(one_in) == 0; }
    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }

    template <class T, std::size_t N>
    T pick(const T (&from)[N]) {
        return from[below(N)];
    }

  private:
    std::uint64_t state_;
};

}  // namespace carat::fuzz
