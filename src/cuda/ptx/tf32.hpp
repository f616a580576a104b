// f32 as the tensor cores read it: 8 bits of exponent, 10 of mantissa, the other 13 ignored.
#pragma once

namespace carat::cuda::ptx {

struct tf32 {
    float value;
};

}  // namespace carat::cuda::ptx
