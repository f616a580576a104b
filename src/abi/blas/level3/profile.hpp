// CARAT_PROFILE: what the program asked of the BLAS, printed at its end.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace carat::blas::profile {

// Set before main from CARAT_PROFILE, and then constant.
extern bool enabled;

// One call as the report counts it; calls that agree in all of this share a line.
struct call {
    const char* routine;          // "dgemm"; kept as a pointer
    std::array<char, 4> flags{};  // 'T', 'N', 'L' ..., in the order of the arguments; 0 where none
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = -1;  // -1 for routines with two sizes
    double flop = 0;
    bool forwarded = false;  // to the other BLAS: nothing but its name is known
};

void record(const call& made, std::chrono::steady_clock::duration took) noexcept;

// Surrounds one call. If profiling is off this costs two branches.
class scope {
  public:
    explicit scope(const call& made) {
        if (!enabled) [[likely]]
            return;
        made_ = made;
        start_ = std::chrono::steady_clock::now();
    }
    ~scope() {
        if (made_.routine != nullptr) [[unlikely]]
            record(made_, std::chrono::steady_clock::now() - start_);
    }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

  private:
    call made_{};
    std::chrono::steady_clock::time_point start_{};
};

}  // namespace carat::blas::profile
