// What an x86-64 processor has.
#include "core/isa.hpp"

#if defined(__x86_64__)

#if defined(__clang__)
#define _Bool bool  // glibc 2.36 has C's name in this header, which clang takes for none in C++
#endif
#include <sys/platform/x86.h>
#undef _Bool
#include <sys/syscall.h>
#include <unistd.h>

namespace carat::core {

// The C library has queried the processor and the system, which may not save wide registers, before
// main. Asking again would cost 7 us an instruction on a hypervisor. What GLIBC_TUNABLES disables
// there is disabled here as well (scripts/as_on.py).
namespace {

bool has_avx2() {
    return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA);
}
bool has_avx512() {
    return has_avx2() && CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) &&
           CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512VL);
}

}  // namespace

bool has_amx() {
    return has_avx512() && CPU_FEATURE_ACTIVE(AVX512_VBMI) && CPU_FEATURE_ACTIVE(AMX_TILE) &&
           CPU_FEATURE_ACTIVE(AMX_BF16) && CPU_FEATURE_ACTIVE(AMX_INT8);
}
bool has_byte_dot_products() {
    return has_avx512() && CPU_FEATURE_ACTIVE(AVX512_VNNI);
}
bool has_bf16_dot_products() {
    return has_avx512() && CPU_FEATURE_ACTIVE(AVX512_BF16);
}
bool has_bf16_matrix_products() {
    return false;
}
bool has_short_byte_dot_products() {
    return has_avx2() && CPU_FEATURE_ACTIVE(AVX_VNNI);
}
bool has_f16_arithmetic() {
    return has_avx512() && CPU_FEATURE_ACTIVE(AVX512_FP16);
}

namespace {

// Linux grants tile state only to processes that request it: arch_prctl with ARCH_REQ_XCOMP_PERM
// for XFEATURE_XTILEDATA, for all threads. It refuses if a seccomp filter does not know the call,
// or if a signal stack is too small for the larger frame.
bool ask_for_tiles() {
    constexpr long request_permission = 0x1023;
    constexpr long tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

bool tiles_permitted() {
    static const bool permitted = has_amx() && ask_for_tiles();
    return permitted;
}

bool has(isa level) {
    switch (level) {
        case isa::baseline:
            return true;
        case isa::avx2:
            return has_avx2();
        case isa::avx512:
            return has_avx512();
        case isa::amx:
            return tiles_permitted();
        case isa::dotprod:
        case isa::i8mm:
        case isa::sve256:
        case isa::sve512:
            return false;
    }
    return false;
}

}  // namespace carat::core

#endif
