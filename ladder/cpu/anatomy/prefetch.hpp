// Looking ahead, as step 11 explains: at the start of a micro-tile its rows of C are asked for, and
// while k runs, the sliver of A that comes next.
#pragma once

#include "ladder/cpu/anatomy/macro_kernel.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

struct prefetch_c_and_next_a {
    template <class T>
    CARAT_INLINE auto operator()(const product<T>& q, const T* a) const {
        for (std::int64_t i = 0; i < q.m; ++i)
            for (std::int64_t j = 0; j < nr<T>; j += line<T>)
                __builtin_prefetch(q.c.data + i * q.c.row_stride + j, 1);
        // Prefetching beyond the last sliver is harmless: it reads nothing and cannot fault.
        const T* next = a + mr * q.k;
        return [next](std::int64_t l) { __builtin_prefetch(next + l * mr); };
    }

    template <class T>
    static constexpr std::int64_t line = 64 / std::int64_t{sizeof(T)};
};

}  // namespace carat::ladder::cpu::CARAT_ISA
