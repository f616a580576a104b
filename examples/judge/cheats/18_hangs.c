/* Never returns. */
#include <carat/carat_kernel.h>

static int run(const struct carat_gemm* g) {
    volatile int64_t forever = g->m;
    while (forever > 0) {}
    return 0;
}

CARAT_KERNEL_EXPORT const struct carat_kernel carat_kernel_v1 = {
    CARAT_KERNEL_VERSION, "hangs", CARAT_F64, 0, 0, run};
