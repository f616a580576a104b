// The one visitor that turns a dtype into the GPU's C++ type (core::visit has the host's).
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <carat/types.hpp>

namespace carat::cuda {

/// Calls work(T{}) with the GPU's type for a dtype.
template <class Work>
void with_device_type(dtype type, const Work& work) {
    switch (type) {
        case dtype::f64:
            return work(double{});
        case dtype::f32:
            return work(float{});
        case dtype::f16:
            return work(__half{});
        case dtype::bf16:
            return work(__nv_bfloat16{});
        case dtype::e4m3:
            return work(__nv_fp8_e4m3{});
        case dtype::e5m2:
            return work(__nv_fp8_e5m2{});
        case dtype::i32:
            return work(std::int32_t{});
        case dtype::i8:
            return work(std::int8_t{});
        case dtype::u8:
            return work(std::uint8_t{});
    }
}

}  // namespace carat::cuda
