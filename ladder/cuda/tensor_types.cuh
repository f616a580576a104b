// Which kernels of a tensor-core step there are.
#pragma once

#include <cstdint>

#include "ladder/cuda/steps.hpp"

#define CARAT_TENSOR_TYPES(step)                                          \
    template plan<__half, float, float> step::choose(int);                \
    template plan<__half, __half, float> step::choose(int);               \
    template plan<__nv_bfloat16, float, float> step::choose(int);         \
    template plan<__nv_bfloat16, __nv_bfloat16, float> step::choose(int); \
    template plan<float, float, float> step::choose(int);                 \
    template plan<double, double, double> step::choose(int);              \
    template plan<std::int8_t, std::uint32_t, std::uint32_t> step::choose(int);
