// src/cuda in a build without CUDA: no devices, and the reason why.
#include <carat/error.hpp>

#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/scope.hpp"
#include "cuda/engine/call.hpp"

namespace carat::cuda {

namespace {

[[noreturn]] void refuse(int device) {
    throw error(error_code::unsupported, unavailable(device));
}

}  // namespace

int device_count() {
    return 0;
}

std::string unavailable(int) {
    return "this build has no CUDA: configure with -DCARAT_CUDA=ON and nvcc in PATH";
}

int device_in_use() {
    return 0;
}

void require(int device) {
    refuse(device);
}

void select_device(int device) {
    refuse(device);
}

std::string unavailable_in_use() {
    return unavailable(0);
}

device_facts describe(int device) {
    refuse(device);
}

std::string origin_of_costs(int device) {
    refuse(device);
}

call_scope::call_scope(int device, CUstream_st* stream)
    : device_(device), device_before_(device), stream_(stream), outer_(nullptr), loans_{} {
    refuse(device);
}

call_scope::~call_scope() = default;

call_scope* call_scope::innermost() {
    return nullptr;
}

void* call_scope::lend_zeros(const void*, std::size_t) {
    return nullptr;
}

void* call_scope::lend(const void*, std::size_t) {
    return nullptr;
}

}  // namespace carat::cuda

namespace carat::gpu_engine {

void multiply(int, CUstream_st*, const core::gpu_call&, const core::gpu_operands&) {
    throw error(error_code::unsupported, cuda::unavailable_in_use());
}

void finish_sums(int, CUstream_st*, const detail::erased_matrix&, const detail::erased_matrix*,
                 const detail::erased_matrix&, const detail::epilogue_steps&) {
    throw error(error_code::unsupported, cuda::unavailable_in_use());
}

}  // namespace carat::gpu_engine
