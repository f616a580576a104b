// SMs for work beside products: kernels that move data, such as NCCL's, run at the same time as
// products only where these leave them SMs.
//
//   carat::leave_sms others(8);                              // as many as NCCL's maxCTAs
//   carat::matrix_product(carat::cuda{stream}, a, b, c);     // uses 124 of 132
#pragma once

#include <carat/export.hpp>

namespace carat {

namespace detail {

// Returns what it was before. Throws carat::error(invalid_argument) below 0.
CARAT_API int multiply_leaving_sms(int count);

}  // namespace detail

// While it lives, products on GPUs that this thread starts are planned for so many SMs fewer, and
// kernels whose CTAs stay on their SMs leave them to other streams. docs/api.md says which do.
class leave_sms {
  public:
    explicit leave_sms(int count) : before_(detail::multiply_leaving_sms(count)) {}
    leave_sms(const leave_sms&) = delete;
    leave_sms& operator=(const leave_sms&) = delete;
    ~leave_sms() { detail::multiply_leaving_sms(before_); }

  private:
    int before_;
};

}  // namespace carat
