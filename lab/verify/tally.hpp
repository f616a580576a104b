// Collects what the checks find and words the verdict: the worst of the wrong entries or, if none
// is wrong, the one with the largest error.
#pragma once

#include <cstdint>

#include "lab/verify/bound.hpp"
#include "lab/verify/verify.hpp"

namespace carat::verify {

struct finding {
    std::int64_t row = -1;
    std::int64_t col = -1;  // -1: somewhere in the row
    double got = 0;
    double expected = 0;
    bool expected_known = true;
    double error = 0;      // |got - expected|; infinite when one of them is not finite
    double tolerance = 0;  // of error
    double unit = 0;       // u D: the error in ulp is error / unit
    bool unwritten = false;

    [[nodiscard]] bool wrong() const { return !(error <= tolerance); }
    [[nodiscard]] double error_ulp() const;
    [[nodiscard]] double bound_ulp() const;
};

class tally {
  public:
    void add(const finding& f);
    void add(const tally& other);
    [[nodiscard]] verdict conclude(method how, std::string_view claimed) const;
    [[nodiscard]] std::int64_t wrong() const { return wrong_; }

  private:
    [[nodiscard]] static bool worse(const finding& a, const finding& b);

    finding worst_;
    double largest_error_ = 0;  // |got - expected| of all entries known one by one
    std::int64_t checked_ = 0;
    std::int64_t wrong_ = 0;
};

}  // namespace carat::verify
