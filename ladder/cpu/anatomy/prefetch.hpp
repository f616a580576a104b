// Looking ahead, as step 11 explains: at the start of a micro-tile its rows of C are asked for, and
// while k runs, the sliver of A that comes next.
#pragma once

#include "ladder/cpu/anatomy/macro_kernel.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

struct prefetch_c_and_next_a {
    template <class T>
    CARAT_INLINE auto operator()(const product<T>& q, const T* next_a) const {
        for (std::int64_t i = 0; i < q.m; ++i)
            for (std::int64_t j = 0; j < q.n; j += line<T>)
                __builtin_prefetch(q.c.data + i * q.c.row_stride + j * q.c.col_stride, 1);
        return [next_a](std::int64_t l) { __builtin_prefetch(next_a + l * mr); };
    }

    template <class T>
    static constexpr std::int64_t line = 64 / std::int64_t{sizeof(T)};
};

}  // namespace carat::ladder::cpu::CARAT_ISA
