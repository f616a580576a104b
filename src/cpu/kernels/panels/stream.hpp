// Writes complete sums to C past the caches, see finished_sums in matrix_unit_kernel.hpp.
#pragma once

#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/kernels/panels/cache_line.hpp"

namespace carat::cpu_engine::CARAT_ISA {

inline void stream_rows(finished_sums& f, std::int64_t rows) {
    for (std::int64_t i = 0; i < rows; ++i) {
        stream_line(f.c, load_line(f.sums));
        stream_line(f.c + step_bytes, load_line(f.sums + step_bytes));
        f.sums += sums_row_bytes;
        f.c += f.c_stride_bytes;
    }
}

}  // namespace carat::cpu_engine::CARAT_ISA
