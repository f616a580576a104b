// What OpenBLAS and BLIS say of themselves where they are built for 64-bit integers.
#include <cstdint>
#include <cstdlib>

extern "C" {

void dgemm_() {
    std::abort();
}
void sgemm_() {
    std::abort();
}

const char* openblas_get_config() {
    return "OpenBLAS 0.3.21 USE64BITINT DYNAMIC_ARCH NO_AFFINITY";
}
const char* openblas_get_corename() {
    return "Haswell";
}
int openblas_get_parallel() {
    return 0;
}

const char* bli_info_get_version_str() {
    return "1.0";
}
std::int64_t bli_info_get_blas_int_type_size() {
    return 64;
}
void bli_init() {}
int bli_arch_query_id() {
    return 0;
}
const char* bli_arch_string(int) {
    return "haswell";
}
}
