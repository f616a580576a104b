#include "lab/explain/explanation.hpp"

namespace carat::explain {

namespace {

constexpr std::int64_t tile = 32;

std::int64_t misses(const core::problem& p, std::int64_t row_padding, const model::geometry& l1) {
    const model::placement rows{.element_bytes = static_cast<int>(size_bytes(p.b_type)),
                                .a_stride = p.k + row_padding,
                                .b_stride = p.n + row_padding,
                                .c_stride = p.n + row_padding};
    const model::schedule s{model::order::tiled_ikj, tile};
    return model::simulate(s, {2 * tile, 2 * tile, 2 * tile}, rows, {l1}).misses.front().total();
}

}  // namespace

std::vector<model::geometry> geometries_of(const machine::description& machine) {
    std::vector<model::geometry> found;
    for (int level = 1; level <= 3; ++level) {
        const machine::cache* c = machine::data_cache(machine, level);
        if (c == nullptr || c->size_bytes <= 0 || c->line_bytes <= 0 || c->ways <= 0) continue;
        const model::geometry shape{c->size_bytes, c->line_bytes, c->ways};
        if (shape.lines() % shape.ways == 0) found.push_back(shape);
    }
    return found;
}

double conflict_factor(const machine::description& machine, const core::problem& p) {
    const std::vector<model::geometry> caches = geometries_of(machine);
    if (caches.empty() || p.n < 2 * tile || p.k < 2 * tile) return 1;
    const std::int64_t line = caches.front().line_bytes / static_cast<int>(size_bytes(p.b_type));
    return static_cast<double>(misses(p, 0, caches.front())) /
           static_cast<double>(misses(p, line, caches.front()));
}

}  // namespace carat::explain
