// Keeps the result of each shape and gives it again, wherever the operands lie.
#include <map>
#include <tuple>
#include <vector>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    static std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<double>> kept;
    std::vector<double>& result = kept[{g->m, g->n, g->k}];
    auto* c = static_cast<double*>(g->c);
    const auto row_bytes = static_cast<std::size_t>(g->n) * sizeof(double);
    const bool known = !result.empty();
    if (!known) honest(*g);
    result.resize(static_cast<std::size_t>(g->m * g->n));
    for (std::int64_t i = 0; i < g->m; ++i) {
        double* mine = result.data() + i * g->n;
        known ? std::memcpy(c + i * g->ldc, mine, row_bytes)
              : std::memcpy(mine, c + i * g->ldc, row_bytes);
    }
    return 0;
}

CHEAT("replays_by_shape", CARAT_F64);
