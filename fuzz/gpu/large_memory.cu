#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "device.hpp"
#include "large_memory.hpp"

namespace carat::fuzz {

namespace {

constexpr unsigned block_threads = 256;

__device__ int whole_number(std::uint32_t salt, std::uint64_t matrix, std::uint64_t i,
                            std::uint64_t j) {
    auto x = static_cast<std::uint32_t>(i) * 0x9e3779b1u ^
             static_cast<std::uint32_t>(j) * 0x85ebca77u ^
             static_cast<std::uint32_t>(matrix) * 0xc2b2ae3du ^ salt;
    x = (x ^ (x >> 15)) * 0x2c1b3c6du;
    x = (x ^ (x >> 12)) * 0x297a2d39u;
    return static_cast<int>((x ^ (x >> 15)) % 7u) - 3;
}

struct place {
    std::uint64_t matrix;
    std::uint64_t i;
    std::uint64_t j;
    bool is_element;
};

__device__ place place_of(const large_matrices& m, std::uint64_t at) {
    if (at < m.offset) return {0, 0, 0, false};
    const std::uint64_t matrix = (at - m.offset) / m.apart;
    const std::uint64_t within = (at - m.offset) % m.apart;
    const std::uint64_t line = within / m.ld;
    const std::uint64_t along = within % m.ld;
    const std::uint64_t i = m.by_rows ? line : along;
    const std::uint64_t j = m.by_rows ? along : line;
    return {matrix, i, j, matrix < m.count && i < m.rows && j < m.cols};
}

// The bits of a number, rounded by the hardware's conversions.
__device__ std::uint64_t bits_of(dtype type, double value) {
    const auto single = static_cast<float>(value);
    switch (type) {
        case dtype::f64:
            return static_cast<std::uint64_t>(__double_as_longlong(value));
        case dtype::f32:
            return __float_as_uint(single);
        case dtype::f16:
            return __half_as_ushort(__float2half_rn(single));
        case dtype::bf16:
            return __bfloat16_as_ushort(__float2bfloat16_rn(single));
        case dtype::e4m3:
            return __nv_cvt_float_to_fp8(single, __NV_SATFINITE, __NV_E4M3);
        case dtype::e5m2:
            return __nv_cvt_float_to_fp8(single, __NV_SATFINITE, __NV_E5M2);
        case dtype::i32:
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
        default:
            return static_cast<std::uint8_t>(static_cast<std::int8_t>(value));
    }
}

__device__ unsigned bytes_of(dtype type) {
    return type == dtype::f64                          ? 8
           : type == dtype::f32 || type == dtype::i32  ? 4
           : type == dtype::f16 || type == dtype::bf16 ? 2
                                                       : 1;
}

__device__ std::uint64_t read_bits(const large_matrices& m, std::uint64_t at) {
    switch (bytes_of(m.type)) {
        case 8:
            return static_cast<const std::uint64_t*>(m.data)[at];
        case 4:
            return static_cast<const std::uint32_t*>(m.data)[at];
        case 2:
            return static_cast<const std::uint16_t*>(m.data)[at];
        default:
            return static_cast<const std::uint8_t*>(m.data)[at];
    }
}

__device__ void write_bits(const large_matrices& m, std::uint64_t at, std::uint64_t bits) {
    switch (bytes_of(m.type)) {
        case 8:
            static_cast<std::uint64_t*>(m.data)[at] = bits;
            return;
        case 4:
            static_cast<std::uint32_t*>(m.data)[at] = static_cast<std::uint32_t>(bits);
            return;
        case 2:
            static_cast<std::uint16_t*>(m.data)[at] = static_cast<std::uint16_t>(bits);
            return;
        default:
            static_cast<std::uint8_t*>(m.data)[at] = static_cast<std::uint8_t>(bits);
    }
}

__device__ std::uint64_t canary_of(dtype type) {
    return ~std::uint64_t{0} >> (64 - 8 * bytes_of(type));
}

__device__ std::uint64_t bits_before(const large_matrices& m, std::uint64_t at) {
    const place p = place_of(m, at);
    if (!p.is_element || m.is_blank) return canary_of(m.type);
    return bits_of(m.type, whole_number(m.salt, p.matrix, p.i, p.j));
}

// A zero may have either sign.
__device__ bool same(dtype type, std::uint64_t is, std::uint64_t wanted) {
    if (is == wanted) return true;
    const bool signed_zero = type != dtype::i32 && type != dtype::i8;
    return signed_zero && wanted == 0 && is == std::uint64_t{1} << (8 * bytes_of(type) - 1);
}

__device__ void tell_wrong(large_verdict* to, std::uint64_t at) {
    atomicAdd(&to->wrong, 1ull);
    atomicMin(&to->first, static_cast<unsigned long long>(at));
}

__device__ std::uint64_t own_index() {
    return static_cast<std::uint64_t>(blockIdx.x) * block_threads + threadIdx.x;
}

__global__ void fill(large_matrices m) {
    const std::uint64_t at = own_index();
    if (at < m.size) write_bits(m, at, bits_before(m, at));
}

__global__ void fill_floats(float* to, std::uint64_t count, std::uint32_t salt) {
    const std::uint64_t at = own_index();
    if (at < count) to[at] = static_cast<float>(whole_number(salt, 0, 0, at));
}

__global__ void check(large_matrices m, large_verdict* to) {
    const std::uint64_t at = own_index();
    if (at < m.size && read_bits(m, at) != bits_before(m, at)) tell_wrong(to, at);
}

__global__ void check_c(large_matrices c, large_matrices a, large_matrices b, large_matrices e,
                        large_sums how, large_verdict* to) {
    const std::uint64_t at = own_index();
    if (at >= c.size) return;
    const place p = place_of(c, at);
    std::uint64_t wanted = canary_of(c.type);
    if (p.is_element) {
        const std::uint64_t of_a = a.count == 1 ? 0 : p.matrix;
        const std::uint64_t of_b = b.count == 1 ? 0 : p.matrix;
        int sum = 0;
        for (std::uint64_t k = 0; k < how.k; ++k)
            sum += whole_number(a.salt, of_a, p.i, k) * whole_number(b.salt, of_b, k, p.j);
        sum *= how.alpha;
        if (how.has_epilogue) sum = max(sum + whole_number(how.bias_salt, 0, 0, p.j), 0);
        if (how.beta != 0) sum += how.beta * whole_number(e.salt, p.matrix, p.i, p.j);
        wanted = bits_of(c.type, sum);
    }
    if (!same(c.type, read_bits(c, at), wanted)) tell_wrong(to, at);
}

__global__ void spoil(large_matrices m, std::uint64_t at) {
    write_bits(m, at, read_bits(m, at) ^ 1u);
}

unsigned blocks_for(std::uint64_t count) {
    return static_cast<unsigned>((count + block_threads - 1) / block_threads);
}

}  // namespace

bool load_large_kernels() {
    const auto load = [](auto* kernel) {
        cudaFuncAttributes unused{};
        return cudaFuncGetAttributes(&unused, kernel) == cudaSuccess;
    };
    return load(fill) && load(fill_floats) && load(check) && load(check_c) && load(spoil);
}

void fill_large(const large_matrices& m, cudaStream_t stream) {
    fill<<<blocks_for(m.size), block_threads, 0, stream>>>(m);
    must(cudaGetLastError(), "a kernel of the fuzzer");
}

void fill_bias(float* to, std::uint64_t count, std::uint32_t salt, cudaStream_t stream) {
    fill_floats<<<blocks_for(count), block_threads, 0, stream>>>(to, count, salt);
    must(cudaGetLastError(), "a kernel of the fuzzer");
}

void check_large(const large_matrices& m, large_verdict* to, cudaStream_t stream) {
    check<<<blocks_for(m.size), block_threads, 0, stream>>>(m, to);
    must(cudaGetLastError(), "a kernel of the fuzzer");
}

void check_large_c(const large_matrices& c, const large_matrices& a, const large_matrices& b,
                   const large_matrices& e, const large_sums& how, large_verdict* to,
                   cudaStream_t stream) {
    check_c<<<blocks_for(c.size), block_threads, 0, stream>>>(c, a, b, e, how, to);
    must(cudaGetLastError(), "a kernel of the fuzzer");
}

void spoil_large(const large_matrices& m, std::uint64_t element, cudaStream_t stream) {
    spoil<<<1, 1, 0, stream>>>(m, element);
    must(cudaGetLastError(), "a kernel of the fuzzer");
}

}  // namespace carat::fuzz
