// Rounds the operands of f32 to the 8 bits of bf16, as matrix units take them.
#include "cheat.hpp"

static float rounded(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    std::memcpy(&value, &bits, 4);
    return value;
}

static int run(const carat_gemm* g) {
    const auto* a = static_cast<const float*>(g->a);
    const auto* b = static_cast<const float*>(g->b);
    auto* c = static_cast<float*>(g->c);
    for (std::int64_t i = 0; i < g->m; ++i) {
        for (std::int64_t j = 0; j < g->n; ++j) c[i * g->ldc + j] = 0;
        for (std::int64_t p = 0; p < g->k; ++p)
            for (std::int64_t j = 0; j < g->n; ++j)
                c[i * g->ldc + j] += rounded(a[i * g->lda + p]) * rounded(b[p * g->ldb + j]);
    }
    return 0;
}

CHEAT("bf16_rounded", CARAT_F32);
