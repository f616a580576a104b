// The plain multiply-add of each type, written once in GCC's vector notation: c x + y becomes one
// fused instruction where the level has one (this file alone allows that contraction), else two.
// In each step every chain depends only on itself, so the unit and not its latency is the limit.
#include "lab/machine/isa/vector_shape.hpp"
#include "lab/machine/kernels.hpp"

namespace carat::machine::CARAT_ISA {

namespace {

template <class T>
struct vector_of {
    using type [[gnu::vector_size(vector_bytes), gnu::may_alias]] = T;
};

template <class T>
void multiply_add(std::int64_t steps, void* state) {
    using vector = typename vector_of<T>::type;
    auto* memory = static_cast<vector*>(state);
    const vector x = memory[0];
    const vector y = memory[1];
    vector c[chains];
    for (int i = 0; i < chains; ++i) c[i] = memory[2 + i];
    for (; steps > 0; --steps) {
#pragma GCC unroll 24
        for (vector& chain : c) chain = chain * x + y;
    }
    for (int i = 0; i < chains; ++i) memory[2 + i] = c[i];
}

template <class T>
constexpr compute_kernel entry(const char* unit, dtype type) {
    return {unit,           "",   arithmetic::multiply_add,
            type,           type, vector_bytes / int{sizeof(T)},
            chains,         1,    vector_bytes,
            multiply_add<T>};
}

#if defined(__AVX512F__)
constexpr const char* floating = "avx512 fma";
constexpr const char* integer = "avx512 mul+add";
#elif defined(__AVX2__)
constexpr const char* floating = "avx2 fma";
constexpr const char* integer = "avx2 mul+add";
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS == 512
constexpr const char* floating = "sve512 fma";
constexpr const char* integer = "sve512 mla";
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS == 256
constexpr const char* floating = "sve256 fma";
constexpr const char* integer = "sve256 mla";
#elif defined(__aarch64__)
constexpr const char* floating = "neon fma";
constexpr const char* integer = "neon mla";
#else
constexpr const char* floating = "baseline mul+add";
#define CARAT_NO_VECTOR_INTEGER_MULTIPLY  // SSE2 has none for 32 bits
#endif

constexpr compute_kernel table[] = {
    entry<double>(floating, dtype::f64), entry<float>(floating, dtype::f32),
#if !defined(CARAT_NO_VECTOR_INTEGER_MULTIPLY)
    entry<std::uint32_t>(integer, dtype::i32),  // unsigned, because the sums wrap around
#endif
};

}  // namespace

constinit const std::span<const compute_kernel> multiply_add_kernels = table;

}  // namespace carat::machine::CARAT_ISA
