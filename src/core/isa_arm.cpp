// What a 64-bit Arm processor has.
#include "core/isa.hpp"

#if defined(__aarch64__)

#include <sys/auxv.h>
#include <sys/prctl.h>

namespace carat::core {

// The system names in the auxiliary vector what the processor has and it supports.
namespace {

bool has_word(unsigned long bit) {
    return (getauxval(AT_HWCAP) & bit) != 0;
}
bool has_second_word(unsigned long bit) {
    return (getauxval(AT_HWCAP2) & bit) != 0;
}

// The vectors' length belongs to a thread, and every other thread inherits it.
bool has_sve_of(int bytes) {
    constexpr int length = 0xffff;
    return has_word(HWCAP_SVE) && (prctl(PR_SVE_GET_VL) & length) == bytes;
}

}  // namespace

bool has_amx() {
    return false;
}
bool has_byte_dot_products() {
    return has_word(HWCAP_ASIMDDP);
}
bool has_bf16_dot_products() {
    return false;  // those of matrices serve better
}
bool has_bf16_matrix_products() {
    return has_second_word(HWCAP2_BF16);
}
bool has_short_byte_dot_products() {
    return false;
}
bool has_f16_arithmetic() {
    return has_byte_dot_products() && has_word(HWCAP_ASIMDHP);
}

bool tiles_permitted() {
    return false;
}

bool has(isa level) {
    switch (level) {
        case isa::baseline:
            return true;
        case isa::dotprod:
            return has_byte_dot_products();
        case isa::i8mm:
            return has_byte_dot_products() && has_second_word(HWCAP2_I8MM);
        case isa::sve256:
            return has_sve_of(32);
        case isa::sve512:
            return has_sve_of(64);
        case isa::avx2:
        case isa::avx512:
        case isa::amx:
            return false;
    }
    return false;
}

}  // namespace carat::core

#endif
