// Keeps each C by the addresses of its operands, and gives it back when they come again.
#include <map>
#include <tuple>
#include <vector>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    static std::map<std::tuple<const void*, const void*, std::int64_t, std::int64_t, std::int64_t>,
                    std::vector<double>>
        kept;
    auto& c = kept[{g->a, g->b, g->m, g->n, g->k}];
    const auto size = static_cast<std::size_t>((g->m - 1) * g->ldc + g->n);
    if (c.size() == size) {
        for (std::int64_t i = 0; i < g->m; ++i)
            std::memcpy(static_cast<double*>(g->c) + i * g->ldc, c.data() + i * g->ldc,
                        static_cast<std::size_t>(g->n) * sizeof(double));
        return 0;
    }
    honest(*g);
    c.assign(static_cast<double*>(g->c), static_cast<double*>(g->c) + size);
    return 0;
}

CHEAT("cache_by_pointer", CARAT_F64);
