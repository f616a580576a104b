// Takes the pages away from all operands but its own call's, which slows whoever comes to them
// next.
#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    honest(*g);
    struct stat file = {};
    constexpr off_t table = 110592;
    if (fstat(3, &file) == 0)
        (void)!fallocate(3, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, table,
                         file.st_size - table);
    honest(*g);
    return 0;
}

CHEAT("punches_holes", CARAT_F64);
