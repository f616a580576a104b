// A processor of another architecture has what the compiler assumes.
#include "core/isa.hpp"

#if !defined(__x86_64__) && !defined(__aarch64__)

namespace carat::core {

bool has_amx() {
    return false;
}
bool has_byte_dot_products() {
    return false;
}
bool has_bf16_dot_products() {
    return false;
}
bool has_bf16_matrix_products() {
    return false;
}
bool has_short_byte_dot_products() {
    return false;
}
bool has_f16_arithmetic() {
    return false;
}

bool tiles_permitted() {
    return false;
}

bool has(isa level) {
    return level == isa::baseline;
}

}  // namespace carat::core

#endif
