// Complete sums on their way to C past the caches, see finished_sums in tile_kernel.hpp.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/tile_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

inline void stream_rows(finished_sums& f, std::int64_t rows) {
    for (std::int64_t i = 0; i < rows; ++i) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(f.c), _mm512_load_si512(f.sums));
        _mm512_stream_si512(reinterpret_cast<__m512i*>(f.c + step_bytes),
                            _mm512_load_si512(f.sums + step_bytes));
        f.sums += sums_line_bytes;
        f.c += f.c_stride_bytes;
    }
}

}  // namespace carat::cpu_engine::CARAT_ISA
